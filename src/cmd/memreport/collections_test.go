// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "testing"

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
