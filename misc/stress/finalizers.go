// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This worker sets finalizers that run, are replaced, and revive objects for a
// second finalizer.

package main

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
)

// revived has objects that a finalizer found unreachable.
var revived [100]atomic.Pointer[node]

func finalize(r *rand.Rand) func() {
	kept := make([]*node, 100)
	return func() {
		for range 30 {
			n := newNode(r)
			n.edges[0] = newNode(r)
			runtime.SetFinalizer(n, func(n *node) {
				n.alive().edges[0].alive()
				revived[len(n.text)%len(revived)].Store(n)
			})
			switch r.IntN(4) {
			case 0:
				runtime.SetFinalizer(n, nil)
			case 1:
				runtime.SetFinalizer(n, nil)
				runtime.SetFinalizer(n, func(n *node) { n.alive() })
			}
			kept[r.IntN(len(kept))] = n
			if m := revived[r.IntN(len(revived))].Swap(nil); m != nil {
				m.alive().edges[0].alive()
				runtime.SetFinalizer(m, func(n *node) { n.alive() })
			}
		}
	}
}
