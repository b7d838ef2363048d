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
		{"two takes", func(f *facts) {
			twoTakes(f)
			f.Mapped = []mapping{{Code: "main.load a/index.go:41", Mapped: []int64{50 * mb, 62 * mb}, Unmapped: []int64{0, 0}}}
		}, []string{"main.load a/index.go:41"}},
		{"two takes of two processes", func(f *facts) {
			twoTakes(f)
			f.Mapped = []mapping{{Code: "main.load a/index.go:41", Mapped: []int64{50 * mb, 30 * mb}, Unmapped: []int64{40 * mb, 0}}}
		}, []string{"main.load a/index.go:41"}},
		{"two takes, and it has unmapped", func(f *facts) {
			twoTakes(f)
			f.Mapped = []mapping{{Code: "main.load a/index.go:41", Mapped: []int64{50 * mb, 90 * mb}, Unmapped: []int64{0, 10 * mb}}}
		}, nil},
	})
}

// twoTakes makes facts of a watch into those of two takes, of its first and last
// moments.
func twoTakes(f *facts) {
	f.Compare, f.base = true, f.take
	f.Moments = []moment{f.Moments[0], f.Moments[len(f.Moments)-1]}
}

// TestMappedSince compares a server that maps with itself, and with another build
// of it.
func TestMappedSince(t *testing.T) {
	for _, step := range []int64{0, mb / 8, 3 * mb} {
		base, k := makeTake(t, sizes{}), makeTake(t, sizes{mapStep: step})
		base.files["growth.8.pb.gz"] = encode(t, makeProfile("unmapped_space mapped_space", nil,
			row{[]int64{0, 10 * mb}, "syscall.Mmap@/go/s.go < main.load@/other/b.go < main.main@/other/b.go", "kind=mmap"}))
		f := compared(base, k)
		want := []finding(nil)
		if step == 3*mb {
			want = []finding{{Place: "main.load m/a.go:7", Bytes: 8 * step}}
		}
		all := find(f)
		if len(all) != len(want) || len(all) > 0 && (all[0].Place != want[0].Place || all[0].Bytes != want[0].Bytes || all[0].Kind != "mapped-growth") {
			t.Errorf("%d bytes at each moment: %+v", step, all)
		}
	}
}
