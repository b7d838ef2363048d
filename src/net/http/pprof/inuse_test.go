// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"internal/profile"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var inuseKept [][]byte

//go:noinline
func keepInuse(n int) {
	for range n {
		inuseKept = append(inuseKept, make([]byte, 8<<10))
	}
}

// TestInuseHandler gets the profile, as a protocol buffer, as text and as a
// difference.
func TestInuseHandler(t *testing.T) {
	defer func(rate int) { runtime.MemProfileRate, inuseKept = rate, nil }(runtime.MemProfileRate)
	runtime.MemProfileRate = 1
	keepInuse(100)
	tests := []struct {
		url   string
		space int64 // bytes that keepInuse has allocated
	}{
		{"/debug/pprof/inuse", 100 * 8 << 10},
		{"/debug/pprof/inuse?seconds=1", 0},
	}
	for _, test := range tests {
		w := get(http.HandlerFunc(Index), test.url)
		p, err := profile.Parse(w.Body)
		if err != nil {
			t.Fatalf("%s: status %d: %v", test.url, w.Code, err)
		}
		if p.DefaultSampleType != "inuse_space" {
			t.Errorf("%s: default sample type %q", test.url, p.DefaultSampleType)
		}
		var space int64
		for _, s := range p.Sample {
			if !slices.Equal(s.Label["retained_by"], []string{"net/http/pprof.inuseKept > [][]uint8[elem]"}) {
				continue
			}
			space += s.Value[1]
			if !slices.Equal(s.NumUnit["age"], []string{"gcs"}) || !slices.Equal(s.Label["type"], []string{"[]uint8"}) {
				t.Errorf("%s: labels %v %v %v", test.url, s.Label, s.NumLabel, s.NumUnit)
			}
		}
		if space != test.space {
			t.Errorf("%s: %d bytes in inuseKept, want %d", test.url, space, test.space)
		}
	}
	w := get(http.HandlerFunc(Index), "/debug/pprof/inuse?debug=1")
	if text := w.Body.String(); !strings.HasPrefix(text, "heap profile: ") || !strings.Contains(text, "# retained_by: net/http/pprof.inuseKept > [][]uint8[elem]\n") {
		t.Errorf("text is %s", text)
	}
}

// TestInuseHandlerOff checks that the page names the setting to change if
// nothing is sampled.
func TestInuseHandlerOff(t *testing.T) {
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = 0
	for _, url := range []string{"/debug/pprof/inuse", "/debug/pprof/inuse?seconds=1", "/debug/pprof/inuse?debug=1"} {
		w := get(http.HandlerFunc(Index), url)
		if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "set runtime.MemProfileRate") {
			t.Errorf("%s: status %d: %s", url, w.Code, w.Body)
		}
	}
}
