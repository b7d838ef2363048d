// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds paths from roots to a vertex: the shortest one, and several
// that have no vertex in common.

package heapgraph

import "slices"

// ShortestPath returns the references of a shortest path from a root to v, or
// nil if v is All, a root or not reached. The root is of the second class only
// if no root of the first class reaches v. The first call for a graph goes
// through the whole graph, and keeps 4 bytes for each vertex.
func (g *Graph) ShortestPath(v Vertex) []Reference {
	from := g.breadthFirst()
	if v == All || from[v] == none {
		return nil
	}
	var path []Vertex
	for ; v != All; v = from[v] {
		path = append(path, v)
	}
	slices.Reverse(path)
	return g.references(path)
}

// references returns a reference from each vertex of a path to the next one. In
// the middle of a path of more than maxNamed references, they have no Field.
func (g *Graph) references(path []Vertex) []Reference {
	refs := make([]Reference, 0, len(path)-1)
	for i := range len(path) - 1 {
		if min(i, len(path)-2-i) >= maxNamed/2 {
			refs = append(refs, Reference{From: path[i], To: path[i+1], Offset: -1})
			continue
		}
		n := g.namer(path[i])
		refs = append(refs, n.reference(slices.Index(n.row, uint32(path[i+1]))))
	}
	return refs
}

// breadthFirst returns, for each vertex, the vertex before it on a shortest
// path, or none.
func (g *Graph) breadthFirst() []Vertex {
	return g.shortest.get(func() []Vertex {
		from := make([]Vertex, g.end)
		for v := range from {
			from[v] = none
		}
		from[All] = All
		var queue []uint32
		for _, roots := range [][]uint32{g.row(All)[:g.late-1], g.row(All)[g.late-1:]} {
			queue = append(queue[:0], roots...)
			for _, r := range roots {
				from[r] = All
			}
			for len(queue) > 0 {
				queue = g.nextLayer(queue, from)
			}
		}
		return from
	})
}

// nextLayer returns the vertices that have not been visited and to which a
// vertex of layer has a reference. For each of them, it records the vertex of
// layer in from.
func (g *Graph) nextLayer(layer []uint32, from []Vertex) []uint32 {
	var next []uint32
	for _, v := range layer {
		for _, w := range g.row(Vertex(v)) {
			if from[w] == none {
				from[w] = Vertex(v)
				next = append(next, w)
			}
		}
	}
	return next
}

// Paths are paths from roots to a vertex.
type Paths struct {
	// A path has the references from a root to the vertex. No two paths
	// have a vertex in common, except for the last one.
	Paths [][]Reference

	// Cut has one vertex of each path. If none of these vertices were
	// there, no path would be left. As long as one of them is there, a path
	// is left. Therefore, if there are several paths, it is not enough to
	// cut one of them. If several sets of vertices have these properties,
	// Cut is the set nearest to the vertex. It is nil if there may be more
	// paths, if the vertex is not an object, or if it is not reached.
	Cut []Vertex

	// More reports whether there may be more paths, because the limit was
	// reached.
	More bool
}

// DisjointPaths returns up to limit paths from roots to v that have no vertex
// in common but v. If v is not an object, or is not reached, there are none.
// Each search for a path may go through all vertices that reach v. The first
// call for a graph also does the work of the first calls of [Graph.Dominators]
// and [Graph.Sources], which go through the whole graph.
func (g *Graph) DisjointPaths(v Vertex, limit int) *Paths {
	d := g.Dominators()
	p := new(Paths)
	if v < g.first || !d.Reached(v) {
		return p
	}
	f := &flow{g: g, d: d, v: v, next: make(map[Vertex]Vertex), prev: make(map[Vertex]Vertex)}
	for f.paths < limit {
		if !f.augment() {
			p.Cut = f.cut()
			break
		}
	}
	p.More = p.Cut == nil
	for _, w := range slices.Sorted(f.starts()) {
		path := []Vertex{v}
		for ; w != All; w = f.next[w] {
			path = append(path, w)
		}
		slices.Reverse(path)
		p.Paths = append(p.Paths, g.references(path))
	}
	slices.SortStableFunc(p.Paths, func(a, b []Reference) int { return len(a) - len(b) })
	return p
}
