// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "testing"

func TestFindClasses(t *testing.T) {
	testFindings(t, findClasses, []findingTest{
		{"stacks", func(f *facts) { f.growing(stacks, mb) }, []string{"stacks"}},
		{"runtime", func(f *facts) { f.growing(structures, mb) }, []string{"runtime"}},
		{"runtime, for more objects and stacks", func(f *facts) {
			f.growing(structures, mb)
			f.growing(live, 8*mb)
			f.growing(stacks, 2*mb)
			f.Places = []place{{Code: "main.watch", Counts: counts(100, 20)}}
		}, nil},
		{"runtime, more than these need", func(f *facts) {
			f.growing(structures, mb)
			f.growing(live, 9*mb)
			f.growing(stacks, mb/2)
			f.Places = []place{{Code: "main.watch", Counts: counts(100, 20)}}
		}, []string{"runtime"}},
		{"runtime, for more goroutines", func(f *facts) {
			f.growing(structures, mb)
			f.Places = []place{{Code: "main.watch", Counts: counts(100, 1000)}}
		}, nil},
		{"C", func(f *facts) { f.growing(foreign, mb) }, []string{"other"}},
		{"C, of which all is mapped", func(f *facts) {
			f.growing(foreign, mb)
			f.growing(mappings, mb)
		}, nil},
		{"C since the base, while mappings came and went", func(f *facts) {
			f.growing(foreign, mb)
			f.growing(mappings, mb)
			twoTakes(f)
			f.Mapped = []mapping{{Code: "main.load", Mapped: []int64{0, 90 * mb}, Unmapped: []int64{0, 82 * mb}}}
		}, []string{"other"}},
		{"C since the base, of which all is mapped", func(f *facts) {
			f.growing(foreign, mb)
			f.growing(mappings, mb)
			twoTakes(f)
			f.Mapped = []mapping{{Code: "main.load", Mapped: []int64{0, 8 * mb}, Unmapped: []int64{0, 0}}}
		}, nil},
		{"a database reads its mapped file", func(f *facts) {
			f.growing(foreign, mb)
			for _, m := range f.Moments {
				m.Classes[mappings] = 100 * mb
			}
		}, nil},
		{"C, less than its share", func(f *facts) { f.growing(foreign, mb/2) }, nil},
		{"stacks, less than the least", func(f *facts) { f.growing(stacks, mb/4) }, nil},
		{"stacks of more goroutines", func(f *facts) {
			f.growing(stacks, mb)
			f.Places = []place{{Code: "main.watch", Counts: counts(100, 20)}}
		}, nil},
		{"stacks of leaked goroutines", func(f *facts) {
			f.growing(stacks, mb)
			f.Places = []place{{Code: "main.watch", Counts: counts(1000, 10)}}
			f.Leaked = []place{{Code: "main.watch", Counts: []int64{1000}}}
		}, nil},
		{"once", func(f *facts) {
			for i := 3; i < len(f.Moments); i++ {
				f.Moments[i].Classes[stacks] += 7 * mb
			}
		}, nil},
		{"up and down", func(f *facts) {
			f.growing(stacks, mb)
			f.Moments[4].Classes[stacks] -= mb
		}, nil},
		{"not known", func(f *facts) {
			for _, m := range f.Moments {
				delete(m.Classes, foreign)
			}
		}, nil},
	})
}
