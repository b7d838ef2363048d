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
