// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This worker starts bursts of goroutines. They wait with pointers on their
// stacks, and end, so that other goroutines use their memory.

package main

import (
	"math/rand/v2"
	"runtime"
	"sync"
)

func burst(r *rand.Rand) func() {
	return func() {
		var wg sync.WaitGroup
		start := make(chan *node)
		n := 1 + r.IntN(300)
		for i := range n {
			wg.Go(func() {
				var local [4]*node
				local[i%4] = <-start
				runtime.Gosched()
				for _, n := range local {
					n.alive()
				}
			})
		}
		for range n {
			start <- newNode(r)
		}
		wg.Wait()
	}
}
