// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This worker makes closures that capture variables and values, method values,
// and funcs in structs.

package main

import "math/rand/v2"

type holder struct {
	get func() *node
	set func(*node)
}

func capture(r *rand.Rand) func() {
	all := make([]holder, 300)
	return func() {
		for range 200 {
			h := &all[r.IntN(len(all))]
			if h.get != nil {
				h.get().alive()
				h.set(newNode(r))
				h.get().alive()
			}
			n := newNode(r)
			switch r.IntN(3) {
			case 0:
				*h = holder{func() *node { return n }, func(m *node) { n = m }}
			case 1:
				*h = holder{n.alive, func(m *node) { n.edges[0] = m }}
			case 2:
				*h = holder{func() *node { return n }, func(m *node) { n.any = func() *node { return m } }}
			}
		}
	}
}
