// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This worker runs loops that call no functions, so that a signal preempts them
// at any instruction and their frames are scanned conservatively.

package main

import "math/rand/v2"

func loopWithoutCalls(r *rand.Rand) func() {
	list := (*node)(nil)
	for range 1000 {
		list = &node{mark: marked, edges: [3]*node{list}}
	}
	return func() {
		reversed := reverse(list)
		must(length(reversed) == 1000, "a list of 1000 nodes has %d", length(reversed))
		list = reversed
		fresh := newNode(r)
		list.edges[1] = fresh
	}
}

// reverse holds each node of the list only in registers for some instructions.
//
//go:noinline
func reverse(n *node) *node {
	var done *node
	for n != nil {
		next := n.edges[0]
		n.edges[0] = done
		done, n = n, next
	}
	return done
}

//go:noinline
func length(n *node) (count int) {
	sum := uint64(0)
	for ; n != nil; n = n.edges[0] {
		if n.mark == marked {
			count++
		}
		for i := range uint64(50) {
			sum = sum*31 + i
		}
	}
	if sum == 1 {
		count--
	}
	return count
}
