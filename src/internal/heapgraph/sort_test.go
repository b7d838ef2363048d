// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

func byAddr(x, y Pair) int { return cmp.Compare(x.Addr, y.Addr) }

func TestSortPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var tmp []Pair
	for n := range 200 {
		a := make([]Pair, r.IntN(50*n+1))
		mask := r.Uint64() & r.Uint64() >> r.IntN(64)
		for i := range a {
			a[i] = Pair{r.Uint64() & mask, uint64(i)}
		}
		want := slices.Clone(a)
		slices.SortStableFunc(want, byAddr)
		tmp = sortPairs(a, tmp)
		if !slices.Equal(a, want) {
			t.Fatalf("%d pairs whose addresses have the bits %#x are in a wrong order", len(a), mask)
		}
	}
}

func BenchmarkSort(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 4))
	batch, a := make([]Pair, 1<<12), make([]Pair, 1<<12)
	for i := range batch {
		batch[i] = Pair{r.Uint64N(1 << 28), 0}
	}
	b.Run("radix", func(b *testing.B) {
		var tmp []Pair
		for b.Loop() {
			copy(a, batch)
			tmp = sortPairs(a, tmp)
		}
	})
	b.Run("comparison", func(b *testing.B) {
		for b.Loop() {
			copy(a, batch)
			slices.SortFunc(a, byAddr)
		}
	})
}
