// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The tests of findings change the facts of a server at rest, or under steady
// load, which have no finding.

package main

import (
	"testing"
	"time"
)

const mb = 1_000_000

// atRest returns the facts of a server of 100 MB at rest.
func atRest() *facts {
	f := &facts{
		Program:  "server",
		Time:     time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC),
		Watch:    30 * time.Second,
		RefsTime: 30 * time.Second,
		take:     &take{dir: "in", Moments: make([]float64, spaced+2), files: map[string][]byte{"memory.0.pb.gz": {}}},
		NextGC:   60 * mb,
		Stacks:   stackUse{Total: 4 * mb, Free: 2 * mb, Goroutines: 500, Filler: "main.serve a/b.go:1", Bytes: mb, Instances: 500},
		Peak:     peak{Bytes: 80 * mb, Code: "main.read", Share: 40 * mb, Time: time.Date(2026, 11, 1, 11, 0, 0, 0, time.UTC)},
		Refs: &element{Bytes: 30 * mb, Objects: 1000, Children: []*element{
			{Name: "main.cache", Root: "global", Bytes: 25 * mb, Objects: 900},
			{Name: "(write barrier)", Root: "barrier", Bytes: 5 * mb, Objects: 100},
		}},
	}
	for i := range f.take.Moments {
		f.Moments = append(f.Moments, moment{At: time.Duration(i) * 6 * time.Second, Cycle: 1, Live: 30 * mb, Classes: map[class]int64{
			resident: 100 * mb, live: 30 * mb, recent: 20 * mb, fragmented: 5 * mb, free: 20 * mb,
			stacks: 4 * mb, structures: 6 * mb, foreign: 15 * mb, mappings: 0}})
	}
	return f
}

// growing adds n bytes to a class at each moment after the first.
func (f *facts) growing(c class, n int64) {
	for i := range f.Moments {
		f.Moments[i].Classes[c] += int64(i) * n
		if c == objects {
			f.Moments[i].Live += int64(i) * n
		}
	}
}

// counts returns a number for each moment: a, a+step, ...
func counts(a, step int64) (all []int64) {
	for i := range spaced + 2 {
		all = append(all, a+int64(i)*step)
	}
	return all
}

// A findingTest changes facts; want are the places of the findings then.
type findingTest struct {
	name   string
	change func(*facts)
	want   []string
}

func testFindings(t *testing.T, kind func(*facts) []finding, tests []findingTest) {
	t.Helper()
	for _, test := range append(tests, findingTest{name: "at rest"}) {
		f := atRest()
		if test.change != nil {
			test.change(f)
		}
		got := kind(f)
		if len(got) != len(test.want) {
			t.Errorf("%s: %d findings, want %d: %+v", test.name, len(got), len(test.want), got)
			continue
		}
		for i, x := range got {
			if x.Place != test.want[i] {
				t.Errorf("%s: place %q, want %q", test.name, x.Place, test.want[i])
			}
			if x.Text == "" || x.More == "" || x.Profile == "" || x.Signature == "" || x.Bytes <= 0 {
				t.Errorf("%s: not complete: %+v", test.name, x)
			}
		}
		if other := find(f); len(other) < len(got) {
			t.Errorf("%s: find has %d findings, want %d at least", test.name, len(other), len(got))
		}
	}
}

func TestAtRest(t *testing.T) {
	if all := find(atRest()); len(all) > 0 {
		t.Errorf("a server at rest has findings: %+v", all)
	}
}
