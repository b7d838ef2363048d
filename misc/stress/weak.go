// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This worker takes the values of weak pointers while the collector decides
// whether the objects are live.

package main

import (
	"math/rand/v2"
	"weak"
)

func pointWeakly(r *rand.Rand) func() {
	weakly := make([]weak.Pointer[node], 1000)
	strongly := make([]*node, 200)
	return func() {
		for range 100 {
			n := newNode(r)
			i := r.IntN(len(weakly))
			weakly[i] = weak.Make(n)
			must(weakly[i].Value() == n, "a weak pointer lost its value")
			strongly[r.IntN(len(strongly))] = n
			if m := weakly[r.IntN(len(weakly))].Value(); m != nil {
				strongly[r.IntN(len(strongly))] = m.alive()
				must(weak.Make(m).Value() == m, "a weak pointer lost its value")
			}
		}
	}
}
