// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "testing"

func TestFindLeaked(t *testing.T) {
	leak := func(n int64) func(*facts) {
		return func(f *facts) {
			f.Leaked = []place{{Code: "main.watch a/b.go:9", Start: "main.start", Counts: []int64{n}}}
		}
	}
	testFindings(t, findLeaked, []findingTest{
		{"leaked", leak(4600), []string{"main.watch a/b.go:9"}},
		{"the least", leak(leakedLeast), []string{"main.watch a/b.go:9"}},
		{"as many as before", func(f *facts) {
			leak(leakedLeast)(f)
			f.Places = []place{{Code: "main.watch a/b.go:9", Counts: counts(leakedLeast, 0)}}
		}, []string{"main.watch a/b.go:9"}},
		{"one less", leak(leakedLeast - 1), nil},
	})
}

// TestLeakedBefore orders goroutines that have leaked before the watch.
func TestLeakedBefore(t *testing.T) {
	for step, want := range map[int64]int{0: standing, 1: growing, -1: standing} {
		f := atRest()
		f.Leaked = []place{{Code: "main.watch a/b.go:9", Counts: []int64{100}}}
		f.Places = []place{{Code: "main.watch a/b.go:9", Counts: counts(100, step)}}
		if got := findLeaked(f)[0].group; got != want {
			t.Errorf("%d more at each moment: group %d, want %d", step, got, want)
		}
	}
}
