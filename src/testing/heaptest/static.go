// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file counts the objects that the linker has allocated. The heap's
// measurement has what they refer to, but not the objects.

package heaptest

import (
	"fmt"
	"reflect"
	"unsafe"
)

// A static counts the statically allocated objects of a holder.
type static struct {
	named    bool // a global variable or one of the objects has the holder's name
	n, bytes int64
}

// staticObjects counts structs and arrays in global variables that have the
// holder's name, or whose type has it. A composite literal, such as the Cache
// of var shared = &Cache{}, has the variable's name. Pointers and the like do
// not count, because they are references to objects.
func staticObjects(holder string) (s static) {
	for i := 0; ; i++ {
		name, t, ok := runtime_global(i)
		if !ok {
			return s
		}
		named := heapgraph_matchName(holder, name)
		s.named = s.named || named
		if t == nil {
			continue
		}
		typ := reflect.TypeOf(*(*any)(unsafe.Pointer(&emptyInterface{typ: t})))
		if k := typ.Kind(); k == reflect.Struct || k == reflect.Array {
			s.add(typ, named || isOfType(typ, holder))
		}
	}
}

func (s *static) add(typ reflect.Type, counts bool) {
	if counts {
		s.named = true
		s.n++
		s.bytes += int64(typ.Size())
	}
}

// isOfType reports whether a type, or the type of the elements of an array, has
// a name.
func isOfType(typ reflect.Type, name string) bool {
	for typ.Kind() == reflect.Array {
		typ = typ.Elem()
	}
	return heapgraph_matchName(name, typ.String()) || typ.PkgPath() != "" && heapgraph_matchName(name, typ.PkgPath()+"."+typ.Name())
}

// String returns a line of the report.
func (s static) String() string {
	if s.n == 0 {
		return ""
	}
	return fmt.Sprintf("\t%d bytes in %d of these are statically allocated\n", s.bytes, s.n)
}

// The function is defined in runtime/heaptest.go.
//
//go:linkname runtime_global runtime.heaptest_global
func runtime_global(i int) (name string, typ unsafe.Pointer, ok bool)

// The function is defined in debug/heapgraph/setnames.go.
//
//go:linkname heapgraph_matchName debug/heapgraph.matchName
func heapgraph_matchName(set, name string) bool
