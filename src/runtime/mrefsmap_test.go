// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Offsets in groups of maps.

package runtime_test

import (
	"internal/abi"
	. "runtime"
	"testing"
	"unsafe"
)

func TestRefsGroupOffset(t *testing.T) {
	group := func(t *abi.Type) (keys, elems, key, elem uintptr) {
		m := (*abi.MapType)(unsafe.Pointer(t))
		return m.KeysOff, m.ElemsOff, m.KeyStride, m.ElemStride
	}
	for _, typ := range []*abi.Type{
		abi.TypeFor[map[int]string](),
		abi.TypeFor[map[string]*int](),
		abi.TypeFor[map[string]struct{}](),
		abi.TypeFor[map[[40]string][40]*int](), // the map has pointers to keys and to elements
		abi.TypeFor[map[any]map[int]int](),
	} {
		keysOff, elemsOff, keyStride, elemStride := group(typ)
		for slot := uintptr(0); slot < abi.MapGroupSlots; slot++ {
			for in := uintptr(0); in < min(keyStride, refsKeySize(typ)); in += refsPtr {
				if isElem, got := RefsGroupOffset(typ, keysOff+slot*keyStride+in); isElem || got != in {
					t.Errorf("key %d at %d: element = %v, at %d", slot, in, isElem, got)
				}
			}
			for in := uintptr(0); in < refsElemSize(typ); in += refsPtr {
				if isElem, got := RefsGroupOffset(typ, elemsOff+slot*elemStride+in); !isElem || got != in {
					t.Errorf("element %d at %d: element = %v, at %d", slot, in, isElem, got)
				}
			}
		}
	}
}

// TestRefsGroupOffsetMistaken has layouts that no map has, as a mistaken type
// may have. Whatever they are, an offset in a group has an answer.
func TestRefsGroupOffsetMistaken(t *testing.T) {
	values := []uintptr{0, 1, refsPtr, 100, ^uintptr(0)}
	var m abi.MapType
	n := (unsafe.Sizeof(m) - unsafe.Offsetof(m.GroupSize)) / refsPtr
	layout := unsafe.Slice(&m.GroupSize, n)
	for choice := 0; ; choice++ {
		rest := choice
		for i := range layout {
			layout[i] = values[rest%len(values)]
			rest /= len(values)
		}
		if rest > 0 {
			break
		}
		for _, off := range values {
			if _, in := RefsGroupOffset(&m.Type, off); in > off {
				t.Errorf("offset %d in %v: at %d", off, layout, in)
			}
		}
	}
}

func refsKeySize(t *abi.Type) uintptr {
	m := (*abi.MapType)(unsafe.Pointer(t))
	if m.IndirectKey() {
		return refsPtr
	}
	return m.Key.Size_
}

func refsElemSize(t *abi.Type) uintptr {
	m := (*abi.MapType)(unsafe.Pointer(t))
	if m.IndirectElem() {
		return refsPtr
	}
	return m.Elem.Size_
}
