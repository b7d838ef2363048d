// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package pathtree holds paths of references as a tree, with the memory found
// at the end of each, and writes it as text (text.go). runtime/pprof makes one
// of a refs profile, net/http/pprof of the difference of two.
package pathtree

import "slices"

// A Tree is a set of paths, whose elements are of type E. Its zero value holds
// the empty path only.
type Tree[E comparable] struct {
	// nodes holds a node for each path: node n stands for the path nodes[n-1],
	// which ends in its element. The empty path has number 0.
	nodes []node[E]
	paths map[edge[E]]int32
}

// A node is a path: its parent's, which has a lower number, and one element more.
type node[E comparable] struct {
	edge[E]
	bytes, objects int64 // at the end of the path
}

type edge[E comparable] struct {
	parent int32
	elem   E
}

// Grow makes room for n paths.
func (t *Tree[E]) Grow(n int) {
	t.nodes = slices.Grow(t.nodes, n)
	if t.paths == nil {
		t.paths = make(map[edge[E]]int32, n)
	}
}

// Child returns the number of the path that goes on from path parent by elem.
func (t *Tree[E]) Child(parent int32, elem E) int32 {
	e := edge[E]{parent, elem}
	n, ok := t.paths[e]
	if !ok {
		if t.paths == nil {
			t.paths = make(map[edge[E]]int32)
		}
		t.nodes = append(t.nodes, node[E]{edge: e})
		n = int32(len(t.nodes))
		t.paths[e] = n
	}
	return n
}

// Add adds memory to the end of path n, which is not the empty path.
func (t *Tree[E]) Add(n int32, objects, bytes int64) {
	t.nodes[n-1].objects += objects
	t.nodes[n-1].bytes += bytes
}

// Last returns the last element of path n, which is not the empty path, and the
// number of the path before it.
func (t *Tree[E]) Last(n int32) (elem E, parent int32) {
	e := t.nodes[n-1].edge
	return e.elem, e.parent
}
