// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This worker defers calls: open-coded or, in builds with -race, with records
// on the stack, and in loops with records on the heap. Only the deferred calls
// hold their arguments.

package main

import "math/rand/v2"

func deferCalls(r *rand.Rand) func() {
	return func() {
		calls := 0
		count := func(n *node) { n.alive(); calls++ }
		n := 1 + r.IntN(300)
		func() {
			for range n {
				defer count(newNode(r))
			}
		}()
		must(calls == n, "%d of %d deferred calls", calls, n)
		calls = 0
		func() {
			m := newNode(r)
			defer count(m)
			defer func() { m.alive() }()
			if n%2 == 0 {
				defer count(newNode(r))
			}
			growAndReturn(r.IntN(50))
		}()
		must(calls == 1+(n+1)%2, "%d deferred calls", calls)
	}
}

//go:noinline
func growAndReturn(depth int) byte {
	var local [500]byte
	defer func() { local[depth%500]++ }()
	if depth > 0 {
		local[0] = growAndReturn(depth - 1)
	}
	return local[depth%500]
}
