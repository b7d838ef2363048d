// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Goroutines that are blocked for ever, which the goroutineleak profile finds. There are
// a few, for they stay.

package main

import "math/rand/v2"

const mostLeaks = 50

func leakGoroutines(r *rand.Rand) func() {
	leaked := 0
	return func() {
		if leaked == mostLeaks {
			return
		}
		leaked++
		c := make(chan *node)
		n := newNode(r)
		go func() {
			c <- n
			must(false, "someone received what nobody can receive")
		}()
	}
}
