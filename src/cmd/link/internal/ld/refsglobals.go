// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Table of globals: the name, address and type of each variable that the
// garbage collector scans in data and bss, for the refs profile's roots. Its
// format is in internal/abi/refsglobals.go, its reader runtime/mrefsglobals.go.
//
// The table lists the very symbols that runtime.gcdata and runtime.gcbss are
// made of, so that no pointer word of these sections is without an entry.
// It has no relocations: offsets from the start of a section stay what they
// are when a host linker, or the loader, moves the section as a whole, on
// which the runtime's moduledata relies as well.
//
// The link calls, in this order, refsKeepType (deadcode), refsGlobalsTable
// (symtab), and refsGlobalsEntries (dodata).
//
// A plugin, and a program that takes the runtime from a shared library, has
// no table: the runtime knows one, that of the module it is part of.

package ld

import (
	"cmd/internal/objabi"
	"cmd/link/internal/loader"
	"cmd/link/internal/sym"
	"encoding/binary"
	"internal/abi"
	"math"
	"strings"
)

const (
	refsGlobalsName    = "runtime.refsglobaltab"
	refsGlobalsPointer = "runtime.refsGlobalsTable"
)

// refsRecords reports whether the program can record references. If not, it has
// neither the table nor frame variables (internal/abi/framevars.go).
func refsRecords(ldr *loader.Loader) bool {
	v := ldr.Lookup(refsGlobalsPointer, 0)
	return v != 0 && ldr.AttrReachable(v)
}

// hasRefsGlobals reports whether the module being linked has the runtime in it.
func (ctxt *Link) hasRefsGlobals() bool {
	return ctxt.BuildMode != BuildModePlugin && !ctxt.linkShared
}

// refsKeepType reports whether the type of the reachable symbol s is to be kept
// for the table (but not as the type of interface values, which has methods).
//
// Structs and arrays of the runtime itself, such as runtime.mheap_, lead to next
// to nothing of the heap. Their types, if nothing else uses them, would add 58 KB
// to each program, twice what the table adds to a small one.
func (d *deadcodePass) refsKeepType(s loader.Sym) bool {
	if kind := d.ldr.SymType(s); kind != sym.SDATA && kind != sym.SBSS || !d.ctxt.hasRefsGlobals() {
		return false
	}
	switch decodetypeKind(d.ctxt.Arch, d.ldr.Data(d.ldr.SymGoType(s))) {
	case abi.Struct, abi.Array:
		return !refsOfRuntime(d.ldr, s)
	}
	return true
}

func refsOfRuntime(ldr *loader.Loader, s loader.Sym) bool {
	return objabi.LookupPkgSpecial(ldr.SymPkg(s)).Runtime
}

// refsGlobalsTable makes the table's symbol, without content as yet, and has
// the variable runtime.refsGlobalsTable point to it. If nothing uses the
// variable there is no table.
func (ctxt *Link) refsGlobalsTable() {
	ldr := ctxt.loader
	if !refsRecords(ldr) || !ctxt.hasRefsGlobals() {
		return
	}
	t := ctxt.createGeneratorSymbol(refsGlobalsName, 0, sym.SRODATA, 0, nil)
	ldr.SetSymAlign(t, 4)
	ldr.SetAttrReachable(t, true)
	ldr.SetAttrLocal(t, true)

	pointer := ldr.MakeSymbolUpdater(ldr.Lookup(refsGlobalsPointer, 0))
	pointer.SetType(sym.SNOPTRDATA)
	pointer.SetSize(0) // AddAddr makes it a pointer's
	pointer.SetData(nil)
	pointer.AddAddr(ctxt.Arch, t)
}

// refsGlobalsEntries sets the table's size and how its content will be
// written. data and bss are the sections' symbols with pointers, by address,
// and have their offsets in the section as values. The offsets of types are
// not known before everything has its address.
func (ctxt *Link) refsGlobalsEntries(data, bss []loader.Sym) {
	ldr := ctxt.loader
	t := ldr.Lookup(refsGlobalsName, 0)
	if t == 0 {
		return
	}
	table := refsTable{ctxt: ctxt, owners: make(map[loader.Sym]loader.Sym)}
	table.own(data)
	table.add(data)
	ndata := len(table.entries)
	table.add(bss)
	table.nameAll()
	size := abi.RefsGlobalsHeaderSize + abi.RefsGlobalsEntrySize*len(table.entries) + len(table.names)
	ldr.MakeSymbolUpdater(t).SetSize(int64(size))
	ctxt.generatorSyms[t] = func(_ *Link, t loader.Sym) { table.write(t, ndata) }
}

// A refsTable is the table of globals before it is written.
type refsTable struct {
	ctxt    *Link
	entries []refsEntry
	names   []byte
	owners  map[loader.Sym]loader.Sym // of static temporaries
}

