// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Types: the reference at each offset of a value.

package runtime_test

import (
	"internal/abi"
	"internal/goarch"
	. "runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
)

const refsPtr = goarch.PtrSize

type refsLeaf struct{ p *int }

type refsWalk struct {
	n      int
	ptr    *refsLeaf
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
	atomic atomic.Pointer[refsLeaf]
	value  atomic.Value
	addr   uintptr
}

func TestRefsSlotAt(t *testing.T) {
	var w refsWalk
	walk := abi.TypeFor[refsWalk]()
	for _, test := range []struct {
		name string
		typ  *abi.Type
		off  uintptr
		want RefsSlot
	}{
		{"no pointer", walk, unsafe.Offsetof(w.n), RefsSlot{}},
		{"pointer", walk, unsafe.Offsetof(w.ptr), RefsSlot{"pointer", unsafe.Offsetof(w.ptr), abi.TypeFor[refsLeaf]()}},
		{"slice", walk, unsafe.Offsetof(w.slice), RefsSlot{"slice", unsafe.Offsetof(w.slice), abi.TypeFor[string]()}},
		{"length of a slice", walk, unsafe.Offsetof(w.slice) + refsPtr, RefsSlot{}},
		{"string", walk, unsafe.Offsetof(w.str), RefsSlot{"string", unsafe.Offsetof(w.str), abi.TypeFor[uint8]()}},
		{"map", walk, unsafe.Offsetof(w.m), RefsSlot{"map", unsafe.Offsetof(w.m), abi.TypeFor[map[int]*int]()}},
		{"chan", walk, unsafe.Offsetof(w.ch), RefsSlot{"chan", unsafe.Offsetof(w.ch), abi.TypeFor[chan int]()}},
		{"func", walk, unsafe.Offsetof(w.fn), RefsSlot{"func", unsafe.Offsetof(w.fn), abi.TypeFor[func()]()}},
		{"eface's type", walk, unsafe.Offsetof(w.any), RefsSlot{"interface's type", unsafe.Offsetof(w.any), abi.TypeFor[any]()}},
		{"eface", walk, unsafe.Offsetof(w.any) + refsPtr, RefsSlot{"interface", unsafe.Offsetof(w.any) + refsPtr, abi.TypeFor[any]()}},
		{"iface", walk, unsafe.Offsetof(w.err) + refsPtr, RefsSlot{"interface", unsafe.Offsetof(w.err) + refsPtr, abi.TypeFor[error]()}},
		{"unsafe.Pointer", walk, unsafe.Offsetof(w.raw), RefsSlot{"unsafe.Pointer", unsafe.Offsetof(w.raw), abi.TypeFor[unsafe.Pointer]()}},
		{"field of a struct", walk, unsafe.Offsetof(w.inner) + refsPtr, RefsSlot{"pointer", unsafe.Offsetof(w.inner) + refsPtr, abi.TypeFor[int8]()}},
		{"field of an array's last struct", walk, unsafe.Offsetof(w.array) + 5*refsPtr, RefsSlot{"pointer", unsafe.Offsetof(w.array) + refsPtr, abi.TypeFor[int16]()}},
		{"array of arrays", walk, unsafe.Offsetof(w.nested) + 3*refsPtr, RefsSlot{"pointer", unsafe.Offsetof(w.nested), abi.TypeFor[int32]()}},
		{"behind an empty array", walk, unsafe.Offsetof(w.atomic), RefsSlot{"pointer", unsafe.Offsetof(w.atomic), abi.TypeFor[refsLeaf]()}},
		{"atomic.Value", walk, unsafe.Offsetof(w.value) + refsPtr, RefsSlot{"interface", unsafe.Offsetof(w.value) + refsPtr, abi.TypeFor[any]()}},
		{"uintptr", walk, unsafe.Offsetof(w.addr), RefsSlot{}},
		{"behind the type", walk, unsafe.Sizeof(w), RefsSlot{}},
		{"pointer by itself", abi.TypeFor[*refsLeaf](), 0, RefsSlot{"pointer", 0, abi.TypeFor[refsLeaf]()}},
		{"behind a pointer", abi.TypeFor[*refsLeaf](), refsPtr, RefsSlot{}},
		{"array", abi.TypeFor[[4]*int](), 3 * refsPtr, RefsSlot{"pointer", 0, abi.TypeFor[int]()}},
		{"no type", nil, 0, RefsSlot{}},
	} {
		if got := RefsSlotAt(test.typ, test.off); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

// TestRefsSlotAtPool checks the pointers of sync.Pool, whose types the source
// gives by fields of size 0.
func TestRefsSlotAtPool(t *testing.T) {
	pool := abi.TypeFor[sync.Pool]()
	var found []string
	for off := uintptr(0); off < pool.Size_; off += refsPtr {
		if s := RefsSlotAt(pool, off); s.Kind == "pool" {
			found = append(found, RefsTypeString(s.Type))
		}
	}
	if want := []string{"sync.poolLocal", "sync.poolLocal"}; !slices.Equal(found, want) {
		t.Errorf("pointers to %q, want %q", found, want)
	}
}
