// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Global variables: the linker's table.
//
// The table has the variables with pointers in data and bss of the module that
// the runtime is part of, sorted by address. cmd/link writes it
// (cmd/link/internal/ld/refsglobals.go). Package internal/vartable defines the
// format. Each pointer word of data and bss is part of exactly one variable of
// the table. Other modules have no table: plugins, other shared libraries, and
// programs that take the runtime from a shared library. If no code of the
// runtime's module can record references, this module has no table either, and
// refsGlobalTable returns a table without entries.
//
// The table is read-only, and the names that the functions here return point
// into it. Therefore reading the table needs no lock, no allocation and no
// write barrier, and is possible on any stack.

package runtime

import (
	"internal/vartable"
	"unsafe"
)

// refsGlobalsTable is the header of the table, or nil. The linker sets it.
var refsGlobalsTable *[vartable.GlobalsHeaderSize]byte

// A refsGlobal is a global variable that has pointers.
type refsGlobal struct {
	addr, size uintptr // if typ is nil, size may include padding
	typ        *_type  // nil if not known, as for some structs and arrays of the runtime
	pkg, name  string  // pkg+name is the linker's name of the variable, or of its owner if it is a static temporary; pkg ends with the dot
	runtime    bool    // the variable belongs to a package of the runtime, or lists sync.Pools
}

// refsGlobalTable returns the table. The result has no entries if there is no
// table, or if the table is of another version.
func refsGlobalTable() (t vartable.Globals) {
	if h := refsGlobalsTable; h != nil {
		t = vartable.DecodeGlobals(unsafe.Slice(&h[0], vartable.GlobalsSizeAt(h)))
	}
	return t
}

// refsGlobalCount returns the number of variables in the table.
func refsGlobalCount() int {
	t := refsGlobalTable()
	return t.Len()
}

// refsGlobalAt returns variable i of the table. The variables in data come
// first, then those in bss, both sorted by address.
func refsGlobalAt(i int) refsGlobal {
	t := refsGlobalTable()
	return refsGlobalIn(&t, i)
}

// refsGlobalIn is refsGlobalAt for a caller that has the table.
func refsGlobalIn(t *vartable.Globals, i int) refsGlobal {
	if uint(i) >= uint(t.Len()) {
		throw("refs: no such global")
	}
	md := &firstmoduledata
	e := t.At(i)
	base, end := md.data, md.edata
	if i >= t.Data() {
		base, end = md.bss, md.ebss
	}
	g := refsGlobal{addr: base + uintptr(e.Offset), runtime: e.Runtime}
	switch next := i + 1; {
	case e.Type != 0:
		g.typ = (*_type)(unsafe.Pointer(md.types + uintptr(e.Type)))
		g.size = g.typ.Size_
	case next == t.Data() || next == t.Len():
		g.size = end - g.addr
	default:
		g.size = base + uintptr(t.At(next).Offset) - g.addr
	}
	pkg, name, ok := t.Name(e.Name)
	if !ok {
		throw("refs: global without a name")
	}
	g.pkg, g.name = refsText(pkg), refsText(name)
	return g
}

// refsText returns the text that p has.
func refsText(p []byte) string { return unsafe.String(unsafe.SliceData(p), len(p)) }
