// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph_test

import (
	. "debug/heapgraph"
	format "internal/heapgraph"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

func TestReferences(t *testing.T) {
	s := newServer()
	g := s.graph(t, nil)
	at := func(a uint64) Vertex { return object(t, g, a) }
	for v, want := range map[Vertex][]Reference{
		2:                {{2, at(s.session[0]), "example.com/app.serve > example.com/app.serve.s *Session", -1, false, false}},
		at(s.session[0]): {{at(s.session[0]), at(s.conf), "conf", 0, false, false}},
		at(s.session[1]): {
			{at(s.session[1]), at(s.conf), "conf", 0, false, false},
			{at(s.session[1]), at(s.buf), "bufs[1].ptr", 32, false, false},
		},
		at(s.session[2]): {
			{at(s.session[2]), at(s.conf), "conf", 0, false, false},
			{at(s.session[2]), at(s.fin), "(cleanup) example.com/app.done", -1, false, false},
		},
		at(s.table): {
			{at(s.table), at(s.session[0]), "[0]", 0, false, false},
			{at(s.table), at(s.session[0]), "[3]", 24, true, false},
			{at(s.table), at(s.session[2]), "[6]", 48, false, false},
			{at(s.table), at(s.session[1]), "[3]", 24, true, false},
		},
	} {
		if got := g.References(v); !reflect.DeepEqual(got, want) {
			t.Errorf("references from %d:\ngot  %v\nwant %v", v, got, want)
		}
	}
	for v := range Vertex(g.NumVertices()) {
		for i, r := range g.References(v) {
			if got := g.Reference(v, i); got != r {
				t.Errorf("reference %d from %d is %v, want %v", i, v, got, r)
			}
			if n := len(slices.DeleteFunc(g.Referrers(r.To), func(x Reference) bool { return x != r })); n != 1 {
				t.Errorf("%v is %d times in the referrers", r, n)
			}
		}
	}
}

// TestSmallestSlots names references in objects of 8 bytes, in which a 32-bit
// system has one struct with one pointer, or two.
func TestSmallestSlots(t *testing.T) {
	s := &snapshot{meta: map[string]string{"pointer.size": "4"}}
	typ := s.typ("p.reader", 4, format.Field{Name: s.str("of"), Type: s.typ("*p.object", 4)})
	root := s.root(format.FirstClass, "p.all")
	pointer, slice := s.node(root, "", "p.reader", typ), s.node(root, "", "[]p.reader", typ)
	small, large, to := s.span(3, 2), s.span(1, 4), s.span(1, 8)
	var got []string
	for _, x := range []struct{ object, node uint64 }{{small, pointer}, {small + 2, pointer}, {small + 4, slice}, {large, pointer}} {
		s.claim(x.object, x.node)
		s.rootRef(0, x.node, x.object)
		s.ref(x.object, to)
	}
	s.ref(small+3, to)
	s.ref(small+5, to)
	g := s.graph(t, nil)
	for _, o := range []uint64{small, small + 2, small + 4, large} {
		v, ok := g.Object(int64(o) * 4)
		if !ok {
			t.Fatalf("no object at word %d", o)
		}
		for _, r := range g.References(v) {
			got = append(got, r.Field)
		}
	}
	if want := []string{"of", "of", "[1].of", "[0].of", "[1].of", "[0].of"}; !slices.Equal(got, want) {
		t.Errorf("fields are %q, want %q", got, want)
	}
}

// TestModelReferences checks that the targets of references are those of
// Targets, and that the words of references are the words that were written.
func TestModelReferences(t *testing.T) {
	for seed := range seeds(120) {
		m := randomModel(rand.New(rand.NewPCG(seed, 1)), 60)
		vertices := m.read(t)
		for _, name := range m.names {
			v := vertices[name]
			var got []Vertex
			for _, r := range m.g.References(v) {
				got = append(got, r.To)
				if m.size[name] != 0 && r.Offset >= 0 {
					word := uint64(m.g.Address(v)+r.Offset) / 8
					if !slices.Contains(m.out[name], edge{m.nameOf(vertices, r.To), word}) {
						t.Fatalf("seed %d: %s has no reference %v", seed, name, r)
					}
				}
			}
			if !slices.Equal(got, slices.Collect(m.g.Targets(v))) {
				t.Fatalf("seed %d: Targets of %s differ from References", seed, name)
			}
		}
	}
}

func (m *model) nameOf(vertices map[string]Vertex, v Vertex) string {
	for name, x := range vertices {
		if x == v {
			return name
		}
	}
	return ""
}

// TestRecursiveTypes names references in types that contain themselves, at
// offset 0 and in arrays.
func TestRecursiveTypes(t *testing.T) {
	s := newServer()
	for i := range s.types {
		x := &s.types[i]
		x.Fields = []format.Field{{Name: s.str(format.Elem), Type: uint64(i + 1)}, {Name: s.str("f"), Type: uint64(i + 1)}}
	}
	g := s.graph(t, nil)
	for v := range Vertex(g.NumVertices()) {
		g.References(v)
	}
}
