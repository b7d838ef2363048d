// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"strings"
	"testing"
)

func TestFindCollections(t *testing.T) {
	scans := func(share float64, bytes ...int64) func(*facts) {
		return func(f *facts) {
			f.Collecting, f.Collections = share, collectionsLeast
			for i, n := range bytes {
				f.Refs.Children[i].Scan = n
				f.Refs.Scan += n
			}
		}
	}
	testFindings(t, findCollections, []findingTest{
		{"a grid", scans(0.3, 20*mb, mb), []string{"main.cache"}},
		{"an element of it", func(f *facts) {
			scans(0.3, 20*mb, mb)(f)
			f.Refs.Children[0].Children = []*element{{Name: "cache.rows []*row", Scan: 3 * mb}, {Name: "cache.cells []*cell", Scan: 15 * mb}}
		}, []string{"main.cache > cache.cells []*cell"}},
		{"many places", scans(0.3, 9*mb, 20*mb), []string{"GOGC, GOMEMLIMIT"}},
		{"many goroutines", func(f *facts) {
			f.Refs.Children[0].Name = stackRoot
			f.Refs.Children[0].Children = []*element{{Name: "main.a", Scan: 8 * mb}, {Name: "main.b", Scan: 8 * mb}}
			scans(0.3, 18*mb)(f)
		}, []string{"GOGC, GOMEMLIMIT"}},
		{"one function's goroutines", func(f *facts) {
			f.Refs.Children[0].Name = stackRoot
			f.Refs.Children[0].Children = []*element{{Name: "main.a", Scan: 17 * mb}, {Name: "main.b", Scan: mb}}
			scans(0.3, 18*mb)(f)
		}, []string{stackRoot + pathSeparator + "main.a"}},
		{"an unchanged toolchain", func(f *facts) {
			scans(0.3)(f)
			f.Refs = nil
		}, []string{"GOGC, GOMEMLIMIT"}},
		{"a small heap", scans(0.3, 7*mb), []string{"GOGC, GOMEMLIMIT"}},
		{"little time", scans(0.19, 20*mb), nil},
		{"at the start", func(f *facts) {
			scans(0.9, 20*mb)(f)
			f.Collections--
		}, nil},
		{"two takes", func(f *facts) {
			scans(0.3, 20*mb)(f)
			f.Compare = true
		}, nil},
	})
}

func TestReadCollecting(t *testing.T) {
	for text, want := range map[string]float64{
		"x\n# NumGC = 5\n# GCCPUFraction = 0.25\n# DebugGC = false\n": 0.25,
		"\n# GCCPUFraction = 3.2e-05":                                 3.2e-05,
		"\n# GCCPUFraction = NaN\n":                                   0,
		"\n# GCCPUFraction = 17\n":                                    0,
		"\n# GCCPUFraction =\n":                                       0,
		"":                                                            0,
	} {
		if got := readCollecting([]byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// TestCollectionsText has facts that change what the finding says.
func TestCollectionsText(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*facts)
		detail string
		group  int
	}{
		{"GOGC", func(f *facts) {}, "the heap is collected at 60 MB: a larger GOGC or GOMEMLIMIT trades memory for time", standing},
		{"GOGC=off", func(f *facts) { f.NextGC = 1 << 62 }, "", standing},
		{"asked for", func(f *facts) { f.Forced = 60 }, "60 of 100 collections were asked for by the program, as with runtime.GC", standing},
		{"over", func(f *facts) { f.Moments[spaced+1].Cycle = 9 }, "the heap is collected at 60 MB: a larger GOGC or GOMEMLIMIT trades memory for time", past},
	} {
		f := atRest()
		f.Collecting, f.Collections = 0.3, 100
		f.Moments[spaced+1].Cycle = 50
		test.change(f)
		x := findCollections(f)[0]
		if detail := strings.Join(x.Details, "\n"); detail != test.detail || x.group != test.group {
			t.Errorf("%s: %q, group %d", test.name, detail, x.group)
		}
	}
}
