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
		{"one less", leak(leakedLeast - 1), nil},
	})
}
