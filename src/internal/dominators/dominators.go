// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package dominators computes dominator trees of large graphs: a vertex
// dominates another one if every path from the root to the other one leads
// through it.
//
// The algorithm is semi-NCA (Georgiadis, Tarjan and Werneck, "Finding
// Dominators in Practice", 2006). Besides the graph, it allocates 24 bytes for
// each vertex, 8 of which are the result. It also allocates 8 bytes for each
// edge beyond those of a tree of all vertices. If the root does not reach all
// vertices, it may allocate more, and then on the heap, whatever Graph.Alloc
// is. It goes through the edges once. It is not recursive, and its stacks are
// in this memory, so it takes graphs of any depth.
//
// It spends most of its time waiting for memory. Therefore values that are used
// together are stored together.
package dominators

import "math"

// A Graph is a directed graph in compressed sparse rows. Its vertices are
// numbers. Vertex 0 is the root. There are fewer than [Max] vertices and edges.
type Graph struct {
	// The edges from vertex v lead to Dst[Off[v]:Off[v+1]]. An edge may
	// occur more than once, and may lead to its source.
	Off []uint32
	Dst []uint32

	// If Late is not 0, the root's successors with this number or a higher
	// one are late successors. The edges to them must come last among the
	// root's. A vertex that is reached through the other successors is
	// early. An edge to an early vertex does not count if its source is not
	// early, or if it is an edge from the root to a late successor.
	Late uint32
}

// A Tree is the dominator tree of the vertices that the root reaches. They are
// numbered again, in the order of a depth-first search.
//
// The arrays belong to the caller. The capacity of Vertex is the number of all
// vertices.
type Tree struct {
	Vertex []uint32 // vertex of each number; Vertex[0] is 0
	Idom   []uint32 // number of the immediate dominator of each number, which is below that number; Idom[0] is 0
	Early  int      // the numbers of early vertices are below this, and those of other vertices are not

	// Spare has arrays that the computation no longer needs. Each has at
	// least as many elements as there are vertices. The caller may use them
	// for something else.
	Spare [3][]uint32
}

// Max limits the number of vertices, and the number of edges.
const Max = 1 << 31

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
		Spare:  [3][]uint32{s.parent, s.edge, s.link[:len(s.link)/2]},
	}
}

// A state is the state of a computation. Unless a comment says otherwise,
// arrays are indexed by the numbers of a depth-first search, and their elements
// are such numbers.
type state struct {
	g *Graph

	vertex []uint32 // vertex of each number
	early  uint32   // first number of a vertex that is not early, or none
	parent []uint32 // parent in the tree of the search
	edge   []uint32 // index in Dst of the edge at which the search continues

	// found is used during the search. It is indexed by vertices:
	// found[number(v)] is the number of v, or none if v has not been
	// visited, and found[first(v)] is the index in Dst of its first edge.
	found []uint32

	// link is used after the search. It has the memory of found.
	// link[ancestor(i)] is i's ancestor. link[label(i)] is the lowest
	// semidominator of i and of the numbers between i and i's ancestor on
	// the path in the tree.
	link []uint32

	// other describes, for each number, the edges to it that are not of the
	// tree. It is 0 if there is none, 1 + the source if there is one, and
	// indirect plus an index in others if there are several. Later it has
	// the semidominator of the number, and finally the immediate dominator.
	other  []uint32
	others []otherEdge
}

const indirect = 1 << 31

// An otherEdge is one of several edges to a number that are not of the tree.
type otherEdge struct {
	source uint32
	next   uint32 // index of another one, or 0
}

func number(v uint32) uint64   { return 2 * uint64(v) }
func first(v uint32) uint64    { return 2*uint64(v) + 1 }
func ancestor(i uint32) uint64 { return 2 * uint64(i) }
func label(i uint32) uint64    { return 2*uint64(i) + 1 }

func newState(g *Graph) *state {
	n := len(g.Off) - 1
	s := &state{
		g:      g,
		vertex: make([]uint32, n),
		early:  none,
		parent: make([]uint32, n),
		edge:   make([]uint32, n),
		found:  make([]uint32, 2*n+2),
		other:  make([]uint32, n),
		// If all vertices are reached, each vertex but the root has one edge
		// of the tree. Therefore others needs room for the remaining edges
		// only. Its element 0 is not used.
		others: make([]otherEdge, 1, max(0, len(g.Dst)-(n-1))+1),
	}
	for v, off := range g.Off {
		s.found[number(uint32(v))] = none
		s.found[first(uint32(v))] = off
	}
	return s
}

