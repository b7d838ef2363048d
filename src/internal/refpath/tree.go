// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has trees of paths, with the memory at the end of each path.
// treetext.go writes a tree.

package refpath

import (
	"io"
	"slices"
)

// A Tree is a set of paths, whose elements are numbers. It is not generic, so
// that a program has its code once. Its zero value has only the empty path.
type Tree struct {
	// nodes has a node for each path: path n ends with the element of
	// nodes[n-1]. The empty path has number 0.
	nodes []node
	paths map[edge]int32
}

// A node is a path. It extends the path of its parent, which has a lower
// number, by one element.
type node struct {
	edge
	bytes, objects int64 // at the end of the path
	unused         int64 // bytes of these to which no reference refers
}

type edge struct {
	parent int32
	elem   int32
}

// Grow makes room for n paths.
func (t *Tree) Grow(n int) {
	t.nodes = slices.Grow(t.nodes, n)
	if t.paths == nil {
		t.paths = make(map[edge]int32, n)
	}
}

// Child returns the number of the path that extends path parent by elem.
func (t *Tree) Child(parent int32, elem int32) int32 {
	e := edge{parent, elem}
	n, ok := t.paths[e]
	if !ok {
		if t.paths == nil {
			t.paths = make(map[edge]int32)
		}
		t.nodes = append(t.nodes, node{edge: e})
		n = int32(len(t.nodes))
		t.paths[e] = n
	}
	return n
}

// Add adds memory to the end of path n, which must not be the empty path. To
// unused of the bytes no reference refers.
func (t *Tree) Add(n int32, objects, bytes, unused int64) {
	t.nodes[n-1].objects += objects
	t.nodes[n-1].bytes += bytes
	t.nodes[n-1].unused += unused
}

// Last returns the last element of path n, which must not be the empty path,
// and the number of the path without that element.
func (t *Tree) Last(n int32) (elem int32, parent int32) {
	e := t.nodes[n-1].edge
	return e.elem, e.parent
}

// Write writes the tree as text. name returns the text of an element.
func (t *Tree) Write(w io.Writer, mode Mode, name func(int32) string) error {
	p := newPrinter(w, t, mode, name)
	p.header()
	p.below(0, 0)
	return p.w.Flush()
}

// A sum is the memory of all paths that begin with one path.
type sum struct {
	bytes, objects int64
	unused         int64
	moved          int64 // sum of the absolute values of bytes
}

func (s *sum) add(x sum) {
	s.bytes += x.bytes
	s.objects += x.objects
	s.unused += x.unused
	s.moved += x.moved
}

// sums returns the cumulative memory of each path.
func (t *Tree) sums() []sum {
	sums := make([]sum, len(t.nodes)+1)
	for i, n := range slices.Backward(t.nodes) {
		sums[i+1].add(sum{n.bytes, n.objects, n.unused, max(n.bytes, -n.bytes)})
		sums[n.parent].add(sums[i+1])
	}
	return sums
}

// children returns the numbers of the paths that extend each path by one
// element.
func (t *Tree) children() map[int32][]int32 {
	children := make(map[int32][]int32)
	for i, n := range t.nodes {
		children[n.parent] = append(children[n.parent], int32(i+1))
	}
	return children
}
