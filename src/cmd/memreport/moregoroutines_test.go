// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "testing"

func TestFindGoroutines(t *testing.T) {
	at := func(c []int64) func(*facts) {
		return func(f *facts) {
			f.Places = []place{{Code: "main.watch a/b.go:9", Start: "main.start", Counts: c}}
		}
	}
	once := counts(100, 0)
	for i := 3; i < len(once); i++ {
		once[i] += 1000
	}
	falls := counts(100, 20)
	falls[4] -= 20
	testFindings(t, findGoroutines, []findingTest{
		{"more and more", at(counts(100, 20)), []string{"main.watch a/b.go:9"}},
		{"they are leaked, which another finding says", func(f *facts) {
			at(counts(100, 20))(f)
			f.Leaked = []place{{Code: "main.watch a/b.go:9", Counts: []int64{200}}}
		}, nil},
		{"few", at(counts(100, moreLeast/6-1)), nil},
		{"a small part", at(counts(10000, 20)), nil},
		{"many came once", at(once), nil},
		{"up and down", at(falls), nil},
		{"fewer", at(counts(1000, -20)), nil},
	})
}
