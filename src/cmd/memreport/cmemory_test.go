// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// cProfile returns a profile cmemory in which each function, written as
// FUNCTION FILE, has bytes. Stacks are leaf first.
func cProfile(bytes []int64, stacks ...[]string) *profile.Profile {
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "inuse_space", Unit: "bytes"}}}
	for i, stack := range stacks {
		s := &profile.Sample{Value: []int64{bytes[i]}}
		for _, text := range stack {
			name, file, _ := strings.Cut(text, " ")
			fn := &profile.Function{ID: uint64(len(p.Function) + 1), Name: name, Filename: file}
			p.Function = append(p.Function, fn)
			l := &profile.Location{ID: fn.ID, Line: []profile.Line{{Function: fn, Line: 7}}}
			p.Location = append(p.Location, l)
			s.Location = append(s.Location, l)
		}
		p.Sample = append(p.Sample, s)
	}
	return p
}

// TestForeignC has C's heap grow for code of Go's and on a thread of C's.
func TestForeignC(t *testing.T) {
	f := newFacts(makeTake(t, sizes{}))
	f.growing(foreign, mb)
	f.growing("c-heap", mb)
	if all := findClasses(f); len(all) != 1 || !slices.Contains(all[0].Details, importForC) {
		t.Fatalf("without a profile: %+v", all)
	}
	last := &f.Moments[len(f.Moments)-1]
	last.Race = true
	if all := findClasses(f); len(all) != 1 || slices.Contains(all[0].Details, importForC) || !slices.Contains(all[0].Details, raceHidesC) {
		t.Fatalf("with -race: %+v", all)
	}
	last.Race = false
	f.take.files[numbered("cmemory", 0)] = []byte{}
	if all := findClasses(f); len(all) != 1 || slices.Contains(all[0].Details, importForC) {
		t.Fatalf("with a profile that is not complete: %+v", all)
	}
	stacks := [][]string{
		{"sqlite3Malloc /usr/lib/libsqlite3.so", "example.com/sqlite._Cfunc_prepare _cgo_gotypes.go", "example.com/sqlite.(*Conn).Prepare /m/sqlite/conn.go", "main.query /m/app/query.go"},
		{"grow.part.0 /usr/lib/libworker.so", "runtime/cgo/mallocprofile._CThread "},
		{"keep /m/app/app", "main.keep /m/app/keep.go"},
	}
	f.take.files[numbered("cmemory", len(f.take.Moments)-1)] = []byte{}
	f.addC(cProfile([]int64{mb, mb, 90 * mb}, stacks...), cProfile([]int64{6 * mb, 4 * mb, 90 * mb}, stacks...))
	all := findClasses(f)
	if len(all) != 1 {
		t.Fatalf("%d findings", len(all))
	}
	for _, want := range []string{"5.0 MB by C for example.com/sqlite.(*Conn).Prepare sqlite/conn.go:7", "3.0 MB by C for grow.part.0 of libworker.so"} {
		if !slices.Contains(all[0].Details, want) {
			t.Errorf("details %q, want %q", all[0].Details, want)
		}
	}
	if strings.Contains(strings.Join(all[0].Details, "\n"), "keep") || all[0].Profile != "cmemory" || !strings.Contains(all[0].More, "cmemory.1.pb.gz") {
		t.Errorf("%+v", all[0])
	}
}

// TestImportForC advises the import for memory that may be malloc's.
func TestImportForC(t *testing.T) {
	for _, test := range []struct {
		name        string
		part, other class // that grow, the second one less
		heap        int64 // of C
		want        bool
	}{
		{"C", "c-heap", "files", mb, true},
		{"large blocks", "not-known", "files", mb, true},
		{"mapped files", "files", "c-heap", mb, false},
		{"without cgo", "not-known", "files", 0, false},
		{"threads", threadStacks, "c-heap", mb, false},
	} {
		f := newFacts(makeTake(t, sizes{}))
		for i := range f.Moments {
			f.Moments[i].Classes["c-heap"] = test.heap
		}
		f.growing(foreign, 3*mb)
		f.growing(test.part, 2*mb)
		f.growing(test.other, mb)
		all := findClasses(f)
		if len(all) != 1 || slices.Contains(all[0].Details, importForC) != test.want || slices.Contains(all[0].Details, threadsNeeded) != (test.part == threadStacks) {
			t.Errorf("%s: %+v", test.name, all)
		}
	}
}

// TestRace reads the comment of a program with the race detector.
func TestRace(t *testing.T) {
	for comment, want := range map[string]bool{
		"after GC cycle 4: memory_space (built with -race) is as of 2026-11-29T12:05:55Z": true,
		"after GC cycle 4: memory_space is as of 2026-11-29T12:05:55Z":                    false,
	} {
		m := moment{Classes: make(map[class]int64)}
		m.readMemory(&profile.Profile{Comments: []string{comment, "after GC cycle 4: 100 bytes resident"}})
		if m.Race != want || m.Cycle != 4 {
			t.Errorf("%s: got %+v", comment, m)
		}
	}
}
