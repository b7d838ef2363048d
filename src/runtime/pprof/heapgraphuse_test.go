// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof_test

import (
	"math/rand/v2"
	"runtime"
	. "runtime/pprof"
	"slices"
	"testing"
	"unsafe"
)

type (
	// A useItem is an element of an array. Its body is in no other element.
	useItem struct {
		id   int
		body *useBody
	}

	useBody struct{ bytes [64]byte }

	// A useHolder has all references to an array.
	useHolder struct {
		cut []useItem // or nil
		one *useItem  // or nil
	}

	// A usePart has what a snapshot must say of an array.
	usePart struct {
		first, end int64 // bytes
		elems      int64
		bodies     int64 // number of elements outside
	}
)

const useItemSize = int64(unsafe.Sizeof(useItem{}))

var useHolders []useHolder

// holdParts makes n arrays, parts of which are used, and returns the parts.
//
//go:noinline
func holdParts(r *rand.Rand, n int) (want []usePart) {
	for range n {
		items := make([]useItem, 200+r.IntN(3000))
		for i := range items {
			items[i] = useItem{i, new(useBody)}
		}
		from := r.IntN(len(items) - 1)
		to := from + 1 + r.IntN(len(items)-from-1)
		h := useHolder{cut: items[from:to]}
		switch i := r.IntN(len(items)); r.IntN(3) {
		case 0:
			h.one = &items[i]
			from, to = min(from, i), max(to, i+1)
		case 1:
			h = useHolder{one: &items[i]} // which claims the array, as one of items
			from, to = i, i+1
		}
		useHolders = append(useHolders, h)
		want = append(want, usePart{int64(from) * useItemSize, int64(to) * useItemSize, int64(to - from), int64(len(items) - (to - from))})
	}
	return want
}

// TestHeapGraphUse compares the used parts of arrays, and what only the other
// elements hold, with those that the program has computed.
func TestHeapGraphUse(t *testing.T) {
	defer func() { useHolders = nil }()
	var want []usePart
	done := make(chan bool)
	go func() { // its stack, with references to whole arrays, ends
		want = holdParts(rand.New(rand.NewPCG(1, 1)), 100)
		close(done)
	}()
	<-done
	runtime.GC()
	g, _ := takeGraph(t, new(HeapGraph))
	d := g.Dominators()
	var got []usePart
	bodySize := int64(unsafe.Sizeof(useBody{}))
	for v, to := g.Objects(); v < to; v++ {
		u, ok := g.Use(v)
		if g.Type(v) != "[]pprof_test.useItem" || !ok {
			continue
		}
		a := d.OutsideOf(v)
		if a.Bytes != a.Objects*bodySize {
			t.Errorf("%d bytes in %d objects are held outside", a.Bytes, a.Objects)
		}
		for _, r := range g.References(v) {
			if out := r.Offset < u.First || r.Offset >= u.End; r.Outside != out {
				t.Errorf("reference %+v is outside of %+v: %v", r, u, out)
			}
		}
		got = append(got, usePart{u.First, u.End, u.EndElem - u.FirstElem, a.Objects})
	}
	order := func(a, b usePart) int {
		return slices.Compare([]int64{a.first, a.end, a.bodies}, []int64{b.first, b.end, b.bodies})
	}
	slices.SortFunc(got, order)
	slices.SortFunc(want, order)
	if !slices.Equal(got, want) {
		t.Errorf("parts are\n%v, want\n%v", got, want)
	}
}
