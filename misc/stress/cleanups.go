// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This worker adds cleanups: some that it stops, several for one object, and
// some for tiny objects.

package main

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
)

// cleaned counts cleanups that ran.
var cleaned atomic.Int64

func cleanUp(r *rand.Rand) func() {
	kept := make([]*node, 100)
	return func() {
		for range 30 {
			n := newNode(r)
			first := runtime.AddCleanup(n, func(arg *node) { arg.alive(); cleaned.Add(1) }, newNode(r))
			runtime.AddCleanup(n, func(arg [3]*node) { arg[1].alive() }, [3]*node{1: newNode(r)})
			if r.IntN(3) == 0 {
				first.Stop()
			}
			tiny := new(byte)
			runtime.AddCleanup(tiny, func(int) { cleaned.Add(1) }, 1)
			kept[r.IntN(len(kept))] = n
		}
	}
}
