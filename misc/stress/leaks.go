// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Goroutines that are blocked for ever, which the goroutineleak profile finds. There are
// a few, for they stay. And heap dumps, which end the process if there is a goroutine
// that was found so: upstream's, too ("dumpgs in STW - bad status"). Hence a run has
// one or the other.

package main

import (
	"math/rand/v2"
	"os"
	"runtime/debug"
)

const mostLeaks = 50

// dumps reports whether this run has heap dumps, not leaks.
func dumps() bool { return *seed%2 == 0 }

func leakGoroutines(r *rand.Rand) func() {
	leaked := 0
	return func() {
		if dumps() || leaked == mostLeaks {
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

func dumpHeap(*rand.Rand) func() {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	check(err)
	return func() {
		if dumps() {
			debug.WriteHeapDump(null.Fd())
		}
	}
}
