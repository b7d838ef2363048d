// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Shapes that are large.

package main

var (
	longList *node
	wideTree *tree
)

const (
	longNodes = 1_000_000
	treeDepth = 20
)

var largeShapes = []shape{
	{
		name:  "long list",
		roots: []variable{global("main.longList", &longList)},
		build: func() { longList = newList(longNodes) },
		want: func() []ref {
			return []ref{
				at(1, of[node](), "main.longList"),
				at(longNodes-1, of[node](), "main.longList", "main.node.next *node"),
			}
		},
	},
	{
		name:  "wide tree",
		roots: []variable{global("main.wideTree", &wideTree)},
		build: func() { wideTree = newTree(treeDepth) },
		want: func() []ref {
			half := 1<<(treeDepth-1) - 1
			return []ref{
				at(1, of[tree](), "main.wideTree"),
				at(half, of[tree](), "main.wideTree", "main.tree.left *tree"),
				at(half, of[tree](), "main.wideTree", "main.tree.right *tree"),
			}
		},
	},
}
