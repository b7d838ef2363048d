// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"bytes"
	"internal/profile"
	"maps"
	"slices"
	"strings"
	"testing"
)

type (
	iteratedKey  [33]*int
	iteratedElem [35]*int
)

// iterate deletes a key and an element of a map to which only the iterator then
// refers, because they are so large that the map has pointers to them.
func iterate(ready, done chan bool) {
	m := make(map[iteratedKey]iteratedElem)
	for range 3 {
		m[iteratedKey{new(int)}] = iteratedElem{new(int)}
	}
	for k := range m {
		delete(m, k)
		ready <- true
		<-done
	}
	ready <- true
}

// TestRefsMapIterator checks the paths of the objects to which an iterator over
// a map refers: they are as below the map itself.
func TestRefsMapIterator(t *testing.T) {
	ready, done := make(chan bool), make(chan bool)
	go iterate(ready, done)
	<-ready
	var buf bytes.Buffer
	if err := Lookup("refs").WriteTo(&buf, 0); err != nil {
		t.Fatal(err)
	}
	close(done)
	for range 3 {
		<-ready
	}
	p, err := profile.Parse(&buf)
	if err != nil {
		t.Fatal(err)
	}
	const of = "map[pprof.iteratedKey]pprof.iteratedElem"
	got := make(map[string]int64)
	for _, s := range p.Sample {
		var path []string
		for _, l := range s.Location {
			path = append(path, l.Line[0].Function.Name)
		}
		if i := slices.Index(path, "runtime/pprof.iterate.(temporary) maps.Iter"); i >= 0 && strings.HasPrefix(path[0], of) {
			got[strings.Join(path[:i], " < ")] += s.Value[0]
		}
	}
	const from = " < internal/runtime/maps.Iter.m *Map"
	if want := map[string]int64{of + "[key]" + from: 1, of + "[value]" + from: 1}; !maps.Equal(got, want) {
		t.Errorf("an iterator refers to %v, want %v", got, want)
	}
}
