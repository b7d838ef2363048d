// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This worker allocates objects that have spans of their own, with many
// pointers, a few, or none. It keeps some of them by a pointer into their
// middle.

package main

import "math/rand/v2"

func allocateLarge(r *rand.Rand) func() {
	var kept [4]any
	return func() {
		n := 1 + r.IntN(100_000)
		i := r.IntN(len(kept))
		switch r.IntN(4) {
		case 0:
			s := make([]*node, n)
			for range 100 {
				s[r.IntN(n)] = newNode(r)
			}
			kept[i] = s[r.IntN(n):]
		case 1:
			kept[i] = make([]byte, 10*n)
		case 2:
			s := make([]struct {
				_ [1000]byte
				n *node
			}, 1+n/1000)
			s[r.IntN(len(s))].n = newNode(r)
			kept[i] = &s[r.IntN(len(s))].n
		case 3:
			kept[i] = nil
		}
		for _, k := range kept {
			if s, ok := k.([]*node); ok {
				s[len(s)-1].alive()
			}
		}
	}
}
