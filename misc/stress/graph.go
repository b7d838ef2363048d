// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This worker moves nodes between places in a list and fields of other nodes.
// The nodes refer to each other by pointers whose type is known, in interfaces,
// and by unsafe.Pointer.

package main

import (
	"math/rand/v2"
	"unsafe"
)

// A node has a mark, so that code that follows a pointer to it can check that
// the node still exists.
type node struct {
	edges  [3]*node
	any    any
	hidden unsafe.Pointer
	text   []byte
	mark   uint64
}

const marked = 0x5eed5eed5eed5eed

func newNode(r *rand.Rand) *node {
	return &node{mark: marked, text: make([]byte, 1+r.IntN(200))}
}

// alive panics if n is not nil and does not point to a node.
func (n *node) alive() *node {
	if n != nil && n.mark != marked {
		must(false, "a node at %p was freed: mark %x", n, n.mark)
	}
	return n
}

const places = 2000

func mutateGraph(r *rand.Rand) func() {
	all := make([]*node, places)
	pick := func() *node { return all[r.IntN(places)].alive() }
	steps := []func(){
		func() { all[r.IntN(places)] = newNode(r) },
		func() { // exchanges edges
			if a, b := pick(), pick(); a != nil && b != nil {
				i, j := r.IntN(len(a.edges)), r.IntN(len(b.edges))
				a.edges[i].alive()
				a.edges[i], b.edges[j] = b.edges[j], a.edges[i]
			}
		},
		func() { // links, and hands over
			if a := pick(); a != nil {
				i := r.IntN(places)
				a.edges[r.IntN(len(a.edges))] = all[i]
				all[i] = nil
			}
		},
		func() { // follows
			n := pick()
			for range 20 {
				if n == nil {
					break
				}
				if m, ok := n.any.(*node); ok {
					m.alive()
				}
				(*node)(n.hidden).alive()
				n = n.edges[r.IntN(len(n.edges))].alive()
			}
		},
		func() {
			if a, b := pick(), pick(); a != nil && a != b {
				a.any = b
				a.hidden = unsafe.Pointer(b)
			}
		},
		func() {
			if a := pick(); a != nil {
				a.text = append(a.text[:r.IntN(len(a.text)+1)], make([]byte, r.IntN(300))...)
				a.any = a.text
				a.hidden = nil
				a.edges[0] = nil
			}
		},
	}
	return func() {
		for range 300 {
			steps[r.IntN(len(steps))]()
		}
		if r.IntN(100) == 0 { // one node may hold all others
			clear(all)
		}
	}
}
