// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Parts of the recorder of references by themselves: the walk of types, the
// nodes, the order of goroutines. Whole recordings of heaps of known shape are
// in GOROOT/test/refs.go.

package runtime_test

import (
	"internal/abi"
	"internal/goarch"
	"math/rand/v2"
	"reflect"
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

// TestRefsSlotAtPool checks the pointers of sync.Pool whose types the source
// tells by fields of no size.
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

func TestRefsGroupOffset(t *testing.T) {
	group := func(t *abi.Type) (keys, elems, key, elem uintptr) {
		m := (*abi.MapType)(unsafe.Pointer(t))
		return m.KeysOff, m.ElemsOff, m.KeyStride, m.ElemStride
	}
	for _, typ := range []*abi.Type{
		abi.TypeFor[map[int]string](),
		abi.TypeFor[map[string]*int](),
		abi.TypeFor[map[string]struct{}](),
		abi.TypeFor[map[[20]string][10]*int](), // both behind pointers
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

func TestRefsOldest(t *testing.T) {
	for _, n := range []int{0, 1, 15, 16, 17, 1000} {
		goids := make([]uint64, n)
		for i, id := range rand.Perm(n) {
			goids[i] = uint64(id + 1)
		}
		want := make([]int, n)
		for i := range want {
			want[i] = i
		}
		slices.SortFunc(want, func(a, b int) int { return int(goids[a]) - int(goids[b]) })
		want = want[:min(n, 16)]
		if got := RefsOldest(goids); !slices.Equal(got, want) {
			t.Errorf("%d goroutines: %v, want %v", n, got, want)
		}
	}
}

func TestRefsNodes(t *testing.T) {
	tree := NewRefsTree()
	defer tree.Free()
	a, b, c := abi.TypeFor[refsLeaf](), abi.TypeFor[refsWalk](), abi.TypeFor[int]()
	global := tree.Global(1)
	below := tree.Field(global, 8, a)
	deeper := tree.Field(below, 16, b)
	for _, test := range []struct {
		name string
		node uint32
		want uint32
		same bool
	}{
		{"the same variable", tree.Global(1), global, true},
		{"another variable", tree.Global(2), global, false},
		{"the same field", tree.Field(global, 8, a), below, true},
		{"another field", tree.Field(global, 16, a), below, false},
		{"another type", tree.Field(global, 8, c), below, false},
		{"the same type below itself", tree.Field(below, 24, a), below, true},
		{"the same type further below itself", tree.Field(deeper, 0, a), below, true},
		{"another type below", tree.Field(deeper, 0, c), below, false},
		{"the same below another variable", tree.Field(tree.Global(2), 8, a), below, false},
	} {
		if (test.node == test.want) != test.same {
			t.Errorf("%s: nodes %d and %d", test.name, test.node, test.want)
		}
	}
}

// TestRefsNodesFull checks that what there is no room for is counted at the
// parent, and as lost.
func TestRefsNodesFull(t *testing.T) {
	tree := NewRefsTree()
	defer tree.Free()
	parent := tree.Global(1)
	typ := abi.TypeFor[int]()
	nodes, lost := map[uint32]bool{}, 0
	for off := range uintptr(RefsMaxNodes + 10) {
		n := tree.Field(parent, off, typ)
		above, isLost := RefsIsLost(n)
		if isLost {
			lost++
			if above != parent {
				t.Fatalf("lost below %d, want %d", above, parent)
			}
		} else if nodes[n] {
			t.Fatalf("node %d is given out twice", n)
		}
		nodes[n] = true
		tree.Count(n, 1, 32)
	}
	if lost < 10 || lost > 20 {
		t.Errorf("%d of %d nodes are lost", lost, RefsMaxNodes+10)
	}
	if objects, bytes := tree.Lost(); objects != int64(lost) || bytes != int64(lost)*32 {
		t.Errorf("%d objects, %d bytes are lost, want %d, %d", objects, bytes, lost, lost*32)
	}
	if objects, _ := tree.At(parent); objects != int64(lost) {
		t.Errorf("%d objects at the parent, want %d", objects, lost)
	}
	if n := tree.Global(2); n != tree.Global(3) {
		t.Errorf("roots without room are at %d and %d", n, tree.Global(3))
	}
}

// TestRefsNodesDeep checks the same of a path that is too long: of *int, **int,
// ...
func TestRefsNodesDeep(t *testing.T) {
	tree := NewRefsTree()
	defer tree.Free()
	n := tree.Global(1)
	typ := reflect.TypeFor[int]()
	for depth := 2; depth <= RefsMaxDepth; depth++ {
		typ = reflect.PointerTo(typ)
		n = tree.Field(n, 0, abi.TypeOf(reflect.Zero(typ).Interface()))
		if _, lost := RefsIsLost(n); lost {
			t.Fatalf("path of %d elements is lost", depth)
		}
	}
	below := tree.Field(n, 0, abi.TypeFor[string]())
	if parent, lost := RefsIsLost(below); !lost || parent != n {
		t.Errorf("path of %d elements: lost = %v, parent %d, want %d", RefsMaxDepth+1, lost, parent, n)
	}
	if again := tree.Field(below, 8, abi.TypeFor[string]()); again != below {
		t.Errorf("below a lost node is %d, want %d", again, below)
	}
}

// TestRefsNodesUnknown checks that objects of unknown type below each other are
// at one node.
func TestRefsNodesUnknown(t *testing.T) {
	tree := NewRefsTree()
	defer tree.Free()
	n := tree.Field(tree.Global(1), 0, nil)
	if below := tree.Field(n, 8, nil); below != n {
		t.Errorf("nodes %d and %d", n, below)
	}
}
