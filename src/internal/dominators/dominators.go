// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package dominators computes dominator trees of large graphs: a vertex
// dominates another one if every path from the root to the other one leads
// through it.
//
// The algorithm is semi-NCA (Georgiadis, Tarjan and Werneck, "Finding
// Dominators in Practice", 2006). Besides the graph, it needs 24 bytes a
// vertex, of which the result is 8, and 8 bytes for each edge to a vertex that
// was visited before the edge's source. It goes through the edges once. It is
// not recursive, and its stacks are in the arrays that it needs anyway, so that
// it takes graphs of any depth.
package dominators

import "math"

// A Graph is a directed graph in compressed sparse rows. Its vertices are
// numbers. Vertex 0 is the root. It has fewer than 1<<32 - 2 vertices, and so
// many edges.
type Graph struct {
	// The edges from vertex v lead to Dst[Off[v]:Off[v+1]]. An edge may
	// occur more than once, and may lead to its source.
	Off []uint32
	Dst []uint32

	// Late, unless it is 0, is the number of the first vertex that is a
	// late successor of the root. The late ones are last among the root's
	// edges. A vertex that is reached from the other successors is early.
	// Edges to early vertices from all other vertices do not count.
	Late uint32
}

// A Tree is the dominator tree of the vertices that the root reaches. They are
// numbered again, in the order of a depth-first search.
//
// The arrays belong to the caller. The capacity of Vertex is the number of all
// vertices.
type Tree struct {
	Vertex []uint32 // vertex of each number; Vertex[0] is 0
	Idom   []uint32 // number of the immediate dominator, which is lower, of each number; Idom[0] is 0
	Early  int      // early vertices have numbers below this, and late ones have others

	// Spare has arrays whose lengths are the number of all vertices. They
	// have no meaning, and are here to be used again.
	Spare [3][]uint32
}

const none = math.MaxUint32

// Compute returns the dominator tree of g.
func Compute(g *Graph) *Tree {
	s := newState(g)
	s.search()
	s.semidominators()
	return &Tree{
		Vertex: s.vertex,
		Idom:   s.idoms(),
		Early:  int(s.early),
		Spare:  [3][]uint32{s.parent, s.number, s.link[:len(s.link)/2]},
	}
}

// A state is the state of a computation. Except for number, all arrays are
// indexed by the numbers of a depth-first search. They have such numbers, except
// for vertex.
type state struct {
	g *Graph

	number []uint32 // number of each vertex, or none
	vertex []uint32 // vertex of each number
	early  uint32   // first number of a vertex that is not early, or none
	parent []uint32 // parent in the tree of the search

	// link has two elements for each number i next to each other, because
	// they are used together.
	//
	// At up(i) is, during the search, the edge from i at which it goes on.
	// After the search, it is the ancestor.
	//
	// At label(i) is, of a number that is not linked, the lowest of the
	// sources of edges to it that were visited before it. Of one that is
	// linked, it is the lowest semidominator of the number and of those
	// above it in the tree up to, and without, its ancestor.
	link []uint32

	// head is the index of the last one of the back edges to a number, or
	// 0. When a number is linked, it becomes the semidominator, and in the
	// end the immediate dominator.
	head []uint32
	back []backEdge
}

// A backEdge is an edge to a number that was visited before its source.
type backEdge struct {
	source uint32
	next   uint32 // index of another one to the same number, or 0
}

func up(i uint32) uint64    { return 2 * uint64(i) }
func label(i uint32) uint64 { return 2*uint64(i) + 1 }

func newState(g *Graph) *state {
	n := len(g.Off) - 1
	s := &state{
		g:      g,
		vertex: make([]uint32, n),
		early:  none,
		parent: make([]uint32, n),
		number: make([]uint32, n),
		link:   make([]uint32, 2*n),
		head:   make([]uint32, n),
		// If all vertices are reached, no more edges are left when each
		// vertex has one by which it was visited.
		back: make([]backEdge, 1, max(0, len(g.Dst)-(n-1))+1),
	}
	for v := range s.number {
		s.number[v] = none
	}
	return s
}

