// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Scope allocates objects in memory scopes, as malloc does without.
package main

import "gorefs/misc/bench/programs/iterate"

type node struct {
	left, right *node
	value       int
}

var (
	tiny *[8]byte
	scan *node
	page *[4096]byte
)

func main() {
	iterate.Main(map[string]iterate.Body{
		"scoped8":   scoped(allocTiny),
		"scoped24":  scoped(allocNode),
		"scoped4K":  scoped(allocPage),
		"limited24": limited(allocNode),
		"counted8":  counted(allocTiny),
		"counted24": counted(allocNode),
		"beside24":  beside(allocNode),
	})
}

func allocTiny(n int) {
	for range n {
		tiny = new([8]byte)
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
