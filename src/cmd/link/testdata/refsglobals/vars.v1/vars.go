// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package vars has variables with known names and types, and compares them with
// the runtime's table of globals. The names have %2e in place of the dot in the
// package's path.
package vars

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"
)

type global struct {
	addr, size uintptr
	typ        unsafe.Pointer
	pkg, name  string
	runtime    bool
}

//go:linkname globalCount runtime.refsGlobalCount
func globalCount() int

//go:linkname globalAt runtime.refsGlobalAt
func globalAt(i int) global

type node struct {
	next *node
	name string
}

type box[T any] struct {
	n   int
	val T
}

var (
	pointer  *node
	slice    []node
	table    map[string]*node
	text     = "text"
	iface    error
	empty    any = 1
	record   node
	array    = [2]node{{name: "first"}, {name: "second"}}
	function func(int) string
	channel  chan<- *node
	inner    struct{ list []struct{ node } }
	generic  box[map[node]bool]
	static   = &node{name: "static"}
	Exported *box[*node]
)

type variable struct {
	name string
	addr uintptr
	typ  reflect.Type
}

func of[T any](name string, v *T) variable {
	return variable{"example.com/refs/vars%2ev1." + name, uintptr(unsafe.Pointer(v)), reflect.TypeFor[T]()}
}

// Check returns an error if the table is wrong about the variables.
func Check() error {
	var wrong []error
	for _, v := range []variable{
		of("pointer", &pointer),
		of("slice", &slice),
		of("table", &table),
		of("text", &text),
		of("iface", &iface),
		of("empty", &empty),
		of("record", &record),
		of("array", &array),
		of("function", &function),
		of("channel", &channel),
		of("inner", &inner),
		of("generic", &generic),
		of("static", &static),
		of("static", static), // static points to a variable that has no name of its own
		of("Exported", &Exported),
	} {
		if err := v.check(); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %v", v.name, err))
		}
	}
	return errors.Join(wrong...)
}

func (v variable) check() error {
	g, ok := find(v.addr)
	if !ok {
		return errors.New("not in the table")
	}
	name := g.pkg + g.name
	typ := unsafe.Pointer(reflect.ValueOf(v.typ).Pointer())
	if name != v.name || g.addr != v.addr || g.size != v.typ.Size() || g.typ != typ || g.runtime {
		return fmt.Errorf("is %+v, want address %#x, size %d, type %p", g, v.addr, v.typ.Size(), typ)
	}
	return nil
}

// Has reports whether an address is in a variable of the table.
func Has(addr unsafe.Pointer) bool {
	_, ok := find(uintptr(addr))
	return ok
}

func find(addr uintptr) (global, bool) {
	for i := range globalCount() {
		if g := globalAt(i); g.addr <= addr && addr < g.addr+g.size {
			return g, true
		}
	}
	return global{}, false
}
