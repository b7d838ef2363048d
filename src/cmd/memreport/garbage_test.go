// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "testing"

func TestFindGarbage(t *testing.T) {
	with := func(recentBytes, goal int64) func(*facts) {
		return func(f *facts) {
			f.Moments[0].Classes[recent] = recentBytes
			f.NextGC = goal
		}
	}
	testFindings(t, findGarbage, []findingTest{
		{"GOGC=400", with(70*mb, 170*mb), []string{"GOGC, GOMEMLIMIT"}},
		{"GOGC=off", with(70*mb, 1<<62), []string{"GOGC, GOMEMLIMIT"}},
		{"GOGC=100", with(70*mb, 70*mb), nil},
		{"GOGC=100, and more was alive", func(f *facts) {
			with(70*mb, 170*mb)(f)
			f.Moments[0].Live = 80 * mb
		}, nil},
		{"GOGC=400, soon after a collection", with(20*mb, 170*mb), nil},
		{"GOGC=400 in a small process", func(f *facts) {
			with(31*mb, 170*mb)(f)
			f.Moments[spaced].Classes[resident] = 50 * mb
		}, nil},
		{"GOGC=off, and no collection", func(f *facts) {
			with(70*mb, 1<<62)(f)
			f.Moments[0].Live, f.Moments[0].Cycle = 0, 0
		}, []string{"GOGC, GOMEMLIMIT"}},
		{"before the first collection", func(f *facts) {
			with(70*mb, 100*mb)(f)
			f.Moments[0].Live, f.Moments[0].Cycle = 0, 0
		}, nil},
		{"the live heap is not known", func(f *facts) {
			with(70*mb, 170*mb)(f)
			f.Moments[0].Live = 0
		}, nil},
	})
}
