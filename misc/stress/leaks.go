// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This worker leaks goroutines that are blocked forever, which the
// goroutineleak profile finds. It leaks only a few, because they stay. The file
// also has heap dumps, which end the process if the profile has found such a
// goroutine. Upstream's do so, too ("dumpgs in STW - bad status"). Therefore a
// run has either leaks or dumps.

package main

import (
	"math/rand/v2"
	"os"
	"runtime/debug"
)

const mostLeaks = 50

// dumps reports whether this run has heap dumps instead of leaks.
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
