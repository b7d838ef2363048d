// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file groups objects by the roots that hold them.

package heapgraph

import (
	"cmp"
	"maps"
	"slices"
)

// A Holding has objects whose shortest paths begin at roots of one name.
type Holding struct {
	Root    string // for example "goroutine main.serve", or NotReached
	Amount         // the objects, and their own bytes
	Largest Vertex // the one of them that retains the most
}

// Holdings groups the objects that the function accepts by the roots at which
// [Graph.ShortestPath] begins, those with the most objects first. It shows
// whether all objects of a type are held in the same way: for example, 2,000 by
// a finalizer and 2 by a goroutine. It does the work of the first call of
// ShortestPath and of [Graph.Dominators].
func (g *Graph) Holdings(accept func(v Vertex) bool) []Holding {
	d, roots := g.Dominators(), &rootFinder{from: g.breadthFirst(), known: make([]Vertex, g.end)}
	groups := make(map[string]*Holding)
	for v := g.first; v < g.end; v++ {
		if !accept(v) {
			continue
		}
		name := NotReached
		if root := roots.of(v); root != All {
			name = g.Name(root)
		}
		h := groups[name]
		if h == nil {
			h = &Holding{Root: name, Largest: v}
			groups[name] = h
		}
		h.add(Amount{1, g.Size(v)})
		if d.Retained(v).Bytes > d.Retained(h.Largest).Bytes {
			h.Largest = v
		}
	}
	list := make([]Holding, 0, len(groups))
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		list = append(list, *groups[name])
	}
	slices.SortStableFunc(list, func(a, b Holding) int {
		return cmp.Or(cmp.Compare(b.Objects, a.Objects), cmp.Compare(b.Bytes, a.Bytes))
	})
	return list
}

// A rootFinder finds the first vertices of shortest paths.
type rootFinder struct {
	from  []Vertex // see Graph.breadthFirst
	known []Vertex // by vertex: its root, or All before it is known
}

// of returns the root of v, or All if v is not reached.
func (r *rootFinder) of(v Vertex) Vertex {
	if r.from[v] == none {
		return All
	}
	root := v
	for r.known[root] == All && r.from[root] != All {
		root = r.from[root]
	}
	if r.known[root] != All {
		root = r.known[root]
	}
	for r.known[v] == All && v != root {
		r.known[v] = root
		v = r.from[v]
	}
	return root
}
