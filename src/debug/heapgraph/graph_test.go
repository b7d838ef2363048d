// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph_test

import (
	. "debug/heapgraph"
	"reflect"
	"slices"
	"testing"
)

// read reads the graph of a file.
func read(b []byte, o *Options) (*Graph, error) {
	f, err := open(b)
	if err != nil {
		return nil, err
	}
	return f.Graph(o)
}

// graph returns the graph.
func (s *snapshot) graph(t testing.TB, o *Options) *Graph {
	t.Helper()
	g, err := read(s.encode(t), o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// object returns the object whose slot has the address in words.
func object(t testing.TB, g *Graph, addr uint64) Vertex {
	t.Helper()
	v, ok := g.Object(int64(addr) * int64(g.PointerSize))
	if !ok || g.Address(v) != int64(addr)*int64(g.PointerSize) {
		t.Fatalf("no object at word %d: vertex %d, %v", addr, v, ok)
	}
	return v
}

// vertex returns the vertex that has a name.
func vertex(t testing.TB, g *Graph, name string) Vertex {
	t.Helper()
	for v := range g.NumVertices() {
		if g.Name(Vertex(v)) == name {
			return Vertex(v)
		}
	}
	t.Fatalf("no vertex %q", name)
	return 0
}

func TestVertices(t *testing.T) {
	s := newServer()
	g := s.graph(t, nil)
	if from, to := g.Objects(); to-from != 8 || int(to) != g.NumVertices() {
		t.Errorf("objects are %d to %d of %d", from, to, g.NumVertices())
	}
	for _, test := range []struct {
		v      Vertex
		kind   Kind
		second bool
		size   int64
		name   string
		path   string
	}{
		{All, KindAll, false, 0, "(all roots)", ""},
		{1, KindRoot, false, 0, "example.com/app.server", "example.com/app.server"},
		{2, KindGoroutine, false, 0, "goroutine example.com/app.serve", ""},
		{3, KindGoroutine, false, 0, "goroutine example.com/app.serve", ""},
		{4, KindRoot, true, 0, "(write barrier)", "(write barrier)"},
		{5, KindGoroutine, true, 0, "goroutine example.com/app.main (second class)", ""},
		{object(t, g, s.session[1]), KindObject, false, 64, "app.Session", "example.com/app.server > example.com/app.server []*Session > []*app.Session[elem]"},
		{object(t, g, s.buf), KindObject, false, 96, "[]uint8", "example.com/app.server > example.com/app.server []*Session > []*app.Session[elem] > example.com/app.Session.bufs [2][]uint8"},
		{object(t, g, s.table), KindObject, false, 32768, "[]*app.Session", "example.com/app.server > example.com/app.server []*Session"},
		{object(t, g, s.extra), KindObject, false, 16, Unknown, ""},
	} {
		if g.Kind(test.v) != test.kind || g.SecondClass(test.v) != test.second || g.Size(test.v) != test.size ||
			g.Name(test.v) != test.name || JoinPath(g.Path(test.v)) != test.path {
			t.Errorf("vertex %d is %v, %v, %d bytes, %q, %q", test.v, g.Kind(test.v), g.SecondClass(test.v),
				g.Size(test.v), g.Name(test.v), JoinPath(g.Path(test.v)))
		}
	}
	want := []Goroutine{{2, "example.com/app.serve", "select", [][2]string{{"user", "gopher"}}, 0, Creator{}}}
	if got := g.Goroutines(2); !reflect.DeepEqual(got, want) {
		t.Errorf("goroutines are %v", got)
	}
	if v, ok := g.Object(int64(s.session[2]+8) * 8); ok {
		t.Errorf("a free slot has vertex %d", v)
	}
}

func TestByFunc(t *testing.T) {
	s := newServer()
	s.rootRef(2, 8, s.session[1])
	s.rootRef(3, 8, s.session[1])
	g := s.graph(t, &Options{ByFunc: true})
	v := vertex(t, g, "goroutine example.com/app.serve")
	if got := g.Goroutines(v); len(got) != 2 || got[0].Number != 2 || got[1].Number != 3 {
		t.Errorf("goroutines are %v", got)
	}
	if n := len(slices.Collect(g.Targets(v))); n != 2 {
		t.Errorf("there are %d references, want 2", n)
	}
}
