// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These tests check the table of global variables in their own binary: for
// their own variables, and for all pointer words of data and bss. cmd/link's
// TestRefsGlobals tests the other ways to link.

package runtime_test

import (
	"internal/abi"
	"regexp"
	. "runtime"
	"slices"
	"testing"
	"unsafe"
)

type refsNode struct {
	next *refsNode
	data []byte
	n    int
}

type refsBox[T any] struct {
	id  int
	val T
}

var (
	refsPointer *int
	refsSlice   []refsNode
	refsMap     map[string]*refsNode
	refsFunc    func()
	refsChan    chan int
	refsString        = "initialised, so it is in data"
	refsEface   any   = "the same"
	refsIface   error = new(PanicNilError)
	refsStruct  refsNode
	refsInner   struct{ s, t []struct{ c *int } }
	refsArray   [3]refsNode
	refsGeneric refsBox[map[int]string]
	refsUnsafe  unsafe.Pointer
	refsStatic  = &refsNode{n: 7}
	refsStatics = []*refsNode{{n: 1}, {n: 2}}
	refsNoWords [4]uintptr
)

type refsVariable struct {
	name string // regular expression
	addr uintptr
	typ  *abi.Type
}

func refsVar[T any](name string, v *T) refsVariable {
	return refsVariable{`runtime_test\.` + name, uintptr(unsafe.Pointer(v)), abi.TypeFor[T]()}
}

func TestRefsGlobalsVariables(t *testing.T) {
	for _, v := range []refsVariable{
		refsVar("refsPointer", &refsPointer),
		refsVar("refsSlice", &refsSlice),
		refsVar("refsMap", &refsMap),
		refsVar("refsFunc", &refsFunc),
		refsVar("refsChan", &refsChan),
		refsVar("refsString", &refsString),
		refsVar("refsEface", &refsEface),
		refsVar("refsIface", &refsIface),
		refsVar("refsStruct", &refsStruct),
		refsVar("refsInner", &refsInner),
		refsVar("refsArray", &refsArray),
		refsVar("refsGeneric", &refsGeneric),
		refsVar("refsUnsafe", &refsUnsafe),
		refsVar("refsStatic", &refsStatic),
		refsVar("refsStatic", refsStatic), // a static temporary
		refsVar("refsStatics", &refsStatics),
		refsVar("refsStatics", refsStatics[1]),
	} {
		g := refsGlobalOf(v.addr)
		if g == nil {
			t.Errorf("%s: not in the table", v.name)
			continue
		}
		if name := g.Pkg + g.Name; !regexp.MustCompile("^" + v.name + "$").MatchString(name) {
			t.Errorf("%s: is called %q", v.name, name)
		}
		if g.Addr != v.addr || g.Size != v.typ.Size_ {
			t.Errorf("%s: is at %#x, size %d, want %#x, %d", v.name, g.Addr, g.Size, v.addr, v.typ.Size_)
		}
		if g.Type != unsafe.Pointer(v.typ) {
			t.Errorf("%s: has type %p, want %p", v.name, g.Type, v.typ)
		}
		if g.Runtime {
			t.Errorf("%s: is of the runtime", v.name)
		}
	}
	if g := refsGlobalOf(uintptr(unsafe.Pointer(&refsNoWords))); g != nil {
		t.Errorf("variable without pointers is in %s%s", g.Pkg, g.Name)
	}
}

func TestRefsGlobalsRuntime(t *testing.T) {
	want := map[string]bool{
		"runtime.allgs":                      true,
		"runtime.mheap_":                     true,
		"internal/runtime/maps.errNilAssign": true,
		"os.Args":                            false,
		"sync.allPools":                      true, // emptied by the garbage collector
		"runtime/pprof.profiles":             false,
	}
	for _, g := range RefsGlobals() {
		name := g.Pkg + g.Name
		runtime, ok := want[name]
		if ok && runtime != g.Runtime {
			t.Errorf("%s: of the runtime = %v", name, g.Runtime)
		}
		delete(want, name)
	}
	if len(want) != 0 {
		t.Errorf("not in the table: %v", want)
	}
}

// TestRefsGlobalsCover checks that each word that the garbage collector takes
// for a pointer belongs to exactly one variable. It also checks that each
// variable has such a word and, unless it is the runtime's, a type.
func TestRefsGlobalsCover(t *testing.T) {
	data, bss := RootWords()
	words := append(data, bss...)
	if len(data) == 0 || len(bss) == 0 || !slices.IsSorted(words) {
		t.Fatalf("%d words in data, %d in bss, sorted = %v", len(data), len(bss), slices.IsSorted(words))
	}
	end := uintptr(0)
	for _, g := range RefsGlobals() {
		if g.Addr < end {
			t.Fatalf("%s%s at %#x: the variable before ends at %#x", g.Pkg, g.Name, g.Addr, end)
		}
		end = g.Addr + g.Size
		if len(words) > 0 && words[0] < g.Addr {
			t.Fatalf("%s%s at %#x: pointer before it at %#x", g.Pkg, g.Name, g.Addr, words[0])
		}
		n, _ := slices.BinarySearch(words, end)
		if n == 0 {
			t.Errorf("%s%s has no pointers", g.Pkg, g.Name)
		}
		if g.Type == nil && !g.Runtime {
			t.Errorf("%s%s has no type", g.Pkg, g.Name)
		}
		words = words[n:]
	}
	if len(words) != 0 {
		t.Errorf("%d pointers after the last variable", len(words))
	}
}

func refsGlobalOf(addr uintptr) *RefsGlobal {
	for _, g := range RefsGlobals() {
		if g.Addr <= addr && addr < g.Addr+g.Size {
			return &g
		}
	}
	return nil
}
