// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Global variables: the linker's table, and which packages are the program's
// own.
//
// The table has the variables with pointers in data and bss of the module that
// the runtime is part of, by address. cmd/link writes it
// (cmd/link/internal/ld/refsglobals.go). internal/abi/refsglobals.go defines
// the format. Each pointer word of data and bss is part of exactly one variable
// of the table. Other modules (plugins, shared libraries) have no table. If the
// runtime itself was linked without one, it has no entries.
//
// The table is read-only and results point into it, so that reading it needs no
// lock, no allocation and no write barrier, on any stack.
//
// The program's own packages are package main and the packages of the main
// module, or of the package under test. A recording follows their variables
// before others, because an object that both the program's variable and a
// library's cache or registry hold belongs to the program.

package runtime

import (
	"internal/abi"
	"internal/stringslite"
	"unsafe"
)

// refsGlobalsTable is the table, or nil. The linker sets it.
var refsGlobalsTable *refsGlobalsHeader

// refsGlobalsHeader is the header of the table. Entries and names follow it.
type refsGlobalsHeader struct {
	version uint32
	data    uint32 // number of entries in data
	bss     uint32 // number of entries in bss
	names   uint32 // size of the names in bytes
}

// refsGlobalsEntry is the entry of a variable.
type refsGlobalsEntry struct {
	offset uint32 // from the start of data or bss; abi.RefsGlobalsRuntime is a flag in it
	typ    uint32 // offset from the start of types, or 0 if the type is not known
	name   uint32 // offset in names
}

// A refsGlobal is a global variable that has pointers.
type refsGlobal struct {
	addr, size uintptr // if typ is nil, size may include padding
	typ        *_type  // nil if not known, as of some structs and arrays of the runtime
	pkg, name  string  // pkg+name is the linker's name; pkg ends with the dot
	runtime    bool    // the variable belongs to a package of the runtime
}

// refsGlobalCount returns the number of variables in the table.
func refsGlobalCount() int {
	h := refsGlobalsTable
	if h == nil || h.version != abi.RefsGlobalsVersion {
		return 0
	}
	return int(h.data + h.bss)
}

// refsGlobalAt returns variable i of the table. The variables in data come
// first, then those in bss, both sorted by address.
func refsGlobalAt(i int) refsGlobal {
	h := refsGlobalsTable
	if uint(i) >= uint(refsGlobalCount()) {
		throw("refs: no such global")
	}
	md := &firstmoduledata
	e := h.entry(i)
	g := refsGlobal{
		addr:    h.addr(i),
		runtime: e.offset&abi.RefsGlobalsRuntime != 0,
	}
	if e.typ != 0 {
		g.typ = (*_type)(unsafe.Pointer(md.types + uintptr(e.typ)))
		g.size = g.typ.Size_
	} else {
		g.size = h.next(i) - g.addr
	}
	g.pkg, g.name = h.nameAt(e.name)
	return g
}

// entry returns entry i.
func (h *refsGlobalsHeader) entry(i int) *refsGlobalsEntry {
	return (*refsGlobalsEntry)(add(unsafe.Pointer(h), abi.RefsGlobalsHeaderSize+uintptr(i)*abi.RefsGlobalsEntrySize))
}

// addr returns the address of variable i.
func (h *refsGlobalsHeader) addr(i int) uintptr {
	base := firstmoduledata.data
	if i >= int(h.data) {
		base = firstmoduledata.bss
	}
	return base + uintptr(h.entry(i).offset&^abi.RefsGlobalsRuntime)
}

// next returns the address at which the variable after i starts, or at which
// the section of variable i ends.
func (h *refsGlobalsHeader) next(i int) uintptr {
	switch i + 1 {
	case int(h.data):
		return firstmoduledata.edata
	case int(h.data + h.bss):
		return firstmoduledata.ebss
	}
	return h.addr(i + 1)
}

// nameAt returns the name at an offset in names, as its prefix and the rest.
func (h *refsGlobalsHeader) nameAt(offset uint32) (pkg, name string) {
	names := unsafe.Slice((*byte)(unsafe.Pointer(h.entry(int(h.data+h.bss)))), h.names)
	n, prefix := readvarint(names[offset:])
	return refsText(names[prefix:]), refsText(names[offset+n:])
}

// refsText returns the text at the start of p, which begins with its length.
func refsText(p []byte) string {
	n, size := readvarint(p)
	text := p[n : n+size]
	return unsafe.String(unsafe.SliceData(text), len(text))
}

// refsOwn says which packages are the program's own. refsAlloc sets it.
var refsOwn refsOwnPaths

// refsOwnPaths is the paths of the main module and the main package, as the go
// command has noted them in the program, or "". In a test, main is the path of
// the package under test.
type refsOwnPaths struct{ module, main string }

// refsOwnPackages returns the paths that modinfo has. Each line of modinfo has
// fields, which tabs separate.
func refsOwnPackages(modinfo string) (own refsOwnPaths) {
	own.module = refsModuleField(modinfo, "mod\t")
	own.main = stringslite.TrimSuffix(refsModuleField(modinfo, "path\t"), ".test")
	return own
}

// refsModuleField returns the field that follows name in the first line that
// begins with name.
func refsModuleField(modinfo, name string) string {
	const mark = 16 // bytes before the first line
	for modinfo = modinfo[min(mark, len(modinfo)):]; modinfo != ""; {
		var line string
		line, modinfo, _ = stringslite.Cut(modinfo, "\n")
		if field, ok := stringslite.CutPrefix(line, name); ok {
			field, _, _ = stringslite.Cut(field, "\t")
			return field
		}
	}
	return ""
}

// has reports whether the package of a global variable is the program's own.
// pkg is the path of the package as the linker writes it, and a dot.
//
//go:nowritebarrierrec
func (own *refsOwnPaths) has(pkg string) bool {
	return pkg == "main." || refsIsBelow(pkg, own.module) || refsIsBelow(pkg, own.main)
}

// hasFunction reports whether the function with a name is in one of the
// program's own packages.
//
//go:nowritebarrierrec
func (own *refsOwnPaths) hasFunction(name string) bool {
	end := 0 // end of the package's path, behind the first dot that follows the last slash
	for i := 0; i < len(name) && name[i] != '[' && name[i] != '('; i++ {
		switch {
		case name[i] == '/':
			end = 0
		case name[i] == '.' && end == 0:
			end = i + 1
		}
	}
	return own.has(name[:end])
}

// refsIsBelow reports whether pkg is the package at a path, its external test,
// or a package below the path.
//
//go:nowritebarrierrec
func refsIsBelow(pkg, path string) bool {
	if path == "" {
		return false
	}
	for path != "" {
		switch {
		case pkg == "":
			return false
		case pkg[0] == path[0]:
			pkg = pkg[1:]
		case path[0] == '.' && stringslite.HasPrefix(pkg, "%2e"):
			pkg = pkg[len("%2e"):]
		default:
			return false
		}
		path = path[1:]
	}
	return pkg == "." || pkg == "_test." || stringslite.HasPrefix(pkg, "/")
}
