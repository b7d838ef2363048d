// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package refs_test

import (
	. "internal/runtime/refs"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// TestHull adds random bounds in all orders of a few. The hull must be that of
// the lowest and the highest.
func TestHull(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		size := uintptr(1 + r.Uint64N(1<<r.IntN(31)))
		h, lo, hi := Hull(0), size, uintptr(0)
		for range 1 + r.IntN(4) {
			first := uintptr(r.Uint64N(uint64(size)))
			b := Bounds{first, first + uintptr(r.Uint64N(uint64(size-first)+1))}
			if h = h.With(b, size); b.Len() != 0 {
				lo, hi = min(lo, b.First), max(hi, b.End)
			}
			if r.IntN(3) == 0 {
				h |= Counted
			}
		}
		want := uintptr(0)
		if lo < hi {
			want = hi - lo
		}
		if got := h.Used(size); got != want {
			t.Fatalf("object of %d bytes: %d are used, want %d", size, got, want)
		}
	}
}

// TestHullLarge checks objects whose bounds have units of several bytes.
func TestHullLarge(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) == 4 {
		t.Skip("no object is so large")
	}
	one := uintptr(1)
	for _, shift := range []uint{31, 33, 40} {
		size := one<<shift + 8
		if got := Hull(0).With(Bounds{0, size}, size).Used(size); got != size {
			t.Errorf("%d bytes of %d are used", got, size)
		}
		unit := max(one<<shift>>30, 1)
		if got := Hull(0).With(Bounds{1001, 2001}, size).Used(size); got < 1000 || got > 1000+2*unit {
			t.Errorf("%d bytes are used, want 1000 and a little more", got)
		}
	}
}

// TestExtents checks which bytes of an object references of all kinds refer to.
func TestExtents(t *testing.T) {
	p := newProcess()
	array := new([1000]byte)
	slice, text := array[100:300], unsafe.String(&array[500], 20)
	base := uintptr(unsafe.Pointer(array))
	o := &Target{Base: base, Data: base, Size: 1024, Class: 1}
	whole := p.Whole(o)
	at := func(v unsafe.Pointer) (slot, val uintptr) { return uintptr(v), *(*uintptr)(v) }
	sliceAt, sliceVal := at(unsafe.Pointer(&slice))
	textAt, textVal := at(unsafe.Pointer(&text))
	for _, test := range []struct {
		name      string
		x         Extent
		slot, val uintptr
		want      Bounds
	}{
		{"unknown", Extent{}, 0, base + 8, Bounds{0, 1024}},
		{"pointer", Extent{Form: ExtentOne, Unit: 1000}, 0, base, Bounds{0, 1000}},
		{"pointer into it", Extent{Form: ExtentOne, Unit: 8}, 0, base + 16, Bounds{16, 24}},
		{"pointer to a longer type", Extent{Form: ExtentOne, Unit: 2000}, 0, base + 16, Bounds{16, 1024}},
		{"slice", Extent{Form: ExtentMany, Unit: 1}, sliceAt, sliceVal, Bounds{100, 300}},
		{"slice of longer elements", Extent{Form: ExtentMany, Unit: 4}, sliceAt, sliceVal, Bounds{100, 900}},
		{"slice that is longer than the object", Extent{Form: ExtentMany, Unit: 16}, sliceAt, sliceVal, Bounds{100, 1024}},
		{"string", Extent{Form: ExtentMany, Unit: 1}, textAt, textVal, Bounds{500, 520}},
		{"slice without a word", Extent{Form: ExtentMany, Unit: 1}, 0, base + 5, Bounds{0, 1024}},
	} {
		if got := p.BoundsOf(test.x, test.slot, test.val, o, whole); got != test.want {
			t.Errorf("%s: bounds are %v, want %v", test.name, got, test.want)
		}
	}
}
