// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has the paths from sets to the objects that they retain.

package heapgraph

import (
	"cmp"
	"slices"
)

// Limits of paths: the number of elements of a path, and the number of paths.
// The objects of longer or further paths count at the path above.
const (
	maxRetainedDepth = 200
	maxRetainedPaths = 1 << 16
)

// retainedPaths is a tree of paths. Nodes 1, 2, ... are those of the sets.
type retainedPaths struct {
	nodes    []retainedPath
	children map[retainedKey]uint32
	inner    bitset   // paths that have children
	pathOf   []uint32 // by vertex, for objects that a set retains
}

type retainedKey struct{ parent, text, typ uint32 }

type retainedPath struct {
	retainedKey
	depth uint32
	Amount
}

func newRetainedPaths(sets, vertices int) *retainedPaths {
	return &retainedPaths{nodes: make([]retainedPath, sets+1), children: make(map[retainedKey]uint32), inner: newBitset(maxRetainedPaths), pathOf: make([]uint32, vertices)}
}

// child returns the path of objects of a type to which a reference with the name
// leads from objects of the path parent. If a path from the set to parent has
// objects of the type, that is the path.
func (ps *retainedPaths) child(parent, text, typ uint32) uint32 {
	full := len(ps.nodes) >= maxRetainedPaths
	if full && !ps.inner.has(parent) { // faster than the map
		return parent
	}
	k := retainedKey{parent, text, typ}
	if n, ok := ps.children[k]; ok {
		return n
	}
	n := parent
	if full {
		return n
	}
	for ps.nodes[n].depth > 0 && ps.nodes[n].typ != typ {
		n = ps.nodes[n].parent
	}
	if ps.nodes[n].depth == 0 {
		n = parent
		if depth := ps.nodes[parent].depth; depth < maxRetainedDepth {
			n = uint32(len(ps.nodes))
			ps.nodes = append(ps.nodes, retainedPath{retainedKey: k, depth: depth + 1})
		}
	}
	ps.children[k] = n
	ps.inner.add(parent)
	return n
}

// list adds the paths to the sets, those with the most bytes first.
func (r *retaining) list(sets []RetainedSet) {
	for i := range r.nodes {
		n := &r.nodes[i]
		if n.Amount == (Amount{}) {
			continue
		}
		var path []string
		x := uint32(i)
		for ; r.nodes[x].depth > 0; x = r.nodes[x].parent {
			path = append(path, r.texts.names[r.nodes[x].text])
		}
		slices.Reverse(path)
		typ := Unknown
		if n.depth > 0 {
			typ = r.texts.names[n.typ]
		}
		s := &sets[x-1]
		s.Paths = append(s.Paths, RetainedPath{path, typ, n.Amount})
	}
	for i := range sets {
		slices.SortStableFunc(sets[i].Paths, func(a, b RetainedPath) int { return cmp.Compare(b.Bytes, a.Bytes) })
	}
}
