// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file groups objects by the roots that hold them.

package heapgraph

import (
	"cmp"
	"slices"
)

// A Holding has objects whose shortest paths begin at roots of one name and, if
// these are goroutines, of one creator.
type Holding struct {
	Root    string // for example "goroutine main.serve", or NotReached
	Amount         // the objects, and their own bytes
	Largest Vertex // the one of them that retains the most
	Creator Creator
}

// Holdings groups the objects that the function accepts by the roots at which
// [Graph.ShortestPath] begins, those with the most objects first. It shows
// whether all objects of a type are held in the same way: for example, 2,000 by
// a finalizer and 2 by a goroutine. It does the work of the first call of
// ShortestPath and of [Graph.Dominators].
func (g *Graph) Holdings(accept func(v Vertex) bool) []Holding {
	d, roots := g.Dominators(), &rootFinder{from: g.breadthFirst(), known: make([]Vertex, g.end)}
	type key struct {
		root    string
		creator Creator
	}
	groups := make(map[key]*Holding)
	of := make(map[Vertex]*Holding) // by root
	for v := g.first; v < g.end; v++ {
		if !accept(v) {
			continue
		}
		root := roots.of(v)
		h := of[root]
		if h == nil {
			k := key{NotReached, g.Creator(root)}
			if root != All {
				k.root = g.Name(root)
			}
			if h = groups[k]; h == nil {
				h = &Holding{Root: k.root, Creator: k.creator, Largest: v}
				groups[k] = h
			}
			of[root] = h
		}
		h.add(Amount{1, g.Size(v)})
		if d.Retained(v).Bytes > d.Retained(h.Largest).Bytes {
			h.Largest = v
		}
	}
	list := make([]Holding, 0, len(groups))
	for _, h := range groups {
		list = append(list, *h)
	}
	slices.SortFunc(list, func(a, b Holding) int {
		return cmp.Or(cmp.Compare(b.Objects, a.Objects), cmp.Compare(b.Bytes, a.Bytes),
			cmp.Compare(a.Root, b.Root), compareCreators(a.Creator, b.Creator))
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
