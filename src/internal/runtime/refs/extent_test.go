// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package refs_test

import (
	"internal/abi"
	. "internal/runtime/refs"
	"math/rand/v2"
	"reflect"
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

// TestExtentOf checks which extents references have whose types do not say what
// the whole object is.
//
//go:nocheckptr
func TestExtentOf(t *testing.T) {
	p := newProcess()
	array, headed, numbers := new([3]small), new([9]wide), new([40]int)
	p.add(array)
	p.add(headed)
	p.add(numbers)
	one := func(n uintptr) Extent { return Extent{Form: ExtentOne, Unit: n} }
	many := func(n uintptr) Extent { return Extent{Form: ExtentMany, Unit: n} }
	for _, test := range []struct {
		name   string
		holder any
		off    uintptr
		want   Extent
	}{
		{"element", &struct{ p *small }{&array[1]}, 0, one(2 * ptrSize)},
		{"field", &struct{ p **int }{&array[1].b}, 0, one(ptrSize)},
		{"element of an object with a header", &struct{ p *wide }{&headed[7]}, 0, one(100 * ptrSize)},
		{"field of an object with a header", &struct{ p **int }{&headed[7].p[5]}, 0, one(ptrSize)},
		{"element without pointers", &struct{ p *int }{&numbers[30]}, 0, one(ptrSize)},
		{"array", &struct{ p *[3]int }{(*[3]int)(numbers[5:])}, 0, one(3 * ptrSize)},
		{"field without pointers, among pointers", &struct{ p *uintptr }{(*uintptr)(unsafe.Pointer(&array[1].b))}, 0, one(ptrSize)},
		{"pointers where the object has none", &struct{ p *small }{(*small)(unsafe.Pointer(numbers))}, 0, Extent{}},
		{"slice", &struct{ s []small }{array[1:2:2]}, 0, many(2 * ptrSize)},
		{"slice among pointers", &struct{ s []byte }{unsafe.Slice((*byte)(unsafe.Pointer(array)), 5)}, 0, many(1)},
		{"string among pointers", &struct{ s string }{unsafe.String((*byte)(unsafe.Pointer(array)), 5)}, 0, many(1)},
		{"interface", &struct{ i any }{&numbers[3]}, ptrSize, one(ptrSize)},
		{"interface without a type", &[2]unsafe.Pointer{nil, unsafe.Pointer(array)}, ptrSize, Extent{}},
		{"unsafe.Pointer", &struct{ p unsafe.Pointer }{unsafe.Pointer(&numbers[30])}, 0, Extent{}},
		{"unsafe.Pointer, with a header", &struct{ p unsafe.Pointer }{unsafe.Pointer(&headed[7])}, 0, Extent{}},
	} {
		node := p.Global(1, false, uintptr(unsafe.Pointer(abi.TypeOf(test.holder).Elem())))
		slot := reflect.ValueOf(test.holder).Pointer() + test.off
		val := p.Word(slot, slot)
		o, _ := p.object(val)
		var k Key
		p.Resolve(&Edge{From: node, Off: test.off, Slot: slot, Val: val}, &o, &k)
		if o.Extent != test.want {
			t.Errorf("%s: extent is %+v, want %+v", test.name, o.Extent, test.want)
		}
		p.kept = append(p.kept, test.holder)
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
	var header struct {
		used uint64
		_    [4]uintptr
	}
	header.used = 5
	inMap := uintptr(unsafe.Pointer(&header)) + p.Layout.MapDir
	table := &struct {
		used, capacity uint16
		_              [6]uintptr
	}{used: 7, capacity: 300}
	inTable := uintptr(unsafe.Pointer(table)) + p.Layout.TableGroups
	queue := &channel{n: 3}
	inChan := uintptr(unsafe.Pointer(queue)) + p.Layout.ChanBuffer
	*(*int)(unsafe.Pointer(array)) = 2 // as if it were a channel
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
		{"only group of a map", Extent{Form: ExtentGroup, Unit: 17}, inMap, base, Bounds{0, 85}},
		{"table of a map", Extent{Form: ExtentTable, Unit: 9}, inTable, base, Bounds{0, 63}},
		{"table whose count is of another", Extent{Form: ExtentTable, Unit: 200}, inTable, base, Bounds{0, 1024}},
		{"buffer of a channel", Extent{Form: ExtentBuffer, Unit: 8}, inChan, base, Bounds{0, 24}},
		{"channel", Extent{Form: ExtentChan, Unit: 10}, 0, base, Bounds{0, p.Layout.ChanSize + 20}},
		{"buffer in a register", Extent{Form: ExtentBuffer, Unit: 8}, 0, base, Bounds{0, 1024}},
		{"slice without a word", Extent{Form: ExtentMany, Unit: 1}, 0, base + 5, Bounds{0, 1024}},
		{"word that may be no pointer", Extent{Form: ExtentDoubtful}, sliceAt, sliceVal, Bounds{0, 1024}},
	} {
		if got := p.BoundsOf(test.x, test.slot, test.val, o, whole); got != test.want {
			t.Errorf("%s: bounds are %v, want %v", test.name, got, test.want)
		}
		if got, want := test.x.Extends(), test.x.Form != ExtentDoubtful; got != want {
			t.Errorf("%s: extends a hull: %v, want %v", test.name, got, want)
		}
	}
}
