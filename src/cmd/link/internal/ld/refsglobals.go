// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Table of globals, for the roots in the refs profile: the name and the offset
// of each variable that the garbage collector scans in data and bss, and the
// variable's type if the type is kept. Package internal/vartable defines the
// format, and runtime/mrefsglobals.go reads it.
//
// The table lists the same symbols from which runtime.gcdata and runtime.gcbss
// are made, so each pointer word of data and bss belongs to a variable that has
// an entry. It has no relocations, because offsets from the start of a section
// stay the same when a host linker or the loader moves the section as a whole.
// The runtime's moduledata relies on this as well.
//
// The linker calls, in this order, refsKeepType (deadcode), refsGlobalsTable
// (symtab), and refsGlobalsEntries (dodata).
//
// Plugins, and programs that take the runtime from a shared library, have no
// table, because the runtime knows only the table of its own module.

package ld

import (
	"cmd/internal/objabi"
	"cmd/link/internal/loader"
	"cmd/link/internal/sym"
	"internal/abi"
	"internal/vartable"
	"math"
	"strings"
)

const (
	refsGlobalsName    = "runtime.refsglobaltab"
	refsGlobalsPointer = "runtime.refsGlobalsTable"
	coreGlobalsPointer = "runtime.coreGlobalsTable"
)

// refsRecords reports whether the program can record references. A program that
// cannot record references has neither the table nor frame variables.
func refsRecords(ldr *loader.Loader) bool {
	v := ldr.Lookup(refsGlobalsPointer, 0)
	return v != 0 && ldr.AttrReachable(v)
}

// hasRefsGlobals reports whether the module that is linked contains the
// runtime.
func (ctxt *Link) hasRefsGlobals() bool {
	return ctxt.BuildMode != BuildModePlugin && !ctxt.linkShared
}

// refsKeepType reports whether to keep the type of the reachable symbol s for
// the table. The methods of the type are not kept for the table, unless the
// program can load plugins or is built with -buildmode=shared. They are needed
// only if values of the type are stored in interfaces.
//
// The type of a struct or an array of the runtime itself, such as
// runtime.mheap_, is kept only if something else uses it. These variables refer
// to almost nothing on the heap, and all their types together are larger than
// the table of a small program.
func (d *deadcodePass) refsKeepType(s loader.Sym) bool {
	if kind := d.ldr.SymType(s); kind != sym.SDATA && kind != sym.SBSS || !d.ctxt.hasRefsGlobals() {
		return false
	}
	typ := d.ldr.SymGoType(s)
	switch decodetypeKind(d.ctxt.Arch, d.ldr.Data(typ)) {
	case abi.Struct, abi.Array:
		if refsOfRuntime(d.ldr, s) {
			return false
		}
	}
	if d.ldr.SymName(s) == refsGlobalsPointer {
		d.refsMarkWaiting()
	}
	return d.refsKeep(typ, s)
}

// refsKeep reports whether the program can record references, as far as the
// pass knows. If it does not know yet, it marks aux, an auxiliary symbol of
// parent, as soon as it finds that the program can.
func (d *deadcodePass) refsKeep(aux, parent loader.Sym) bool {
	if !d.refsRecords {
		d.refsWaiting = append(d.refsWaiting, refsAux{aux, parent})
	}
	return d.refsRecords
}

// refsMarkWaiting marks the symbols that refsKeep has not kept. The pass calls it
// when it finds that the program can record references.
func (d *deadcodePass) refsMarkWaiting() {
	d.refsRecords = true
	for _, a := range d.refsWaiting {
		d.mark(a.aux, a.parent)
	}
	d.refsWaiting = nil
}

// A refsAux is an auxiliary symbol that the program has only for the recorder
// of references.
type refsAux struct{ aux, parent loader.Sym }

// refsOfRuntime reports whether s belongs to a package of the runtime.
func refsOfRuntime(ldr *loader.Loader, s loader.Sym) bool {
	return objabi.LookupPkgSpecial(ldr.SymPkg(s)).Runtime
}

// refsGlobalsTable makes the table's symbol, which has no content yet. It makes
// the variables runtime.refsGlobalsTable and runtime.coreGlobalsTable point to
// it. If deadcode has not kept runtime.refsGlobalsTable, there is no table.
func (ctxt *Link) refsGlobalsTable() {
	ldr := ctxt.loader
	if !refsRecords(ldr) || !ctxt.hasRefsGlobals() {
		return
	}
	t := ctxt.createGeneratorSymbol(refsGlobalsName, 0, sym.SRODATA, 0, nil)
	ldr.SetSymAlign(t, 4)
	ldr.SetAttrReachable(t, true)
	ldr.SetAttrLocal(t, true)

	for _, name := range []string{refsGlobalsPointer, coreGlobalsPointer} {
		s := ldr.Lookup(name, 0)
		if s == 0 {
			continue // the runtime of an earlier commit has no core record
		}
		pointer := ldr.MakeSymbolUpdater(s)
		pointer.SetType(sym.SNOPTRDATA)
		pointer.SetSize(0) // AddAddr sets it to the size of a pointer
		pointer.SetData(nil)
		pointer.AddAddr(ctxt.Arch, t)
	}
}

