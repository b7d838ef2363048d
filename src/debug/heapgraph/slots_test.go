// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph

import (
	format "internal/heapgraph"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSlots compares the numbers of random slots with their order.
func TestSlots(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		var spans []format.Span
		var objects []uint64 // addresses
		for start := r.Uint64N(5000); len(spans) < 1+r.IntN(30); start += r.Uint64N(2) * r.Uint64N(5000) {
			s := format.Span{Start: start, Slots: 1 + r.Uint64N(200), SlotSize: 1 + r.Uint64N(20)}
			spans = append(spans, s)
			for i := range s.Slots {
				if r.IntN(3) == 0 {
					objects = append(objects, start+i*s.SlotSize)
				}
			}
			start = s.End()
		}
		r.Shuffle(len(spans), func(i, j int) { spans[i], spans[j] = spans[j], spans[i] })
		var table slotTable
		if err := table.init(spans); err != nil {
			t.Fatal(err)
		}
		for _, a := range objects {
			s := table.find(a)
			table.mark(s, s.slot(a))
		}
		const first = 3
		if n := table.number(first); n != uint64(first+len(objects)) {
			t.Fatalf("seed %d: the number after the last one is %d, of %d objects", seed, n, len(objects))
		}
		for _, x := range spans {
			for a := x.Start; a < x.End(); a++ {
				s := table.find(a)
				if s == nil || s.start != x.Start || s.end != x.End() {
					t.Fatalf("seed %d: the span of %d is %v, want %v", seed, a, s, x)
				}
				slot := s.slot(a)
				i, is := slices.BinarySearch(objects, s.address(slot))
				if table.isObject(s, slot) != is {
					t.Fatalf("seed %d: the slot of %d is an object: %v", seed, a, !is)
				}
				if !is {
					continue
				}
				v := table.vertex(s, slot)
				if s2, slot2 := table.place(v); v != Vertex(first+i) || s2 != s || slot2 != slot {
					t.Fatalf("seed %d: object %d has the number %d, and that has slot %d", seed, i, v, slot2)
				}
			}
			if s := table.find(x.End()); s != nil && s.start != x.End() {
				t.Fatalf("seed %d: the span of %d is %v", seed, x.End(), s)
			}
		}
	}
}

// TestWords compares the words that have references with the words that were
// marked.
func TestWords(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for range 100 {
		start := r.Uint64N(1000)
		s := span{start: start, end: start + 1 + r.Uint64N(maxDense)}
		marked := make(map[uint64]bool)
		for range r.IntN(300) {
			a := start + r.Uint64N(s.end-start)
			if s.markWord(a) != marked[a] {
				t.Fatalf("word %d was marked: %v", a, !marked[a])
			}
			marked[a] = true
		}
		for range 100 {
			from := start + r.Uint64N(s.end-start)
			to := from + r.Uint64N(s.end-from+1)
			n := uint32(0)
			for a := from; a < to; a++ {
				if !marked[a] {
					continue
				}
				if got := s.word(from, n); got != a {
					t.Fatalf("from %d on, word %d is %d, want %d", from, n, got, a)
				}
				n++
			}
			if got := s.wordsBefore(from, to); got != n {
				t.Fatalf("from %d to %d, there are %d words, want %d", from, to, got, n)
			}
		}
	}
}
