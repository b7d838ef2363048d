// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package objects allocates objects of one kind, n times. Each object goes
// through a global variable, so that none is allocated on the stack.
package objects

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

// Tiny allocates n objects of 8 bytes without pointers.
func Tiny(n int) {
	for range n {
		tiny = new([8]byte)
	}
}

// Small allocates n objects of 24 bytes without pointers.
func Small(n int) {
	for range n {
		small = new([24]byte)
	}
}

// Nodes allocates n objects of 24 bytes with two pointers.
func Nodes(n int) {
	for range n {
		scan = new(node)
	}
}

// Pages allocates n objects of 4 KiB without pointers.
func Pages(n int) {
	for range n {
		page = new([4096]byte)
	}
}

// Pointers allocates n objects of 4 KiB that consist of pointers.
func Pointers(n int) {
	for range n {
		scan4k = new([512]*node)
	}
}

// Large allocates n objects that are too large for the page cache of a P.
// Smaller objects may or may not fit, by chance, into the rest that an earlier
// allocation has left in the cache.
func Large(n int) {
	for range n {
		large = make([]byte, 128<<10)
	}
}
