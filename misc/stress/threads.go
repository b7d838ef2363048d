// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These workers lock goroutines to their threads. In endThreads, each goroutine
// ends without unlocking, and its thread ends with it. In parkLocked, many
// goroutines allocate and park in turn, so that their Ps are handed to other
// threads all the time.

package main

import (
	"math/rand/v2"
	"runtime"
	"sync"
)

func endThreads(r *rand.Rand) func() {
	return func() {
		var wg sync.WaitGroup
		for i := range 1 + r.IntN(4) {
			wg.Go(func() {
				runtime.LockOSThread()
				n := newNode(r2(i))
				defer func() { n.alive() }()
				runtime.Gosched()
				runtime.Goexit()
			})
		}
		wg.Wait()
	}
}

// r2 returns a source of random numbers for one goroutine.
func r2(i int) *rand.Rand { return rand.New(rand.NewPCG(*seed, uint64(i))) }

const lockedGoroutines = 24

func parkLocked(r *rand.Rand) func() {
	var ring [lockedGoroutines]chan *node
	for i := range ring {
		ring[i] = make(chan *node)
	}
	back := make(chan *node, lockedGoroutines)
	for i := range ring {
		go func() {
			runtime.LockOSThread()
			r := r2(i)
			for n := range ring[i] {
				m := newNode(r)
				m.edges[0] = n.alive()
				back <- m
			}
		}()
	}
	return func() {
		for i := range ring {
			ring[i] <- newNode(r)
		}
		for range ring {
			must((<-back).alive().edges[0] != nil, "no node")
		}
	}
}
