// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"internal/profile"
	"net/http"
	"strings"
	"testing"
	"time"
)

var grown []byte

//go:noinline
func growNow() { grown = make([]byte, 256<<20) }

// TestGrowthHandler gets the profile since the program began, the difference
// over two seconds in which the heap grows, and the text.
func TestGrowthHandler(t *testing.T) {
	defer func() { grown = nil }()
	for _, url := range []string{"/debug/pprof/growth", "/debug/pprof/growth?seconds=2"} {
		if strings.Contains(url, "seconds") {
			go func() {
				time.Sleep(500 * time.Millisecond)
				growNow()
			}()
		}
		w := get(http.HandlerFunc(Index), url)
		p, err := profile.Parse(w.Body)
		if err != nil {
			t.Fatalf("%s: status %d: %v", url, w.Code, err)
		}
		if p.DefaultSampleType != "resident_space" || len(p.SampleType) != 6 || p.SampleType[5].Type != "resident_space" {
			t.Errorf("%s: sample types %v, default %q", url, p.SampleType, p.DefaultSampleType)
		}
		var now, all int64
		for _, s := range p.Sample {
			all += s.Value[5]
			if strings.HasSuffix(s.Location[0].Line[0].Function.Name, "pprof.growNow") {
				now += s.Value[5]
			}
		}
		if strings.Contains(url, "seconds") && (now < 200<<20 || now > 258<<20 || all > now+64<<20) {
			t.Errorf("%s: growNow has made it grow by %d, of %d", url, now, all)
		}
	}
	w := get(http.HandlerFunc(Index), "/debug/pprof/growth?debug=1")
	if !strings.HasPrefix(w.Body.String(), "growth profile: ") {
		t.Errorf("text: status %d: %s", w.Code, w.Body)
	}
}
