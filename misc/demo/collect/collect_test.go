// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package collect has only tests. They check all profiles and their differences
// in the way in which programs that collect profiles read them, with the
// package that most of these programs use.
package collect

import (
	"net/http"
	"net/http/httptest"
	httppprof "net/http/pprof"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// ours has the default sample types of profiles that upstream does not have, or
// has with fewer sample types.
var ours = map[string]string{
	"faults":        "faults",
	"goroutine":     "goroutine",
	"goroutineleak": "goroutineleak",
	"growth":        "resident_space",
	"inuse":         "inuse_space",
	"memory":        "memory_space",
	"peak":          "peak_space",
	"refs":          "live_space",
}

// TestProfiles gets all profiles except faults, and then all profiles with
// seconds=1, which peak must refuse.
func TestProfiles(t *testing.T) {
	names := []string{"faults"}
	for _, p := range pprof.Profiles() {
		names = append(names, p.Name())
	}
	for name := range ours {
		if !slices.Contains(names, name) {
			t.Errorf("this toolchain has no profile %s", name)
		}
	}
	for _, name := range names {
		for _, parameters := range []string{"", "?seconds=1"} {
			if name == "faults" && parameters == "" {
				continue // the profile of 30 seconds
			}
			t.Run(name+parameters, func(t *testing.T) {
				t.Parallel()
				w := httptest.NewRecorder()
				httppprof.Index(w, httptest.NewRequest("GET", "/debug/pprof/"+name+parameters, nil))
				if name == "peak" && parameters != "" {
					if w.Code != http.StatusBadRequest {
						t.Errorf("status %d: %s", w.Code, w.Body)
					}
					return
				}
				if name == "faults" && w.Code == http.StatusInternalServerError && strings.Contains(w.Body.String(), "page fault") {
					t.Skip(w.Body)
				}
				if w.Code != http.StatusOK {
					t.Fatalf("status %d: %s", w.Code, w.Body)
				}
				p, err := profile.Parse(w.Body)
				if err != nil {
					t.Fatal(err)
				}
				check(t, name, p)
				checkMerged(t, name, p)
			})
		}
	}
}

// check checks a profile and its header.
func check(t *testing.T, name string, p *profile.Profile) {
	t.Helper()
	if err := p.CheckValid(); err != nil {
		t.Error(err)
	}
	if p.PeriodType == nil || p.PeriodType.Type == "" || p.PeriodType.Unit == "" || p.Period <= 0 {
		t.Errorf("period %d of type %v", p.Period, p.PeriodType)
	}
	want, ok := ours[name]
	if !ok {
		return
	}
	if _, err := p.SampleIndexByName(want); err != nil || p.DefaultSampleType != want {
		t.Errorf("default sample type %q, want %q: %v", p.DefaultSampleType, want, err)
	}
	if !strings.HasPrefix(p.DocURL, "https://pkg.go.dev/runtime/pprof#") {
		t.Errorf("documentation %q", p.DocURL)
	}
}

// checkMerged merges a profile with itself, which must double it, and with its
// negative, which must leave nothing.
func checkMerged(t *testing.T, name string, p *profile.Profile) {
	t.Helper()
	for factor, want := range map[float64]int64{1: 2, -1: 0} {
		other := p.Copy()
		other.Scale(factor)
		merged, err := profile.Merge([]*profile.Profile{p, other})
		if err != nil {
			t.Fatal(err)
		}
		check(t, name, merged)
		for i, typ := range p.SampleType {
			if got, sum := total(merged, i), total(p, i); got != want*sum {
				t.Errorf("%s: merged with %v of itself: %d, want %d", typ.Type, factor, got, want*sum)
			}
		}
	}
}

// total returns the sum of a sample type's values.
func total(p *profile.Profile, i int) (sum int64) {
	for _, s := range p.Sample {
		sum += s.Value[i]
	}
	return sum
}
