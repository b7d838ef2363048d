// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package dominators computes dominator trees of large graphs: a vertex dominates
// another one if every path from the root to the other one leads through it.
//
// The algorithm is semi-NCA (Georgiadis, Tarjan and Werneck, "Finding Dominators in
// Practice", 2006). Besides the graph and the result, which is 8 bytes a vertex,
// it needs 12 bytes a vertex that is reached, and 4 bytes for each edge to a vertex
// that was visited before the edge's source. It is not recursive, and its
// stacks are in the arrays that it needs anyway, so that it takes graphs of any
// depth.
package dominators

import "math"

// A Graph is a directed graph in compressed sparse rows. Its vertices are numbers.
// Vertex 0 is the root. It has fewer than 1<<32 - 2 vertices and fewer than 1<<32
// edges.
type Graph struct {
	// The edges from vertex v lead to Dst[Off[v]:Off[v+1]]. An edge may
	// occur more than once, and may lead to its source.
	Off []uint32
	Dst []uint32

	// Late, unless it is 0, is the number of the first vertex that is a late
	// successor of the root. The late ones are last among the root's edges.
	// A vertex that is reached from the other successors is early. Edges to
	// early vertices from all other vertices do not count.
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
}

const none = math.MaxUint32

// Compute returns the dominator tree of g.
func Compute(g *Graph) *Tree {
	s := search(g)
	s.collect(g)
	s.semidominators()
	return &Tree{Vertex: s.vertex, Idom: s.idoms(), Early: int(s.early)}
}

// A state is the state of a computation. Except for number, all arrays are indexed
// by the numbers of a depth-first search, and have such numbers. Arrays
// share memory where their names say so.
type state struct {
	vertex []uint32 // vertex of each number
	early  uint32   // first number of a vertex that is not early
	parent []uint32 // parent in the tree of the search

	// number is the number of each vertex. When it is not needed any more, it
	// becomes ancestor.
	number   []uint32
	ancestor []uint32

	// edge is the edge at which the search goes on. It becomes label.
	//
	// Of a number that is not linked, label is the lowest of the sources of
	// edges to it that were visited before it. Of one that is linked, label
	// is the lowest semidominator of it and of the numbers up to, and
	// without, its ancestor.
	edge  []uint32
	label []uint32

	// Later sources of edges to number i are pred[start[i]:start[i+1]]. When
	// the search for semidominators is done with i, start[i+1] becomes its
	// semidominator.
	start []uint32
	pred  []uint32
}

// search numbers the vertices in the order in which a depth-first search visits
// them.
func search(g *Graph) *state {
	n := len(g.Off) - 1
	s := &state{
		vertex: make([]uint32, n),
		parent: make([]uint32, n),
		number: make([]uint32, n),
		edge:   make([]uint32, n),
		early:  none,
	}
	for v := range s.number {
		s.number[v] = none
	}
	s.number[0] = 0
	s.edge[0] = g.Off[0]
	next := uint32(1)
	for at, v := uint32(0), uint32(0); ; {
		w := uint32(none)
		e, end := s.edge[at], g.Off[v+1]
		for ; e < end; e++ {
			if x := g.Dst[e]; s.number[x] == none {
				w = x
				break
			}
		}
		if w == none {
			if at == 0 {
				break
			}
			at = s.parent[at]
			v = s.vertex[at]
			continue
		}
		s.edge[at] = e + 1
		if at == 0 && g.Late != 0 && w >= g.Late && s.early == none {
			s.early = next
		}
		s.number[w] = next
		s.vertex[next] = w
		s.parent[next] = at
		s.edge[next] = g.Off[w]
		at, v = next, w
		next++
	}
	s.early = min(s.early, next) // with Late 0, all are early
	s.vertex = s.vertex[:next]
	return s
}

// collect finds the sources of edges to each number: the lowest of the earlier
// ones, and all later ones.
func (s *state) collect(g *Graph) {
	m := uint32(len(s.vertex))
	s.label, s.edge = s.edge, nil
	copy(s.label[:m], s.parent)
	s.start = make([]uint32, m+2)
	for i, v := range s.vertex {
		i := uint32(i)
		for _, w := range g.Dst[g.Off[v]:g.Off[v+1]] {
			if j := s.number[w]; j >= i {
				if i != 0 || g.Late == 0 || w < g.Late || j >= s.early {
					s.label[j] = min(s.label[j], i)
				}
			} else if s.counts(i, j) {
				s.start[j+2]++
			}
		}
	}
	for i := uint32(2); i < m+2; i++ {
		s.start[i] += s.start[i-1]
	}
	s.pred = make([]uint32, s.start[m+1])
	for i, v := range s.vertex {
		i := uint32(i)
		for _, w := range g.Dst[g.Off[v]:g.Off[v+1]] {
			if j := s.number[w]; j < i && s.counts(i, j) {
				s.pred[s.start[j+1]] = i
				s.start[j+1]++
			}
		}
	}
	s.ancestor, s.number = s.number, nil
	copy(s.ancestor[:m], s.parent)
}

// counts reports whether an edge from number i to the lower number j counts.
func (s *state) counts(i, j uint32) bool {
	return j != 0 && (j >= s.early || i < s.early)
}

// semidominators computes the semidominators, from the highest number to the
// lowest. A number is linked when its semidominator is known.
func (s *state) semidominators() {
	for i := uint32(len(s.vertex) - 1); i > 0; i-- {
		semi := s.label[i]
		for _, p := range s.pred[s.start[i]:s.start[i+1]] {
			semi = min(semi, s.eval(p, i))
		}
		s.label[i] = semi
		s.start[i+1] = semi
	}
	s.pred = nil
}

// eval returns the lowest semidominator of the number p and its ancestors down to
// i, without i, and makes the path to them shorter. It reverses the path on its way up, to
// find its way back.
func (s *state) eval(p, i uint32) uint32 {
	anc, label := s.ancestor, s.label
	if anc[p] <= i {
		return label[p]
	}
	x, back := p, uint32(0)
	for anc[x] > i {
		x, back, anc[x] = anc[x], x, back
	}
	top, low := anc[x], label[x]
	for back != 0 {
		y := back
		back, anc[y] = anc[y], top
		low = min(low, label[y])
		label[y] = low
	}
	return low
}

// idoms returns the immediate dominators: the nearest common ancestor, in the
// dominator tree, of the parent and the semidominator.
func (s *state) idoms() []uint32 {
	idom := s.ancestor[:len(s.vertex)]
	for i := 1; i < len(idom); i++ {
		d, semi := s.parent[i], s.start[i+1]
		for d > semi {
			d = idom[d]
		}
		idom[i] = d
	}
	return idom
}
