// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This worker runs coroutines by iter.Pull. Some run to the end. Others are
// kept for a while without running, and may be stopped.

package main

import (
	"iter"
	"math/rand/v2"
)

func pull(r *rand.Rand) func() {
	nodes := func(yield func(*node) bool) {
		for range 20 {
			if !yield(newNode(r)) {
				return
			}
		}
	}
	type pulled struct {
		next func() (*node, bool)
		stop func()
	}
	kept := make([]pulled, 30)
	return func() {
		for range 10 {
			k := &kept[r.IntN(len(kept))]
			if k.next != nil {
				if n, ok := k.next(); ok {
					n.alive()
				}
				if r.IntN(3) == 0 {
					k.stop()
					k.next = nil
				}
				continue
			}
			k.next, k.stop = iter.Pull(nodes)
		}
		next, stop := iter.Pull(nodes)
		defer stop()
		for {
			n, ok := next()
			if !ok {
				break
			}
			n.alive()
		}
	}
}
