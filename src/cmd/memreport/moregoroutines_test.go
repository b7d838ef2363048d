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

// TestGoroutinesOfBuilds compares two builds, of which the newer one has other
// lines and numbers of closures.
func TestGoroutinesOfBuilds(t *testing.T) {
	at := func(n int64, stacks ...string) *take {
		k := makeTake(t, sizes{})
		var rows []row
		for _, stack := range stacks {
			rows = append(rows, row{[]int64{n}, stack, ""})
		}
		k.files["goroutine.8.pb.gz"] = encode(t, makeProfile("goroutine", nil, rows...))
		return k
	}
	base := at(100, "main.wait@/m/a.go < main.start.func1@/m/a.go", "main.serve.func1@/m/a.go")
	newer := []string{"main.wait@/m/b.go < main.start.func2@/m/b.go", "main.serve.func3-range1@/m/b.go"}
	for n, want := range map[int64]int{100: 0, 140: 0, 200: 2} {
		f := compared(base, at(n, newer...))
		all := findGoroutines(f)
		if len(all) != want {
			t.Errorf("%d goroutines, %d before: %+v", n, 100, all)
		}
		for _, p := range f.Places {
			if len(p.Counts) != 2 || p.Counts[0] != 100 || p.Counts[1] != n {
				t.Errorf("%d goroutines at %+v", n, p)
			}
		}
		if len(all) > 0 && (all[0].came != n-100 || all[1].came != n-100 || all[0].Place != "main.serve.func3-range1 m/b.go:7") {
			t.Errorf("%d goroutines: %+v", n, all)
		}
	}
}
