// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package dominators_test

import (
	. "internal/dominators"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAlloc checks that a tree in the caller's memory is the same as one that
// Compute allocates, and takes the documented amount of memory.
func TestAlloc(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 3))
		g := random(r, 1+r.IntN(3000))
		want := Compute(g)
		numbers := 0
		g.Alloc = func(n int) []uint32 {
			numbers += n
			return make([]uint32, n)
		}
		got := Compute(g)
		if !slices.Equal(got.Vertex, want.Vertex) || !slices.Equal(got.Idom, want.Idom) {
			t.Fatalf("graph %d: trees differ", seed)
		}
		n := len(g.Off) - 1
		if most := 6*n + 2*max(0, len(g.Dst)-(n-1)) + 4; numbers > most {
			t.Errorf("graph %d takes %d numbers, want at most %d", seed, numbers, most)
		}
	}
}