type refsEntry struct {
	sym    loader.Sym
	offset uint32 // from the start of the section
	name   uint32
}

// add makes entries of the symbols of a section. A symbol that is too far from
// the section's start has none; no architecture can address one now.
func (t *refsTable) add(syms []loader.Sym) {
	ldr := t.ctxt.loader
	for _, s := range syms {
		if ldr.SymGoType(s) == 0 {
			continue // runtime.data and the like, which GCProg ignores too
		}
		offset := ldr.SymValue(s)
		if offset > math.MaxUint32 {
			break
		}
		if offset%int64(t.ctxt.Arch.PtrSize) != 0 {
			t.ctxt.Errorf(s, "symbol with pointers at unaligned offset %#x", offset)
		}
		t.entries = append(t.entries, refsEntry{sym: s, offset: uint32(offset)})
	}
}

// own finds the owners of static temporaries: variables without a name that the
// compiler made for initial values, such as that of var p = &T{}. The owner is the
// first variable that refers to it, and gives it its name.
func (t *refsTable) own(data []loader.Sym) {
	ldr := t.ctxt.loader
	for _, s := range data {
		relocs := ldr.Relocs(s)
		for i := range relocs.Count() {
			to := relocs.At(i).Sym()
			if _, ok := t.owners[to]; !ok && to != s && isStaticTmp(ldr.SymName(to)) {
				t.owners[to] = s
			}
		}
	}
}

// nameOf returns the name of s, or of the named variable that it belongs to.
func (t *refsTable) nameOf(s loader.Sym) string {
	named := s
	for range len(t.owners) + 1 { // they may refer to each other in a circle
		owner, ok := t.owners[named]
		if !ok {
			return t.ctxt.loader.SymName(named)
		}
		named = owner
	}
	return t.ctxt.loader.SymName(s)
}

// nameAll fills in the names. Prefixes come first, that offsets of them are short.
func (t *refsTable) nameAll() {
	prefixes := make(map[string]uint64)
	for _, e := range t.entries {
		name := t.nameOf(e.sym)
		prefix := name[:refsPrefix(name)]
		if _, ok := prefixes[prefix]; !ok {
			prefixes[prefix] = uint64(len(t.names))
			t.addText(prefix)
		}
	}
	for i := range t.entries {
		e := &t.entries[i]
		e.name = uint32(len(t.names))
		name := t.nameOf(e.sym)
		n := refsPrefix(name)
		t.names = binary.AppendUvarint(t.names, prefixes[name[:n]])
		t.addText(name[n:])
	}
}

func (t *refsTable) addText(s string) {
	t.names = binary.AppendUvarint(t.names, uint64(len(s)))
	t.names = append(t.names, s...)
}

// refsPrefix returns the length of a symbol name's package path with its dot.
func refsPrefix(name string) int {
	path, _, _ := strings.Cut(name, "[") // type arguments have paths of their own
	slash := strings.LastIndexByte(path, '/') + 1
	return slash + strings.IndexByte(path[slash:], '.') + 1
}

// write is the table's generator function: all addresses are known.
func (t *refsTable) write(table loader.Sym, ndata int) {
	arch := t.ctxt.Arch
	out := t.ctxt.loader.MakeSymbolUpdater(table)
	off := out.SetUint32(arch, 0, abi.RefsGlobalsVersion)
	off = out.SetUint32(arch, off, uint32(ndata))
	off = out.SetUint32(arch, off, uint32(len(t.entries)-ndata))
	off = out.SetUint32(arch, off, uint32(len(t.names)))
	for _, e := range t.entries {
		off = out.SetUint32(arch, off, e.offset|t.flags(e.sym))
		off = out.SetUint32(arch, off, t.typeOffset(e.sym))
		off = out.SetUint32(arch, off, e.name)
	}
	copy(out.Data()[off:], t.names)
}

func (t *refsTable) flags(s loader.Sym) uint32 {
	ldr := t.ctxt.loader
	if refsOfRuntime(ldr, s) || refsEmptiedByGC[ldr.SymName(s)] {
		return abi.RefsGlobalsRuntime
	}
	return 0
}

// refsEmptiedByGC are variables that the garbage collector empties, so that they are
// not what keeps memory alive: they go with the runtime's own. sync.Pools are in
// one of these after use, as are the values that a Pool is a field of.
var refsEmptiedByGC = map[string]bool{
	"sync.allPools": true,
	"sync.oldPools": true,
}

// typeOffset returns the offset of s's type from the module's types, 0 if the
// type was not kept.
func (t *refsTable) typeOffset(s loader.Sym) uint32 {
	ldr := t.ctxt.loader
	typ := ldr.SymGoType(s)
	if !ldr.AttrReachable(typ) || ldr.SymSect(typ) == nil {
		return 0
	}
	return uint32(ldr.SymValue(typ) - ldr.SymValue(ldr.Lookup("runtime.types", 0)))
}
