// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph_test

import (
	"fmt"
	. "internal/heapgraph"
	"io"
	"math/rand/v2"
	"testing"
)

// refs returns n references as a marking processor finds them. Their objects
// are close together, but in no order; most of their targets are not far away.
func refs(r *rand.Rand, n int) []Pair {
	p := make([]Pair, 0, n)
	for len(p) < n {
		region := r.Uint64N(1 << 27)
		for range 32 {
			object := region + r.Uint64N(128)*8
			target := object + r.Uint64N(1<<16)*8
			if r.IntN(4) == 0 {
				target = r.Uint64N(1<<27) &^ 7
			}
			p = append(p, Pair{object, target}, Pair{object + 2, target + 8})
		}
	}
	return p[:n]
}

// BenchmarkRefs writes batches of references.
func BenchmarkRefs(b *testing.B) {
	for _, n := range []int{1 << 12, 1 << 16} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			batch, sorted := refs(r, n), make([]Pair, n)
			w := NewWriter(io.Discard)
			for b.Loop() {
				copy(sorted, batch)
				w.Refs(sorted)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/ref")
			b.ReportMetric(float64(w.Size())/float64(b.N*n), "B/ref")
		})
	}
}
