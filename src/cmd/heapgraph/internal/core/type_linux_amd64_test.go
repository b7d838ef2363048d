// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package core

import (
	"bytes"
	"internal/abi"
	"internal/runtime/refs"
	"io"
	"maps"
	"reflect"
	"sync"
	"testing"
	"time"
	"unsafe"
)

type recursive struct {
	Next *recursive `json:"next"`
	io.Reader
	list [2][]map[string]*recursive
	f    func(int, ...string) (error, chan<- bool)
}

// typesInUse has the types that TestTypes reads, and keeps those that package
// reflect makes.
var typesInUse = []reflect.Type{
	reflect.TypeFor[int](),
	reflect.TypeFor[string](),
	reflect.TypeFor[error](),
	reflect.TypeFor[any](),
	reflect.TypeFor[unsafe.Pointer](),
	reflect.TypeFor[recursive](),
	reflect.TypeFor[**recursive](),
	reflect.TypeFor[generic[map[time.Time][]recursive]](),
	reflect.TypeFor[map[[3]int16]struct{}](),
	reflect.TypeFor[<-chan chan int](),
	reflect.TypeFor[struct {
		A, b int
		_    [0]func()
	}](),
	reflect.TypeFor[func() (a, b complex128)](),
	reflect.TypeFor[sync.Map](),
	reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[[]*recursive](), Tag: "x"}, {Name: "B", Type: reflect.TypeFor[[5]string]()}}),
	reflect.ArrayOf(7, reflect.TypeFor[recursive]()),
	reflect.MapOf(reflect.TypeFor[uint8](), reflect.TypeFor[recursive]()),
	reflect.FuncOf([]reflect.Type{reflect.TypeFor[recursive]()}, []reflect.Type{reflect.TypeFor[uint16]()}, false),
}

// typeOf returns the type of p whose descriptor is that of t.
func (p *process) typeOf(t reflect.Type) *Type {
	return p.typeAt(uint64((*[2]uintptr)(unsafe.Pointer(&t))[1]))
}

// TestTypes compares types with those of package reflect.
func TestTypes(t *testing.T) {
	p := selfProcess(t)
	for _, want := range typesInUse {
		got := p.typeOf(want)
		if got == nil {
			t.Errorf("%v is not there", want)
			continue
		}
		checkType(t, got, want, make(map[reflect.Type]bool))
	}
	if got := p.typeAt(addr(&numbers)); got != nil {
		t.Errorf("a variable is a type: %v", got)
	}
}

// checkType compares two types and those to which they refer.
func checkType(t *testing.T, got, want reflect.Type, seen map[reflect.Type]bool) {
	t.Helper()
	if seen[want] {
		return
	}
	seen[want] = true
	if got.String() != want.String() || got.Name() != want.Name() || got.PkgPath() != want.PkgPath() || got.Kind() != want.Kind() || got.Size() != want.Size() {
		t.Errorf("the type is %v, want %v", got, want)
		return
	}
	part := func(got, want reflect.Type) { t.Helper(); checkType(t, got, want, seen) }
	switch want.Kind() {
	case reflect.Pointer, reflect.Slice:
		part(got.Elem(), want.Elem())
	case reflect.Array:
		part(got.Elem(), want.Elem())
		if got.Len() != want.Len() {
			t.Errorf("%v has %d elements", want, got.Len())
		}
	case reflect.Chan:
		part(got.Elem(), want.Elem())
		if got.ChanDir() != want.ChanDir() {
			t.Errorf("%v has the direction %v", want, got.ChanDir())
		}
	case reflect.Map:
		part(got.Key(), want.Key())
		part(got.Elem(), want.Elem())
	case reflect.Func:
		if got.NumIn() != want.NumIn() || got.NumOut() != want.NumOut() || got.IsVariadic() != want.IsVariadic() {
			t.Errorf("%v has %d parameters and %d results", want, got.NumIn(), got.NumOut())
			return
		}
		for i := range want.NumIn() {
			part(got.In(i), want.In(i))
		}
		for i := range want.NumOut() {
			part(got.Out(i), want.Out(i))
		}
	case reflect.Struct:
		if got.NumField() != want.NumField() {
			t.Errorf("%v has %d fields", want, got.NumField())
			return
		}
		for i := range want.NumField() {
			g, w := got.Field(i), want.Field(i)
			if g.Name != w.Name || g.Tag != w.Tag || g.Offset != w.Offset || g.Anonymous != w.Anonymous {
				t.Errorf("field %d of %v is %+v, want %+v", i, want, g, w)
			}
			part(g.Type, w.Type)
		}
	}
}

// TestKnownTypes checks that findTypes finds the types.
func TestKnownTypes(t *testing.T) {
	k := &selfProcess(t).known
	for want, got := range map[string]*Type{
		"runtime.g": k.g, "runtime.m": k.m, "runtime.mPadded": k.mPadded, "runtime.p": k.proc, "runtime.sudog": k.sudog,
		"runtime._defer": k.defers, "maps.Iter": k.iter, "runtime.timer": k.timer, "runtime.timeTimer": k.timeTimer,
		"atomic.Uintptr": k.uintptr, "uint8": k.bytes, "string": k.str,
	} {
		if got == nil || got.String() != want {
			t.Errorf("%s is %v", want, got)
		}
	}
}

// TestMasks compares pointer masks that the compiler has made with those that
// buildMask makes.
func TestMasks(t *testing.T) {
	p := selfProcess(t)
	for _, typ := range append(typesInUse, reflect.TypeFor[withPointers[[9]any]]()) {
		if got := p.typeOf(typ); got.m != nil && !bytes.Equal(got.mask(), got.buildMask()) {
			t.Errorf("%v has the mask %b, and %b is made", typ, got.mask(), got.buildMask())
		}
	}
}

