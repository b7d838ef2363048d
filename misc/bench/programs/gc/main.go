// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Gc runs full collections over live memory of one shape. It makes the shape
// before the first collection, and the shape does not depend on the number of
// collections. The kind sweep instead makes 16,384 objects of garbage before
// each collection.
package main

import (
	"runtime"

	"gorefs/misc/bench/programs/deepstack"
	"gorefs/misc/bench/programs/iterate"
)

type node struct {
	left, right *node
	value       int
}

func tree(depth int) *node {
	if depth == 0 {
		return new(node)
	}
	return &node{tree(depth - 1), tree(depth - 1), depth}
}

func main() {
	iterate.Main(map[string]iterate.Body{
		"tree":    collectTree,
		"slice":   collectSlice,
		"headers": collectBlocks,
		"stacks":  collectStacks,
		"sweep":   collectGarbage,
	})
}

func collect(n int) {
	for range n {
		runtime.GC()
	}
}

func collectTree(n int) {
	root := tree(14)
	collect(n)
	runtime.KeepAlive(root)
}

func collectSlice(n int) {
	all := make([]*node, 1<<15)
	for i := range all {
		all[i] = &node{value: i}
	}
	collect(n)
	runtime.KeepAlive(all)
}

// A block is so large that the collector finds its pointers by its type, which
// is in a header before the block.
type block struct {
	nodes  [64]*node
	values [32]any
}

func collectBlocks(n int) {
	all := make([]*block, 1<<11)
	for i := range all {
		all[i] = new(block)
		for j := range all[i].nodes {
			all[i].nodes[j] = &node{value: j}
		}
		for j := range all[i].values {
			all[i].values[j] = all[i].nodes[j]
		}
	}
	collect(n)
	runtime.KeepAlive(all)
}

func collectStacks(n int) {
	ready, end := make(chan bool), make(chan bool)
	for range 1000 {
		go deepstack.Call(20, func() {
			ready <- true
			<-end
		})
		<-ready
	}
	collect(n)
	close(end)
}

var garbage *node

func collectGarbage(n int) {
	for range n {
		for range 1 << 14 {
			garbage = new(node)
		}
		runtime.GC()
	}
}
