// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This worker makes stacks grow deep, with pointers to objects and to other
// frames. The goroutines wait in the innermost frame, so that their stacks are
// scanned there, and then return.

package main

import (
	"math/rand/v2"
	"time"
)

func growStacks(r *rand.Rand) func() {
	return func() {
		done := make(chan int)
		depth := 1 + r.IntN(3000)
		go func() {
			var first node
			first.mark = marked
			done <- descend(r2(depth), &first, depth)
		}()
		n := <-done
		must(n == depth+1, "%d frames of %d", n, depth+1)
	}
}

// descend returns the number of frames from its own to the deepest.
//
//go:noinline
func descend(r *rand.Rand, above *node, depth int) int {
	local := node{mark: marked, edges: [3]*node{above}}
	if depth%50 == 0 {
		local.edges[1] = newNode(r)
	}
	if depth == 0 {
		time.Sleep(rand.N(5 * time.Millisecond))
		frames := 0
		for n := &local; n != nil; n = n.edges[0] {
			n.alive().edges[1].alive()
			frames++
		}
		must(frames > 0, "no frames")
		return 1
	}
	n := descend(r, &local, depth-1)
	local.alive()
	above.alive()
	return n + 1
}