type withPointers[N any] struct {
	pad  N
	next *int
	text string
	any  any
	tail [3]int
	last []int
}

// Objects whose pointers TestPointers reads: without allocation header, with
// one, of more than the largest size class, and of a type whose mask is made on
// demand.
var (
	pointersSmall  *withPointers[[1]int]
	pointersHeader *[10]withPointers[[99]int]
	pointersLarge  *[1000]withPointers[[9]int]
	pointersDemand *[1 << 14]withPointers[[1]int]
)

// TestPointers compares the pointers of objects with those that the test has
// stored.
func TestPointers(t *testing.T) {
	fill := func(next **int, text *string, any *any, last *[]int) {
		*next, *text, *any, *last = new(int), string([]byte("text of an object")), new(string), make([]int, 3)
	}
	pointersSmall, pointersHeader = new(withPointers[[1]int]), new([10]withPointers[[99]int])
	pointersLarge, pointersDemand = new([1000]withPointers[[9]int]), new([1 << 14]withPointers[[1]int])
	want := make(map[uint64]map[uint64]uint64) // by object and address of the word
	note := func(object uint64, next **int, text *string, any *any, last *[]int) {
		fill(next, text, any, last)
		if want[object] == nil {
			want[object] = make(map[uint64]uint64)
		}
		want[object][addr(next)] = addr(*next)
		want[object][addr(text)] = addr(unsafe.StringData(*text))
		want[object][addr(any)+wordSize] = uint64((*[2]uintptr)(unsafe.Pointer(any))[1])
		want[object][addr(last)] = addr(unsafe.SliceData(*last))
	}
	note(addr(pointersSmall), &pointersSmall.next, &pointersSmall.text, &pointersSmall.any, &pointersSmall.last)
	for _, i := range []int{0, 4, 9} {
		v := &pointersHeader[i]
		note(addr(pointersHeader), &v.next, &v.text, &v.any, &v.last)
	}
	for _, i := range []int{0, 500, 999} {
		v := &pointersLarge[i]
		note(addr(pointersLarge), &v.next, &v.text, &v.any, &v.last)
	}
	for _, i := range []int{0, 1, 1<<14 - 1} {
		v := &pointersDemand[i]
		note(addr(pointersDemand), &v.next, &v.text, &v.any, &v.last)
	}
	p := selfProcess(t)
	for at, want := range want {
		o, ok := p.find(at)
		if !ok {
			t.Errorf("there is no object at %#x", at)
			continue
		}
		got := make(map[uint64]uint64)
		p.pointers(&o, func(at, pointer uint64) { got[at] = pointer })
		if !maps.Equal(got, want) {
			t.Errorf("the pointers of the object of %d bytes at %#x are %#x, want %#x", o.s.slotSize, at, got, want)
		}
	}
}

// TestCopies compares types with their copies, which the rules of a recording
// read (internal/runtime/refs).
func TestCopies(t *testing.T) {
	p := selfProcess(t)
	seen := make(map[*abi.Type]bool)
	var compare func(c, want *abi.Type)
	compare = func(c, want *abi.Type) {
		if seen[want] {
			return
		}
		seen[want] = true
		typ := p.ofNative(c)
		if typ.native() != c || p.typeOfKey(addressOf(c)) != typ || typ.addr != uint64(uintptr(unsafe.Pointer(want))) {
			t.Fatalf("%v has another copy", typ)
		}
		if c.Size_ != want.Size_ || c.PtrBytes != want.PtrBytes || c.TFlag != want.TFlag || c.Kind_ != want.Kind_ || (c.Elem() == nil) != (want.Elem() == nil) {
			t.Errorf("the copy of %v is %+v, want %+v", typ, c, want)
			return
		}
		if want.Elem() != nil {
			compare(c.Elem(), want.Elem())
		}
		if n := (want.PtrBytes/wordSize + 7) / 8; n > 0 && want.TFlag&abi.TFlagGCMaskOnDemand == 0 && !bytes.Equal(unsafe.Slice(c.GCData, n), unsafe.Slice(want.GCData, n)) {
			t.Errorf("the copy of %v has another mask", typ)
		}
		switch want.Kind() {
		case abi.Array:
			if got := c.Len(); got != want.Len() {
				t.Errorf("the copy of %v has %d elements", typ, got)
			}
		case abi.Map:
			c, want := c.MapType(), want.MapType()
			if refs.GroupsOf(c) != refs.GroupsOf(want) || c.Flags != want.Flags {
				t.Errorf("the copy of %v has another layout", typ)
			}
			compare(c.Key, want.Key)
		case abi.Interface:
			if has, want := len(c.InterfaceType().Methods) > 0, len(want.InterfaceType().Methods) > 0; has != want {
				t.Errorf("the copy of %v has methods: %v", typ, has)
			}
		case abi.Struct:
			c, want := c.StructType().Fields, want.StructType().Fields
			if len(c) != len(want) {
				t.Fatalf("the copy of %v has %d fields", typ, len(c))
			}
			for i := range want {
				if c[i].Offset != want[i].Offset {
					t.Errorf("field %d of the copy of %v is at %d", i, typ, c[i].Offset)
				}
				compare(c[i].Typ, want[i].Typ)
			}
		}
	}
	for _, typ := range append(typesInUse, reflect.TypeFor[withPointers[[9]any]]()) {
		compare(p.typeOf(typ).native(), (*abi.Type)((*[2]unsafe.Pointer)(unsafe.Pointer(&typ))[1]))
	}
	if len(seen) < 50 {
		t.Errorf("only %d types were compared", len(seen))
	}
}
