// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds global variables by the table that the linker has written or,
// without a table, by the symbol table of the executable.

package core

import (
	"cmd/internal/objabi"
	"cmp"
	"debug/elf"
	"internal/profilerecord"
	"internal/runtime/refs"
	"internal/vartable"
	"slices"
	"sort"
	"strings"
)

// A global is a global variable that has pointers.
type global struct {
	addr, size uint64
	typ        *Type // nil if the type is not known
	pkg, name  string
	runtime    bool
}

// globals has the variables of the first module, those in data before those in
// bss, by address.
type globals struct {
	all  []global
	data int // number of variables in data
}

// readGlobals reads the table. If the program has none, or the table has no
// variables, readGlobals reads the symbol table of the executable.
func (p *process) readGlobals(exe *file, bias uint64) {
	m := p.modules[0]
	if at := p.word(p.variable(profilerecord.CoreGlobals)); at != 0 {
		t := vartable.DecodeGlobals(p.at(at))
		p.readTable(m, &t)
	}
	if m.globals = len(p.globals.all) > 0; !m.globals {
		p.readSymbols(m, exe, bias)
	}
}

// readTable reads the table of m.
func (p *process) readTable(m *module, t *vartable.Globals) {
	p.globals.data = t.Data()
	for i := range t.Len() {
		e := t.At(i)
		base, end := m.data.start, m.data.end
		if i >= t.Data() {
			base, end = m.bss.start, m.bss.end
		}
		g := global{addr: base + uint64(e.Offset), runtime: e.Runtime}
		if next := i + 1; next != t.Data() && next != t.Len() {
			end = base + uint64(t.At(next).Offset)
		}
		g.size = max(end, g.addr) - g.addr
		if e.Type != 0 {
			g.typ = p.typeAt(m.types + uint64(e.Type))
		}
		if g.typ != nil {
			g.size = min(g.size, g.typ.size)
		}
		pkg, name, _ := t.Name(e.Name)
		g.pkg, g.name = string(pkg), string(name)
		p.globals.all = append(p.globals.all, g)
	}
}

// has reports whether the word at an address belongs to a variable.
func (gs *globals) has(at uint64) bool {
	for _, section := range [][]global{gs.all[:gs.data], gs.all[gs.data:]} {
		i := sort.Search(len(section), func(i int) bool { return section[i].addr > at }) - 1
		if i >= 0 && at < section[i].addr+section[i].size {
			return true
		}
	}
	return false
}

// readSymbols takes the variables of m from the symbol table of the executable,
// if there is one. A symbol table has no types.
func (p *process) readSymbols(m *module, exe *file, bias uint64) {
	symbols, err := exe.Symbols()
	if err != nil {
		return
	}
	slices.SortStableFunc(symbols, func(a, b elf.Symbol) int { return cmp.Compare(a.Value, b.Value) })
	for _, section := range []*dataSection{&m.data, &m.bss} {
		end := section.start
		for _, s := range symbols {
			addr := s.Value + bias
			if elf.ST_TYPE(s.Info) != elf.STT_OBJECT || s.Size == 0 || addr < end || addr >= section.end || s.Size > section.end-addr {
				continue
			}
			pkg, name := splitSymbol(s.Name)
			path := strings.TrimSuffix(pkg, ".")
			p.globals.all = append(p.globals.all, global{addr: addr, size: s.Size, pkg: pkg, name: name, runtime: objabi.LookupPkgSpecial(path).Runtime})
			end = addr + s.Size
		}
		if section == &m.data {
			p.globals.data = len(p.globals.all)
		}
	}
}

// splitSymbol splits the name of a symbol after the dot that ends the path of
// its package.
func splitSymbol(symbol string) (pkg, name string) {
	last := strings.LastIndexByte(symbol, '/') + 1
	dot := strings.IndexByte(symbol[last:], '.')
	return symbol[:last+dot+1], symbol[last+dot+1:]
}

// Data and bss of a module without a table are divided into blocks. Each block
// is a root. Words in variables that the symbol table names belong to no block.
// blockSize returns the size in bytes of the blocks of a section. It is a power
// of two.
func (p *process) blockSize(s *dataSection) uint64 {
	return uint64(refs.ModuleBlock(uintptr(s.end-s.start), len(p.modules)))
}

// dataName returns a name for the block that begins at an address in data or
// bss of a module.
func (p *process) dataName(at uint64) string {
	m := p.modules[0]
	for _, o := range p.modules {
		if at >= o.data.start && at < o.data.end || at >= o.bss.start && at < o.bss.end {
			m = o
		}
	}
	section, start := "data", m.data.start
	if at >= m.bss.start && at < m.bss.end {
		section, start = "bss", m.bss.start
	}
	return refs.DataName(m.name, section, at-start)
}