// search numbers the vertices in the order in which a depth-first search visits
// them.
func (s *state) search() {
	g := s.g
	s.number[0] = 0
	s.link[0] = g.Off[0]
	at, next := uint32(0), uint32(1)
	for {
		w, ok := s.unvisited(at)
		if !ok {
			if at == 0 {
				break
			}
			at = s.parent[at]
			continue
		}
		if at == 0 && s.early == none && g.isLate(w) {
			s.early = next
		}
		s.number[w] = next
		s.vertex[next] = w
		s.parent[next] = at
		s.link[up(next)] = g.Off[w]
		s.link[label(next)] = at
		at = next
		next++
	}
	s.early = min(s.early, next)
	s.vertex = s.vertex[:next]
	for i := range next {
		s.link[up(i)] = s.parent[i]
	}
}

// isLate reports whether an edge from the root to w is one to a late successor.
func (g *Graph) isLate(w uint32) bool { return g.Late != 0 && w >= g.Late }

// unvisited returns the next vertex that has not been visited and that has an
// edge from number i, and goes over the edges before it.
func (s *state) unvisited(i uint32) (w uint32, ok bool) {
	g := s.g
	e, end := s.link[up(i)], g.Off[s.vertex[i]+1]
	for ; e < end; e++ {
		w := g.Dst[e]
		j := s.number[w]
		if j == none {
			s.link[up(i)] = e + 1
			return w, true
		}
		s.visited(i, j, w)
	}
	s.link[up(i)] = e
	return 0, false
}

// visited goes over an edge from number i to number j, which is vertex w.
func (s *state) visited(i, j, w uint32) {
	switch {
	case j < i:
		if s.counts(i, j) {
			s.back = append(s.back, backEdge{i, s.head[j]})
			s.head[j] = uint32(len(s.back) - 1)
		}
	case i != 0 || j >= s.early || !s.g.isLate(w):
		s.link[label(j)] = min(s.link[label(j)], i)
	}
}

// counts reports whether an edge from number i to the lower number j counts,
// and says something about dominators: edges to the root do not.
func (s *state) counts(i, j uint32) bool {
	return j != 0 && (j >= s.early || i < s.early)
}

// semidominators computes the semidominators, from the highest number to the
// lowest. A number is linked when its semidominator is known.
func (s *state) semidominators() {
	for i := uint32(len(s.vertex) - 1); i > 0; i-- {
		semi := s.link[label(i)]
		for k := s.head[i]; k != 0; k = s.back[k].next {
			semi = min(semi, s.eval(s.back[k].source, i))
		}
		s.link[label(i)], s.head[i] = semi, semi
	}
	s.back = nil
}

// eval returns the lowest semidominator of the number p and its ancestors down
// to i, without i, and makes the path to them shorter. It reverses the path on
// its way up, to find its way back.
func (s *state) eval(p, i uint32) uint32 {
	link := s.link
	if link[up(p)] <= i {
		return link[label(p)]
	}
	x, back := p, uint32(0)
	for link[up(x)] > i {
		anc := &link[up(x)]
		x, back, *anc = *anc, x, back
	}
	top, low := link[up(x)], link[label(x)]
	for back != 0 {
		y := link[up(back):][:2]
		back, y[0] = y[0], top
		low = min(low, y[1])
		y[1] = low
	}
	return low
}

// idoms returns the immediate dominators: the nearest common ancestor, in the
// dominator tree, of the parent and the semidominator.
func (s *state) idoms() []uint32 {
	idom := s.head[:len(s.vertex)]
	idom[0] = 0
	for i := 1; i < len(idom); i++ {
		d, semi := s.parent[i], idom[i]
		for d > semi {
			d = idom[d]
		}
		idom[i] = d
	}
	return idom
}
