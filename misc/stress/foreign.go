// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These workers call C functions that sleep or that call back, and get
// callbacks from threads that C has made. Such threads take Ms from the runtime
// and return them. Builds without cgo do not have these workers.

//go:build cgo

package main

// #include "foreign.h"
import "C"

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
)

var callers = []worker{
	{"cgo", 1, brief, callC},
	{"callbacks", 1, brief, callBack},
	{"foreign", 1, brief, callFromThreads},
}

// called counts calls of goCalled.
var called atomic.Int64

func callC(r *rand.Rand) func() {
	return func() {
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				n := newNode(r2(i))
				C.sleep_briefly(C.int(50 * i))
				n.alive()
			})
		}
		wg.Wait()
	}
}

func callBack(r *rand.Rand) func() {
	return func() {
		n := newNode(r)
		C.call_back(C.int(r.IntN(8)))
		n.alive()
	}
}

func callFromThreads(r *rand.Rand) func() {
	return func() {
		threads, calls := 1+r.IntN(8), 1+r.IntN(20)
		before := called.Load()
		started := int(C.call_from_threads(C.int(threads), C.int(calls)))
		must(started == threads, "started %d of %d threads", started, threads)
		must(called.Load()-before >= int64(threads*calls), "%d calls of %d", called.Load()-before, threads*calls)
	}
}

// goCalled allocates, calls C again if depth is not 0, and parks.
//
//export goCalled
func goCalled(depth C.int) {
	called.Add(1)
	n := newNode(r2(int(depth)))
	if depth > 0 {
		C.call_back(depth - 1)
	}
	c := make(chan *node)
	go func() { c <- n.alive() }()
	runtime.Gosched()
	(<-c).alive()
}
