// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "testing"

func TestFindMapped(t *testing.T) {
	index := func(in, out int64) func(*facts) {
		return func(f *facts) {
			f.Mapped = []mapping{{Code: "main.load a/index.go:41", Call: "syscall.Mmap", Mapped: counts(50*mb, in), Unmapped: counts(0, out)}}
		}
	}
	testFindings(t, findMapped, []findingTest{
		{"never unmapped", index(2*mb, 0), []string{"main.load a/index.go:41"}},
		{"unmapped by the same code", index(2*mb, 2*mb), nil},
		{"unmapped by other code", func(f *facts) {
			index(2*mb, 0)(f)
			f.Mapped = append(f.Mapped, mapping{Code: "main.close", Mapped: counts(0, 0), Unmapped: counts(0, 2*mb)})
		}, nil},
		{"less than the least", index(growthLeast/(spaced-1)-1, 0), nil},
		{"a database has mapped its file again", func(f *facts) {
			index(0, 0)(f)
			for i := 4; i < spaced+2; i++ {
				f.Mapped[0].Mapped[i] += 100 * mb
			}
		}, nil},
	})
}
