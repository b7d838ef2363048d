// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Malloc allocates objects of one kind. Each goes through a global variable,
// so that none is left on the stack.
package main

import (
	"runtime"

	"gorefs/misc/bench/programs/iterate"
)

type node struct {
	left, right *node
	value       int
}

var (
	tiny   *[8]byte
	small  *[24]byte
	scan   *node
	page   *[4096]byte
	scan4k *[512]*node
	large  []byte
)

func main() {
	iterate.Main(map[string]iterate.Body{
		"tiny8":     allocTiny,
		"24noscan":  allocSmall,
		"24scan":    allocNode,
		"4Knoscan":  allocPage,
		"4Kscan":    allocPointers,
		"large":     allocLarge,
		"sampled":   sampled(allocNode),
		"sampled4K": sampled(allocPage),
	})
}

// sampled returns alloc with each allocation sampled by the memory profiler.
func sampled(alloc func(n int)) func(n int) {
	return func(n int) {
		runtime.MemProfileRate = 1
		alloc(n)
	}
}

func allocTiny(n int) {
	for range n {
		tiny = new([8]byte)
	}
}

func allocSmall(n int) {
	for range n {
		small = new([24]byte)
	}
}

func allocNode(n int) {
	for range n {
		scan = new(node)
	}
}

func allocPage(n int) {
	for range n {
		page = new([4096]byte)
	}
}

func allocPointers(n int) {
	for range n {
		scan4k = new([512]*node)
	}
}

// allocLarge's objects are too large for the page cache of a P. Smaller ones
// may or may not fit into what an earlier allocation left of it, by chance.
func allocLarge(n int) {
	for range n {
		large = make([]byte, 128<<10)
	}
}