// search numbers the vertices in the order in which a depth-first search visits
// them.
func (s *state) search() {
	s.found[number(0)] = 0
	s.edge[0] = s.found[first(0)]
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
		if at == 0 && s.early == none && s.g.isLate(w) {
			s.early = next
		}
		s.found[number(w)] = next
		s.vertex[next] = w
		s.parent[next] = at
		s.edge[next] = s.found[first(w)]
		at = next
		next++
	}
	s.early = min(s.early, next)
	s.vertex = s.vertex[:next]
	s.link, s.found = s.found, nil
}

// isLate reports whether w, a successor of the root, is late.
func (g *Graph) isLate(w uint32) bool { return g.Late != 0 && w >= g.Late }

// unvisited returns the next vertex to which an edge from number i leads and
// that has not been visited. It handles the edges before that one.
func (s *state) unvisited(i uint32) (w uint32, ok bool) {
	e, end := s.edge[i], s.found[first(s.vertex[i]+1)]
	for ; e < end; e++ {
		w := s.g.Dst[e]
		j := s.found[number(w)]
		if j == none {
			s.edge[i] = e + 1
			return w, true
		}
		if s.counts(i, j, w) {
			s.addOther(i, j)
		}
	}
	s.edge[i] = e
	return 0, false
}

// counts reports whether an edge from number i to number j, which is vertex w,
// counts. Edges to the root and to their own source do not, because they do not
// affect dominators.
func (s *state) counts(i, j, w uint32) bool {
	switch {
	case j == 0 || j == i:
		return false
	case j >= s.early:
		return true
	case i == 0:
		return !s.g.isLate(w)
	}
	return i < s.early
}

// addOther adds an edge from i to j that is not of the tree.
func (s *state) addOther(i, j uint32) {
	x := s.other[j]
	if x == 0 {
		s.other[j] = i + 1
		return
	}
	if x < indirect {
		s.others = append(s.others, otherEdge{x - 1, 0})
		x = indirect | uint32(len(s.others)-1)
	}
	s.others = append(s.others, otherEdge{i, x &^ indirect})
	s.other[j] = indirect | uint32(len(s.others)-1)
}

// semidominators computes the semidominators, from the highest number to the
// lowest. A number is linked when its semidominator is known.
func (s *state) semidominators() {
	m := uint32(len(s.vertex))
	for i := range m {
		s.link[ancestor(i)] = s.parent[i]
	}
	for i := m - 1; i > 0; i-- {
		semi := s.parent[i]
		if x := s.other[i]; x >= indirect {
			for k := x &^ indirect; k != 0; k = s.others[k].next {
				semi = min(semi, s.eval(s.others[k].source, i))
			}
		} else if x != 0 {
			semi = min(semi, s.eval(x-1, i))
		}
		s.link[label(i)], s.other[i] = semi, semi
	}
	s.others = nil
}

// eval returns p if p is less than i, and thus not linked. If p is linked, eval
// returns the lowest semidominator of p and of those ancestors of p that are
// greater than i. In link, it then sets the ancestor of p, and of each of those
// ancestors, to the first ancestor that is not greater than i. On its way up,
// it reverses the path, in order to find its way back.
func (s *state) eval(p, i uint32) uint32 {
	if p < i {
		return p
	}
	link := s.link
	if link[ancestor(p)] <= i {
		return link[label(p)]
	}
	x, back := p, uint32(0)
	for link[ancestor(x)] > i {
		a := &link[ancestor(x)]
		x, back, *a = *a, x, back
	}
	top, low := link[ancestor(x)], link[label(x)]
	for back != 0 {
		y := link[ancestor(back):][:2]
		back, y[0] = y[0], top
		low = min(low, y[1])
		y[1] = low
	}
	return low
}

// idoms returns the immediate dominators. The immediate dominator of a number
// is the nearest common ancestor of its parent and its semidominator in the
// dominator tree.
func (s *state) idoms() []uint32 {
	idom := s.other[:len(s.vertex)]
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