// refsGlobalsEntries sets the size of the table and the function that writes
// its content later, because the offsets of types are not known yet. data and
// bss are the symbols with pointers of the two sections, by address. Their
// values are their offsets in the section.
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
	ldr.MakeSymbolUpdater(t).SetSize(int64(vartable.GlobalsSize(len(table.entries), len(table.names))))
	ctxt.generatorSyms[t] = func(_ *Link, t loader.Sym) { table.write(t, ndata) }
}

// A refsTable is the table of globals before it is written.
type refsTable struct {
	ctxt    *Link
	entries []refsEntry
	names   []byte
	owners  map[loader.Sym]loader.Sym // by static temporary
}

type refsEntry struct {
	sym    loader.Sym
	offset uint32 // from the start of the section
	name   uint32
}

// add adds entries for the symbols of a section. There is none for a symbol
// that is 4 GiB or more behind the section's start, which no architecture can
// address now.
func (t *refsTable) add(syms []loader.Sym) {
	ldr := t.ctxt.loader
	for _, s := range syms {
		if ldr.SymGoType(s) == 0 {
			continue // a symbol such as runtime.data, which GCProg ignores too
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

// own finds the owners of static temporaries. A static temporary is a variable
// without a name that the compiler has made for an initial value, such as the T
// of var p = &T{}. Its owner is the first variable that refers to it. The
// temporary gets the name of its owner.
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

// nameOf returns the name of s or, if s is a static temporary, of the named
// variable to which it belongs.
func (t *refsTable) nameOf(s loader.Sym) string {
	named := s
	for range len(t.owners) + 1 { // temporaries may refer to each other in a circle
		owner, ok := t.owners[named]
		if !ok {
			return t.ctxt.loader.SymName(named)
		}
		named = owner
	}
	return t.ctxt.loader.SymName(s)
}

// nameAll fills in the names. Prefixes come first, so that their offsets are
// short.
func (t *refsTable) nameAll() {
	prefixes := make(map[string]uint32)
	for _, e := range t.entries {
		name := t.nameOf(e.sym)
		prefix := name[:refsPrefix(name)]
		if _, ok := prefixes[prefix]; !ok {
			prefixes[prefix] = uint32(len(t.names))
			t.names = vartable.AppendPrefix(t.names, prefix)
		}
	}
	for i := range t.entries {
		e := &t.entries[i]
		e.name = uint32(len(t.names))
		name := t.nameOf(e.sym)
		n := refsPrefix(name)
		t.names = vartable.AppendName(t.names, prefixes[name[:n]], name[n:])
	}
}

// refsPrefix returns the length of the package path, with the dot behind it, in
// the name of a symbol.
func refsPrefix(name string) int {
	path, _, _ := strings.Cut(name, "[") // type arguments have package paths, too
	slash := strings.LastIndexByte(path, '/') + 1
	return slash + strings.IndexByte(path[slash:], '.') + 1
}

// write writes the table, of which ndata entries are in data. The symbol's
// generator function calls it, when all addresses are known.
func (t *refsTable) write(table loader.Sym, ndata int) {
	globals := make([]vartable.Global, len(t.entries))
	for i, e := range t.entries {
		globals[i] = vartable.Global{Offset: e.offset, Runtime: t.isRuntime(e.sym), Type: t.typeOffset(e.sym), Name: e.name}
	}
	out := t.ctxt.loader.MakeSymbolUpdater(table)
	out.Grow(out.Size())
	vartable.PutGlobals(out.Data(), t.ctxt.Arch.ByteOrder, ndata, globals, t.names)
}

// isRuntime reports whether the profile shows s as a variable of the runtime.
func (t *refsTable) isRuntime(s loader.Sym) bool {
	ldr := t.ctxt.loader
	return refsOfRuntime(ldr, s) || refsEmptiedByGC[ldr.SymName(s)]
}

// refsEmptiedByGC has the variables that the garbage collector empties. They do
// not keep memory alive, so they count as the runtime's. One of them refers to
// each sync.Pool that has been used since the collection before the latest one,
// and so to the value that has the Pool as a field.
var refsEmptiedByGC = map[string]bool{
	"sync.allPools": true,
	"sync.oldPools": true,
}

// typeOffset returns the offset of s's type from the module's types, or 0 if
// the type was not kept.
func (t *refsTable) typeOffset(s loader.Sym) uint32 {
	ldr := t.ctxt.loader
	typ := ldr.SymGoType(s)
	if !ldr.AttrReachable(typ) || ldr.SymSect(typ) == nil {
		return 0
	}
	return uint32(ldr.SymValue(typ) - ldr.SymValue(ldr.Lookup("runtime.types", 0)))
}
