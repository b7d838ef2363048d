// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"internal/profile"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"
)

var grown []byte

//go:noinline
func growNow() { grown = make([]byte, 256<<20) }

// TestGrowthHandler gets the profile since the program began, the difference
// over some seconds in which the heap grows, and the text.
func TestGrowthHandler(t *testing.T) {
	defer func() { grown = nil }()
	getGrowth(t, "/debug/pprof/growth")
	for seconds := 2; ; seconds *= 4 {
		grown = nil
		debug.FreeOSMemory()
		done := make(chan bool)
		time.AfterFunc(time.Duration(seconds)*time.Second/4, func() {
			growNow()
			close(done)
		})
		url := "/debug/pprof/growth?seconds=" + strconv.Itoa(seconds)
		now, all := getGrowth(t, url)
		<-done
		if now == 0 && seconds < 30 {
			continue // growNow did not run between the two profiles
		}
		if now < 200<<20 || now > 258<<20 || all > now+64<<20 {
			t.Errorf("%s: growNow has made it grow by %d, of %d", url, now, all)
		}
		break
	}
	w := get(http.HandlerFunc(Index), "/debug/pprof/growth?debug=1")
	if !strings.HasPrefix(w.Body.String(), "growth profile: ") {
		t.Errorf("text: status %d: %s", w.Code, w.Body)
	}
}

// getGrowth returns the resident bytes of growNow and those of all samples.
func getGrowth(t *testing.T, url string) (now, all int64) {
	t.Helper()
	w := get(http.HandlerFunc(Index), url)
	p, err := profile.Parse(w.Body)
	if err != nil {
		t.Fatalf("%s: status %d: %v", url, w.Code, err)
	}
	if p.DefaultSampleType != "resident_space" || len(p.SampleType) != 6 || p.SampleType[5].Type != "resident_space" {
		t.Errorf("%s: sample types %v, default %q", url, p.SampleType, p.DefaultSampleType)
	}
	for _, s := range p.Sample {
		all += s.Value[5]
		if strings.HasSuffix(s.Location[0].Line[0].Function.Name, "pprof.growNow") {
			now += s.Value[5]
		}
	}
	return now, all
}
