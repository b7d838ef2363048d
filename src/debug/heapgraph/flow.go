// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds vertex-disjoint paths as a maximum flow (Menger's theorem).
// Paths begin at a vertex, follow references backwards, and end at All. Each
// vertex in between has an entrance and an exit, and at most one path goes from
// its entrance to its exit. A search for another path may go back along a path
// that was found before, which removes that part of the older path.

package heapgraph

import (
	"iter"
	"slices"
)

// A flow is a set of disjoint paths from v to All.
type flow struct {
	g     *Graph
	d     *Dominators
	v     Vertex
	paths int

	// next and prev have the vertex after and before each vertex on a path.
	// The vertex before the first vertex of a path is v. The vertex after
	// the last one, which is a root, is All.
	next, prev map[Vertex]Vertex

	// entered and left have, for each entrance and exit that the search has
	// reached, the vertex from which it came there, plus 1.
	entered, left sparse
}

// A side is the entrance or the exit of a vertex.
type side struct {
	v    Vertex
	exit bool
}

// starts returns the first vertices of the paths.
func (f *flow) starts() iter.Seq[Vertex] {
	return func(yield func(Vertex) bool) {
		for w, p := range f.prev {
			if p == f.v && !yield(w) {
				return
			}
		}
	}
}

// augment searches for another path and adds it. It reports whether it found
// one.
func (f *flow) augment() bool {
	f.entered, f.left = sparse{}, sparse{}
	queue := []side{{f.v, true}}
	for i := 0; i < len(queue); i++ {
		s := queue[i]
		if !s.exit {
			queue = f.inside(s.v, queue)
			continue
		}
		if s.v < f.g.first {
			f.add(s.v)
			return true
		}
		queue = f.outside(s.v, queue)
		if i > 1<<16 && i > len(queue)/2 {
			queue = slices.Delete(queue, 0, i+1)
			i = -1
		}
	}
	return false
}

// inside continues from the entrance of w. If no path goes through w, the
// search goes on to the exit of w. If a path goes through w, the search goes
// back along that path, to the exit of the vertex before w, unless w is the
// first vertex of the path. If this way leads to a root, the path loses the
// step from the vertex before w to w (see add).
func (f *flow) inside(w Vertex, queue []side) []side {
	p, ok := f.prev[w]
	switch {
	case !ok:
		p = w
	case p == f.v:
		return queue
	}
	return f.leave(p, w, queue)
}

// leave goes from the entrance of w to the exit of p.
func (f *flow) leave(p, w Vertex, queue []side) []side {
	if f.left.get(p) != 0 {
		return queue
	}
	f.left.set(p, uint32(w)+1)
	return append(queue, side{p, true})
}

// outside continues from the exit of u: to the entrances of the sources of
// references to u and, if the exit belongs to a path, to the entrance of u.
func (f *flow) outside(u Vertex, queue []side) []side {
	if u != f.v {
		if _, ok := f.prev[u]; ok && f.entered.get(u) == 0 {
			f.entered.set(u, uint32(u)+1)
			queue = append(queue, side{u, false})
		}
	}
	for _, x := range f.g.sources(u) {
		w := Vertex(x)
		if w == f.v || w == All || f.entered.get(w) != 0 || !f.d.counts(w, u) {
			continue
		}
		f.entered.set(w, uint32(u)+1)
		queue = append(queue, side{w, false})
	}
	return queue
}

// add adds the path that the search found, whose last vertex is the root r.
// Where the path goes back along an older one, the older path loses these
// steps.
func (f *flow) add(r Vertex) {
	type step struct{ from, to Vertex }
	var added, removed []step
	added = append(added, step{r, All})
	for x := r; x != f.v; {
		w := Vertex(f.left.get(x) - 1) // the search came to the exit of x from the entrance of w
		if w != x {
			removed = append(removed, step{x, w})
		}
		u := Vertex(f.entered.get(w) - 1)
		if u != w {
			added = append(added, step{u, w})
		}
		x = u
	}
	for _, s := range removed {
		delete(f.next, s.from)
		delete(f.prev, s.to)
	}
	for _, s := range added {
		if s.from != f.v {
			f.next[s.from] = s.to
		}
		if s.to != All {
			f.prev[s.to] = s.from
		}
	}
	f.paths++
}

// cut returns the vertices on paths for which the last search has reached the
// entrance, but not the exit.
func (f *flow) cut() []Vertex {
	cut := []Vertex{}
	for w := range f.prev {
		if f.entered.get(w) != 0 && f.left.get(w) == 0 {
			cut = append(cut, w)
		}
	}
	slices.Sort(cut)
	return cut
}

// A sparse is an array with a number for each vertex. Only the parts that are
// used take memory.
type sparse struct {
	pages map[Vertex]*[1 << pageBits]uint32
}

const pageBits = 10

func (s *sparse) get(v Vertex) uint32 {
	if p := s.pages[v>>pageBits]; p != nil {
		return p[v&(1<<pageBits-1)]
	}
	return 0
}

func (s *sparse) set(v Vertex, n uint32) {
	p := s.pages[v>>pageBits]
	if p == nil {
		if s.pages == nil {
			s.pages = make(map[Vertex]*[1 << pageBits]uint32)
		}
		p = new([1 << pageBits]uint32)
		s.pages[v>>pageBits] = p
	}
	p[v&(1<<pageBits-1)] = n
}
