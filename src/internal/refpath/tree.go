// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// A tree of paths, with the memory found at the end of each. treetext.go writes it.

package refpath

import (
	"io"
	"slices"
)

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

// Write writes the tree as text. name returns the text for an element.
func (t *Tree[E]) Write(w io.Writer, mode Mode, name func(E) string) error {
	p := newPrinter(w, t, mode, name)
	p.header()
	p.below(0, 0)
	return p.w.Flush()
}

// A sum is the memory of all paths that begin with one.
type sum struct {
	bytes, objects int64
	moved          int64 // bytes regardless of their sign
}

func (s *sum) add(x sum) {
	s.bytes += x.bytes
	s.objects += x.objects
	s.moved += x.moved
}

// sums returns the cumulative memory of each path.
func (t *Tree[E]) sums() []sum {
	sums := make([]sum, len(t.nodes)+1)
	for i, n := range slices.Backward(t.nodes) {
		sums[i+1].add(sum{n.bytes, n.objects, max(n.bytes, -n.bytes)})
		sums[n.parent].add(sums[i+1])
	}
	return sums
}

// children returns the numbers of the paths that go on from each path.
func (t *Tree[E]) children() map[int32][]int32 {
	children := make(map[int32][]int32)
	for i, n := range t.nodes {
		children[n.parent] = append(children[n.parent], int32(i+1))
	}
	return children
}
