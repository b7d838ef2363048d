// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph_test

import (
	. "debug/heapgraph"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestShortestPath compares lengths of paths with distances.
func TestShortestPath(t *testing.T) {
	for seed := range seeds(100) {
		m := randomModel(rand.New(rand.NewPCG(seed, 5)), 60)
		vertices := m.read(t)
		distance := map[string]int{all: 0}
		for queue := []string{all}; len(queue) > 0; queue = queue[1:] {
			v := queue[0]
			for _, e := range m.out[v] {
				if _, ok := distance[e.to]; !ok && m.counts(v, e.to) {
					distance[e.to] = distance[v] + 1
					queue = append(queue, e.to)
				}
			}
		}
		for _, name := range m.names {
			want := max(0, distance[name]-1)
			path := m.g.ShortestPath(vertices[name])
			if len(path) != want {
				t.Fatalf("seed %d: path to %s has %d references, want %d", seed, name, len(path), want)
			}
			m.checkPath(t, vertices, path, name)
		}
	}
}

// checkPath checks that a path leads from a root to a vertex by references that
// count.
func (m *model) checkPath(t *testing.T, vertices map[string]Vertex, path []Reference, name string) {
	t.Helper()
	if len(path) == 0 {
		return
	}
	if path[len(path)-1].To != vertices[name] {
		t.Fatalf("path to %s is %v", name, path)
	}
	if _, end := m.g.Roots(); path[0].From == All || path[0].From >= end {
		t.Fatalf("path to %s begins at %d, which is no root", name, path[0].From)
	}
	for i, r := range path {
		if i > 0 && r.From != path[i-1].To {
			t.Fatalf("path to %s has a gap: %v", name, path)
		}
		if !slices.Contains(m.g.References(r.From), r) {
			t.Fatalf("path to %s has the reference %v, which does not exist", name, r)
		}
		if !m.counts(m.nameOf(vertices, r.From), m.nameOf(vertices, r.To)) {
			t.Fatalf("path to %s has the reference %v, which does not count", name, r)
		}
	}
}

// TestDisjointPaths checks that the paths have no vertex in common, and that
// the cut proves that there are no more paths.
func TestDisjointPaths(t *testing.T) {
	most := 0
	for seed := range seeds(150) {
		m := randomModel(rand.New(rand.NewPCG(seed, 6)), 25)
		vertices := m.read(t)
		for _, name := range m.names[m.roots+1:] {
			v := vertices[name]
			p := m.g.DisjointPaths(v, 100)
			seen := make(map[Vertex]bool)
			for _, path := range p.Paths {
				m.checkPath(t, vertices, path, name)
				for _, r := range path {
					if seen[r.From] || r.From == v {
						t.Fatalf("seed %d: paths to %s have %d in common: %v", seed, name, r.From, p.Paths)
					}
					seen[r.From] = true
				}
			}
			most = max(most, len(p.Paths))
			if !m.g.Dominators().Reached(v) {
				if len(p.Paths) != 0 {
					t.Fatalf("seed %d: %s is not reached and has paths", seed, name)
				}
				continue
			}
			m.checkCut(t, vertices, p, name)
			if few := m.g.DisjointPaths(v, 1); len(few.Paths) != 1 || few.More != (len(few.Cut) == 0) {
				t.Fatalf("seed %d: with limit 1, %s has %v", seed, name, few)
			}
		}
	}
	if most < 4 {
		t.Errorf("no vertex has more than %d paths", most)
	}
}

// checkCut checks that a cut has as many vertices as there are paths, that the
// named vertex is not reached if the cut is removed, and that it is reached if
// any one vertex of the cut is not removed.
func (m *model) checkCut(t *testing.T, vertices map[string]Vertex, p *Paths, name string) {
	t.Helper()
	if p.More || len(p.Cut) != len(p.Paths) {
		t.Fatalf("%s has %d paths, and the cut %v", name, len(p.Paths), p.Cut)
	}
	var cut []string
	for _, v := range p.Cut {
		cut = append(cut, m.nameOf(vertices, v))
	}
	if m.reached(cut...)[name] {
		t.Fatalf("%s is reached without %v", name, cut)
	}
	for i := range cut {
		if part := slices.Delete(slices.Clone(cut), i, i+1); !m.reached(part...)[name] {
			t.Fatalf("%s is not reached without %v", name, part)
		}
	}
}

// TestCut checks that the cut is the one nearest to its object.
func TestCut(t *testing.T) {
	s := newServer()
	g := s.graph(t, nil)
	at := func(a uint64) Vertex { return object(t, g, a) }
	for _, test := range []struct {
		name  string
		v     Vertex
		paths int
		cut   []Vertex
	}{
		{"table", at(s.table), 1, []Vertex{1}},
		{"session 0", at(s.session[0]), 3, []Vertex{2, 3, at(s.table)}},
		{"session 1", at(s.session[1]), 1, []Vertex{at(s.table)}},
		{"buffer", at(s.buf), 1, []Vertex{at(s.session[1])}},
		{"configuration", at(s.conf), 2, []Vertex{at(s.session[0]), at(s.table)}},
	} {
		p := g.DisjointPaths(test.v, 10)
		if len(p.Paths) != test.paths || !slices.Equal(p.Cut, test.cut) || p.More {
			t.Errorf("%s: %d paths, cut %v, want %d and %v", test.name, len(p.Paths), p.Cut, test.paths, test.cut)
		}
	}
}
