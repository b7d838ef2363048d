// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file keeps what the test refers to until its watched objects have been
// checked. A cache in a variable of the test would be free by then, and the
// test would pass although the cache never forgets.
//
// Watch keeps the objects to which two kinds of references lead: those in the
// live variables of the functions that called it and in the variables that the
// test's cleanup functions have captured, and those in the watched object,
// because a bus may be known only to the subscription. Watched objects are not
// kept. What a kept object holds may be what the test expects, such as the
// connection of a reader. collections.go decides.

package heaptest

import (
	"debug/heapgraph"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"unsafe"
)

// A variable is a reference that the test has.
type variable struct {
	value any
	name  string
	place place
	start stage // where paths from the variable begin

	hidden bool // the object that has the reference is on the stack, and cannot be kept
}

// A place is the object to which a variable refers, and the watched object that
// has the reference, or 0 if a variable of the test has it.
type place struct{ target, from uintptr }

// A raw is a reference as the runtime gives it.
type raw struct {
	target         unsafe.Pointer
	typ            unsafe.Pointer
	form           uint8
	inside, hidden bool
	function, name string
}

// value returns a value whose type leads to the target's, or nil if the target
// is not the test's.
func (r *raw) value() any {
	const pointer, slice, value = 1, 2, 3
	typ := reflect.TypeOf(*(*any)(unsafe.Pointer(&emptyInterface{typ: r.typ})))
	switch {
	case r.form == pointer && (typ.PkgPath() == "testing" || typ.PkgPath() == "testing/heaptest"):
		return nil
	case r.form == pointer || r.form == slice:
		return reflect.NewAt(typ, r.target).Interface()
	case r.form == value:
		return *(*any)(unsafe.Pointer(&emptyInterface{r.typ, r.target}))
	}
	return r.target
}

// variablesOf returns the references that are in the heap, for an object or, if
// from is 0, for the test.
func variablesOf(list []raw, from uintptr) (all []*variable) {
	for i := range list {
		r := &list[i]
		if base, _, _ := runtime_object(r.target); base != 0 && base != from {
			if v := r.value(); v != nil {
				start := inVariable
				if r.inside {
					start = inFields
				}
				all = append(all, &variable{v, strings.TrimSuffix(r.function+"."+r.name, "."), place{base, from}, start, r.hidden})
			}
		}
	}
	return all
}

// testVariables returns the references that the calling test has in variables,
// also in those that its cleanup functions have captured.
func testVariables(t testing.TB) []*variable {
	list := runtime_variables()
	for _, f := range cleanups(t) {
		var x any = f
		list = append(list, runtime_captured((*emptyInterface)(unsafe.Pointer(&x)).data)...)
	}
	return variablesOf(list, 0)
}

// fields returns the references in the object at addr, to which x refers.
func fields(x any, addr uintptr) []*variable {
	v := reflect.ValueOf(x)
	if v.Kind() != reflect.Pointer {
		return nil
	}
	var typ any = v.Type().Elem() // the data of a reflect.Type is the runtime's type
	list := variablesOf(runtime_fields(v.UnsafePointer(), (*emptyInterface)(unsafe.Pointer(&typ)).data), addr)
	for _, f := range list {
		f.name = fmt.Sprintf("(what the %v refers to)", v.Type())
	}
	return list
}

// kept has the variables of all tests whose objects have not been checked.
var kept struct {
	sync.Mutex
	of map[*variable]bool
}

// A keeper keeps the variables of a test.
type keeper struct {
	variables map[place]*variable
	watched   map[uintptr]bool
}

// keep keeps variables, but not those that refer to watched objects. objects
// are watched from now on.
func (k *keeper) keep(objects []*watched, list []*variable) {
	kept.Lock()
	defer kept.Unlock()
	if k.watched == nil {
		k.variables, k.watched = make(map[place]*variable), make(map[uintptr]bool)
	}
	for _, w := range objects {
		k.watched[w.addr] = true
	}
	for _, v := range list {
		for _, w := range objects {
			if v.hidden && v.place.target == w.addr {
				w.note = fmt.Sprintf("an object on the stack of %s refers to the %s, and cannot be checked", v.name, w.typ)
			}
		}
		if k.variables[v.place] == nil {
			k.variables[v.place] = v
		}
	}
	k.drop(func(p place) bool { return k.watched[p.target] })
	for _, v := range k.variables {
		if kept.of == nil {
			kept.of = make(map[*variable]bool)
		}
		kept.of[v] = true
	}
}

// drop drops the variables for which which returns true.
func (k *keeper) drop(which func(place) bool) {
	for p, v := range k.variables {
		if which(p) {
			delete(k.variables, p)
			delete(kept.of, v)
		}
	}
}

// release drops all variables but those at the addresses in needed.
func (k *keeper) release(needed map[uintptr]bool) {
	kept.Lock()
	defer kept.Unlock()
	k.drop(func(p place) bool { return !needed[uintptr(unsafe.Pointer(k.variables[p]))] })
}

// A beginning is the name of a variable, and where paths from it begin.
type beginning struct {
	name  string
	stage stage
}

// addresses returns the addresses of the variables with a place for which which
// returns true.
func (k *keeper) addresses(which func(place) bool) map[uintptr]beginning {
	all := make(map[uintptr]beginning)
	for p, v := range k.variables {
		if which(p) {
			all[uintptr(unsafe.Pointer(v))] = beginning{v.name, v.start}
		}
	}
	return all
}

// keptName returns the name of the variable at an address, or a general one if
// the variable is no longer kept.
func keptName(addr uintptr) string {
	kept.Lock()
	defer kept.Unlock()
	for v := range kept.of {
		if uintptr(unsafe.Pointer(v)) == addr {
			return v.name
		}
	}
	return "(variable of a test)"
}

// fromVariable returns the part of a path that begins behind a variable, and the
// name of the variable. If the path has no variable, it is returned as it is.
func (s *snapshot) fromVariable(path []heapgraph.Reference) (name string, rest []heapgraph.Reference) {
	for i, r := range path {
		if s.isVariable(r.From) {
			return keptName(s.address(r.From)), path[i+1:]
		}
	}
	return "", path
}

// address returns the address that v has in the process.
func (s *snapshot) address(v heapgraph.Vertex) uintptr { return uintptr(s.Address(v) - s.offset) }

// isVariable reports whether v is a variable in memory.
func (s *snapshot) isVariable(v heapgraph.Vertex) bool {
	return s.Kind(v) == heapgraph.KindObject && s.FullType(v) == "testing/heaptest.variable"
}

//go:linkname cleanups
func cleanups(t testing.TB) []func()

// The functions are defined in runtime/heaptestvars.go.
//
//go:linkname runtime_variables runtime.heaptest_variables
func runtime_variables() []raw

//go:linkname runtime_captured runtime.heaptest_captured
func runtime_captured(closure unsafe.Pointer) []raw

//go:linkname runtime_fields runtime.heaptest_fields
func runtime_fields(p, typ unsafe.Pointer) []raw
