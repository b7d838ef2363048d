// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package core

import (
	"debug/heapgraph"
	"internal/testenv"
	"path/filepath"
	"testing"
)

// TestCycles counts the objects of each type that are in cycles, in the graph
// that a program has written and in the one of its core file.
func TestCycles(t *testing.T) {
	testenv.MustHaveGoBuild(t)
	dir := t.TempDir()
	m := mode{program: "testdata/cycles", own: true, args: []string{"-wait"}}
	exe := m.build(t, dir)
	process := filepath.Join(dir, "process.graph")
	core := m.run(t, dir, exe, process)
	name := filepath.Join(dir, "core.graph")
	writeFile(t, name, exe, core)
	for _, name := range []string{process, name} {
		checkCycles(t, name)
	}
}

func checkCycles(t *testing.T, name string) {
	f, err := heapgraph.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	g, err := f.Graph(nil)
	if err != nil {
		t.Fatal(err)
	}
	const n = 50
	got, special := make(map[string]int), make(map[string]string)
	from, to := g.Objects()
	for v := from; v < to; v++ {
		c := g.Cycle(v)
		if c == nil {
			continue
		}
		got[g.Type(v)]++
		special[g.Type(v)] = c.Special
		path := c.Path()
		if first, last := path[0].From, path[len(path)-1].To; first != last {
			t.Errorf("%s: the path of %s leads from %d to %d", filepath.Base(name), g.Type(v), first, last)
		}
	}
	for typ, want := range map[string]struct {
		n       int
		special string
	}{
		"main.captured": {n, "(finalizer) *main.captured"},
		"main.owner":    {n, "(finalizer) *main.captured"},
		"main.ring":     {2 * n, "(finalizer) *main.ring"},
		"main.self":     {n, "(finalizer) *main.self"},
		"main.argument": {n, "(cleanup) main.linkDone"},
		"main.link":     {n, "(cleanup) main.linkDone"},
		"main.pair":     {2 * n, "(cleanup) main.pairDone"},
		"main.used":     {n, "(finalizer) *main.used"},
		"main.near":     {},
		"main.nearLink": {},
	} {
		if got[typ] != want.n || special[typ] != want.special {
			t.Errorf("%s: %d objects of type %s are in cycles of %q, want %d of %q", filepath.Base(name), got[typ], typ, special[typ], want.n, want.special)
		}
	}
	roots := map[string]int{
		"(finalizer) *main.captured":  n,
		"(finalizer) *main.ring":      n,
		"(finalizer) *main.self":      n,
		"(cleanup) main.linkDone":     n,
		"(finalizer) *main.near":      0,
		"(cleanup) main.nearLinkDone": 0,
	}
	from, to = g.Roots()
	for v := from; v < to; v++ {
		want, ok := roots[g.Name(v)]
		if c := g.Cycle(v); ok && (c == nil && want != 0 || c != nil && c.Objects != want) {
			t.Errorf("%s: the cycles of %s are %+v, want %d objects", filepath.Base(name), g.Name(v), c, want)
		}
	}
}
