// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package refs_test

import (
	"internal/abi"
	. "internal/runtime/refs"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
)

type leaf struct{ p *int }

type walked struct {
	n      int
	ptr    *leaf
	slice  []string
	str    string
	m      map[int]*int
	ch     chan int
	fn     func()
	any    any
	err    error
	raw    unsafe.Pointer
	inner  struct{ a, b *int8 }
	array  [3]struct{ x, y *int16 }
	nested [2][2]*int32
	empty  [0]*int
	atomic atomic.Pointer[leaf]
	value  atomic.Value
	addr   uintptr
}

func TestSlotAt(t *testing.T) {
	var w walked
	p := newProcess()
	all := abi.TypeFor[walked]()
	for _, test := range []struct {
		name string
		typ  *abi.Type
		off  uintptr
		want Slot
	}{
		{"no pointer", all, unsafe.Offsetof(w.n), Slot{}},
		{"pointer", all, unsafe.Offsetof(w.ptr), Slot{SlotPointer, unsafe.Offsetof(w.ptr), typeFor[leaf]()}},
		{"slice", all, unsafe.Offsetof(w.slice), Slot{SlotSlice, unsafe.Offsetof(w.slice), typeFor[string]()}},
		{"length of a slice", all, unsafe.Offsetof(w.slice) + ptrSize, Slot{}},
		{"string", all, unsafe.Offsetof(w.str), Slot{SlotString, unsafe.Offsetof(w.str), typeFor[uint8]()}},
		{"map", all, unsafe.Offsetof(w.m), Slot{SlotMap, unsafe.Offsetof(w.m), typeFor[map[int]*int]()}},
		{"chan", all, unsafe.Offsetof(w.ch), Slot{SlotChan, unsafe.Offsetof(w.ch), typeFor[chan int]()}},
		{"func", all, unsafe.Offsetof(w.fn), Slot{SlotFunc, unsafe.Offsetof(w.fn), typeFor[func()]()}},
		{"eface's type", all, unsafe.Offsetof(w.any), Slot{SlotIfaceType, unsafe.Offsetof(w.any), typeFor[any]()}},
		{"eface", all, unsafe.Offsetof(w.any) + ptrSize, Slot{SlotEface, unsafe.Offsetof(w.any) + ptrSize, typeFor[any]()}},
		{"iface", all, unsafe.Offsetof(w.err) + ptrSize, Slot{SlotIface, unsafe.Offsetof(w.err) + ptrSize, typeFor[error]()}},
		{"unsafe.Pointer", all, unsafe.Offsetof(w.raw), Slot{SlotUnsafe, unsafe.Offsetof(w.raw), typeFor[unsafe.Pointer]()}},
		{"field of a struct", all, unsafe.Offsetof(w.inner) + ptrSize, Slot{SlotPointer, unsafe.Offsetof(w.inner) + ptrSize, typeFor[int8]()}},
		{"field of an array's last struct", all, unsafe.Offsetof(w.array) + 5*ptrSize, Slot{SlotPointer, unsafe.Offsetof(w.array) + ptrSize, typeFor[int16]()}},
		{"array of arrays", all, unsafe.Offsetof(w.nested) + 3*ptrSize, Slot{SlotPointer, unsafe.Offsetof(w.nested), typeFor[int32]()}},
		{"behind an empty array", all, unsafe.Offsetof(w.atomic), Slot{SlotPointer, unsafe.Offsetof(w.atomic), typeFor[leaf]()}},
		{"atomic.Value", all, unsafe.Offsetof(w.value) + ptrSize, Slot{SlotEface, unsafe.Offsetof(w.value) + ptrSize, typeFor[any]()}},
		{"uintptr", all, unsafe.Offsetof(w.addr), Slot{}},
		{"behind the type", all, unsafe.Sizeof(w), Slot{}},
		{"pointer by itself", abi.TypeFor[*leaf](), 0, Slot{SlotPointer, 0, typeFor[leaf]()}},
		{"behind a pointer", abi.TypeFor[*leaf](), ptrSize, Slot{}},
		{"array", abi.TypeFor[[4]*int](), 3 * ptrSize, Slot{SlotPointer, 0, typeFor[int]()}},
		{"no type", nil, 0, Slot{}},
	} {
		if got := p.SlotAt(test.typ, test.off); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

// TestSlotAtPool checks the pointers of sync.Pool, whose types the source gives
// by fields of size 0.
func TestSlotAtPool(t *testing.T) {
	p := newProcess()
	pool := abi.TypeFor[sync.Pool]()
	var found []string
	for off := uintptr(0); off < pool.Size_; off += ptrSize {
		if s := p.SlotAt(pool, off); s.Kind == SlotPool {
			found = append(found, p.Name((*abi.Type)(unsafe.Pointer(s.Type))))
		}
	}
	if want := []string{"sync.poolLocal", "sync.poolLocal"}; !slices.Equal(found, want) {
		t.Errorf("pointers to %q, want %q", found, want)
	}
}

// groupTypes are types of maps whose groups differ.
var groupTypes = []*abi.Type{
	abi.TypeFor[map[int]string](),
	abi.TypeFor[map[string]*int](),
	abi.TypeFor[map[string]struct{}](),
	abi.TypeFor[map[[40]string][40]*int](), // the map has pointers to keys and to elements
	abi.TypeFor[map[any]map[int]int](),
}

func TestGroups(t *testing.T) {
	for _, typ := range groupTypes {
		m := (*abi.MapType)(unsafe.Pointer(typ))
		g := GroupsOf(m)
		size := func(t *abi.Type, indirect bool) uintptr {
			if indirect {
				return ptrSize
			}
			return t.Size_
		}
		for slot := uintptr(0); slot < abi.MapGroupSlots; slot++ {
			for in := uintptr(0); in < min(g.KeyStride, size(m.Key, m.IndirectKey())); in += ptrSize {
				if isElem, got := g.Offset(g.Keys + slot*g.KeyStride + in); isElem || got != in {
					t.Errorf("%s: key %d at %d: element = %v, at %d", reflected(typ), slot, in, isElem, got)
				}
			}
			for in := uintptr(0); in < size(m.Elem, m.IndirectElem()); in += ptrSize {
				if isElem, got := g.Offset(g.Elems + slot*g.ElemStride + in); !isElem || got != in {
					t.Errorf("%s: element %d at %d: element = %v, at %d", reflected(typ), slot, in, isElem, got)
				}
			}
		}
	}
}

// TestGroupsMistaken has layouts that no map has, as a mistaken type may have.
// Whatever they are, an offset in a group has an answer.
func TestGroupsMistaken(t *testing.T) {
	words := []uintptr{0, 1, ptrSize, 100, ^uintptr(0)}
	for n := range len(words) * len(words) * len(words) * len(words) * len(words) {
		word := func() uintptr {
			w := words[n%len(words)]
			n /= len(words)
			return w
		}
		g := Groups{Keys: word(), KeyStride: word(), Elems: word(), ElemStride: word()}
		off := word()
		if _, in := g.Offset(off); in > off {
			t.Errorf("offset %d in %+v: at %d", off, g, in)
		}
	}
}

func TestElement(t *testing.T) {
	p := newProcess()
	for _, test := range []struct {
		t    *abi.Type
		want uintptr
	}{
		{abi.TypeFor[int](), typeFor[int]()},
		{abi.TypeFor[[2][3]int](), typeFor[int]()},
		{abi.TypeFor[[2][0]int](), typeFor[[0]int]()},
		{nil, 0},
	} {
		if got := p.Element(test.t); got != test.want {
			t.Errorf("the element of %v is %v", reflected(test.t), reflected((*abi.Type)(unsafe.Pointer(got))))
		}
	}
}
