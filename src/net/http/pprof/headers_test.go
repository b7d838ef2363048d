// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These tests check the headers of all profiles, on which profile collectors
// rely. misc/demo makes the same checks with the package that collectors use.

package pprof

import (
	"internal/profile"
	"net/http"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
)

// headersOf has the default sample types of goroutineleak, and of the profiles
// that upstream does not have, or has with fewer sample types. Other profiles
// have the headers that upstream gives them.
var headersOf = map[string]string{
	"faults":        "faults",
	"goroutine":     "goroutine",
	"goroutineleak": "goroutineleak",
	"growth":        "resident_space",
	"inuse":         "inuse_space",
	"memory":        "memory_space",
	"peak":          "peak_space",
	"refs":          "live_space",
}

// TestHeaders gets all profiles, and the differences of all profiles of which
// the handler makes differences.
func TestHeaders(t *testing.T) {
	names := []string{"faults"}
	for _, p := range pprof.Profiles() {
		names = append(names, p.Name())
	}
	for name := range headersOf {
		if !slices.Contains(names, name) {
			t.Errorf("there is no profile %s", name)
		}
	}
	for _, name := range names {
		urls := []string{name}
		if profileSupportsDelta[handler(name)] || name == "faults" {
			urls = append(urls, name+"?seconds=1")
		}
		if name == "faults" {
			urls = urls[1:]
		}
		for _, url := range urls {
			t.Run(url, func(t *testing.T) {
				t.Parallel()
				w := get(http.HandlerFunc(Index), "/debug/pprof/"+url)
				if name == "faults" && w.Code == http.StatusInternalServerError {
					t.Skip(w.Body)
				}
				if w.Code != http.StatusOK {
					t.Fatalf("status %d: %s", w.Code, w.Body)
				}
				p, err := profile.Parse(w.Body)
				if err != nil {
					t.Fatal(err)
				}
				checkHeader(t, p, name)
				merged, err := profile.Merge([]*profile.Profile{p, p})
				if err != nil {
					t.Fatal(err)
				}
				checkHeader(t, merged, name)
			})
		}
	}
}

// checkHeader checks a profile and its header.
func checkHeader(t *testing.T, p *profile.Profile, name string) {
	t.Helper()
	if err := p.CheckValid(); err != nil {
		t.Error(err)
	}
	if p.PeriodType == nil || p.PeriodType.Type == "" || p.PeriodType.Unit == "" || p.Period <= 0 {
		t.Errorf("period %d of type %v", p.Period, p.PeriodType)
	}
	var types []string
	for _, typ := range p.SampleType {
		if typ.Type == "" || typ.Unit == "" {
			t.Errorf("sample type %v", typ)
		}
		types = append(types, typ.Type)
	}
	want, ours := headersOf[name]
	if ours {
		if p.DefaultSampleType != want || !slices.Contains(types, want) {
			t.Errorf("default sample type %q of %q, want %q", p.DefaultSampleType, types, want)
		}
		if !strings.HasPrefix(p.DocURL, "https://pkg.go.dev/runtime/pprof#") {
			t.Errorf("documentation %q", p.DocURL)
		}
	}
	if four := []string{"alloc_objects", "alloc_space", "inuse_objects", "inuse_space"}; (name == "heap" || name == "allocs") && !slices.Equal(types, four) {
		t.Errorf("sample types %q, want %q", types, four)
	}
}
