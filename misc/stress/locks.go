// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This worker runs goroutines that wait for mutexes, conditions and wait
// groups, with pointers on their stacks.

package main

import (
	"math/rand/v2"
	"sync"
)

func waitForLocks(r *rand.Rand) func() {
	var mu sync.RWMutex
	var plain sync.Mutex
	cond := sync.NewCond(&plain)
	var shared *node
	return func() {
		var wg sync.WaitGroup
		ready := false
		for i := range 10 {
			wg.Go(func() {
				n := newNode(r2(i))
				plain.Lock()
				for !ready {
					cond.Wait()
				}
				plain.Unlock()
				if i%3 == 0 {
					mu.Lock()
					shared = n
					mu.Unlock()
				} else {
					mu.RLock()
					shared.alive()
					mu.RUnlock()
				}
				n.alive()
			})
		}
		n := newNode(r)
		plain.Lock()
		ready = true
		cond.Broadcast()
		plain.Unlock()
		wg.Wait()
		n.alive()
	}
}
