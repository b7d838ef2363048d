// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file reads the function tables of the program.

package core

import (
	"encoding/binary"
	"internal/abi"
	"sort"
	"strings"
)

// A function is an entry of a module's function table.
type function struct {
	m      *module
	entry  uint64
	name   string // as in the table, including type arguments
	args   int32
	resume uint32 // distance of a call of deferreturn from the entry, or 0
	pcsp   uint32
	pcfile uint32
	pcline uint32
	unit   uint32 // index in module.units of the function's compilation unit
	id     abi.FuncID
	flag   abi.FuncFlag

	pcdata, funcdata []byte // the tables of offsets
}

// Offsets in an entry of the table.
const (
	funcEntry    = 0
	funcName     = 4
	funcArgs     = 8
	funcResume   = 12
	funcPCSP     = 16
	funcPCFile   = 20
	funcPCLine   = 24
	funcPCData   = 28
	funcUnit     = 32
	funcID       = 40
	funcFlag     = 41
	funcFuncData = 43
	funcEnd      = 44
)

// moduleOf returns the module that has the code at pc, or nil.
func (p *process) moduleOf(pc uint64) *module {
	for _, m := range p.modules {
		if m.minPC <= pc && pc < m.maxPC {
			return m
		}
	}
	return nil
}

// textOffset returns the offset of a PC in the text of m.
func (m *module) textOffset(pc uint64) uint64 {
	for s := m.sections; len(m.sections) > 3*wordSize && len(s) >= 3*wordSize; s = s[3*wordSize:] {
		start, end, base := binary.LittleEndian.Uint64(s), binary.LittleEndian.Uint64(s[8:]), binary.LittleEndian.Uint64(s[16:])
		if pc >= base && pc < base+end-start {
			return pc - base + start
		}
	}
	return pc - m.text
}

// textAddress is the inverse of textOffset.
func (m *module) textAddress(off uint64) uint64 {
	for s := m.sections; len(m.sections) > 3*wordSize && len(s) >= 3*wordSize; s = s[3*wordSize:] {
		start, end, base := binary.LittleEndian.Uint64(s), binary.LittleEndian.Uint64(s[8:]), binary.LittleEndian.Uint64(s[16:])
		if off >= start && off < end {
			return off - start + base
		}
	}
	return off + m.text
}

// functionAt returns the function that has the code at pc, or nil.
func (p *process) functionAt(pc uint64) *function {
	m := p.moduleOf(pc)
	if m == nil {
		return nil
	}
	off := m.textOffset(pc)
	n := len(m.funcTable)/8 - 1 // the last entry marks the end
	i := sort.Search(n, func(i int) bool { return uint64(binary.LittleEndian.Uint32(m.funcTable[8*i:])) > off }) - 1
	if i < 0 {
		return nil
	}
	at := binary.LittleEndian.Uint32(m.funcTable[8*i+4:])
	key := functionKey{m, at}
	f, ok := p.functions[key]
	if !ok {
		f = m.readFunction(at)
		p.functions[key] = f
	}
	return f
}

// A functionKey identifies a function.
type functionKey struct {
	m  *module
	at uint32
}

// readFunction reads the entry at an offset, or returns nil if the entry is
// damaged.
func (m *module) readFunction(at uint32) *function {
	if uint64(at)+funcEnd > uint64(len(m.funcs)) {
		return nil
	}
	b := m.funcs[at:]
	number := func(i int) uint32 { return binary.LittleEndian.Uint32(b[i:]) }
	f := &function{
		m:      m,
		entry:  m.textAddress(uint64(number(funcEntry))),
		name:   m.funcName(number(funcName)),
		args:   int32(number(funcArgs)),
		resume: number(funcResume),
		pcsp:   number(funcPCSP),
		pcfile: number(funcPCFile),
		pcline: number(funcPCLine),
		unit:   number(funcUnit),
		id:     abi.FuncID(b[funcID]),
		flag:   abi.FuncFlag(b[funcFlag]),
	}
	npcdata, nfuncdata := uint64(number(funcPCData)), uint64(b[funcFuncData])
	if npcdata > 1<<16 || funcEnd+4*(npcdata+nfuncdata) > uint64(len(b)) {
		return nil
	}
	f.pcdata = b[funcEnd:][:4*npcdata]
	f.funcdata = b[funcEnd+4*npcdata:][:4*nfuncdata]
	return f
}

// funcName returns the name at an offset.
func (m *module) funcName(off uint32) string {
	if off == 0 {
		return ""
	}
	return nameIn(m.funcNames, uint64(off))
}

// nameIn returns the name at an offset of a table of names.
func nameIn(names []byte, off uint64) string {
	if off >= uint64(len(names)) {
		return ""
	}
	name, _, _ := strings.Cut(string(names[off:min(off+1<<16, uint64(len(names)))]), "\x00")
	return name
}

// pcValue returns the value that the table at an offset has at pc, or -1.
func (f *function) pcValue(table uint32, pc uint64) int32 {
	if table == 0 || uint64(table) >= uint64(len(f.m.pcTable)) {
		return -1
	}
	b := f.m.pcTable[table:]
	at, value := f.entry, int32(-1)
	for first := true; ; first = false {
		delta, n := binary.Uvarint(b)
		if n <= 0 || delta == 0 && !first {
			return -1
		}
		b = b[n:]
		value += int32(-(uint32(delta) & 1) ^ (uint32(delta) >> 1))
		length, n := binary.Uvarint(b)
		if n <= 0 {
			return -1
		}
		b = b[n:]
		if at += length; pc < at {
			return value
		}
	}
}

// pcData returns the value of pcdata i at pc, or -1.
func (f *function) pcData(i int, pc uint64) int32 {
	if 4*i >= len(f.pcdata) {
		return -1
	}
	return f.pcValue(binary.LittleEndian.Uint32(f.pcdata[4*i:]), pc)
}

// funcData returns the address of funcdata i, or 0.
func (f *function) funcData(i int) uint64 {
	if 4*i >= len(f.funcdata) {
		return 0
	}
	off := binary.LittleEndian.Uint32(f.funcdata[4*i:])
	if off == ^uint32(0) {
		return 0
	}
	return f.m.goFunc + uint64(off)
}

// Offsets in an inlined call, as the table of inlined calls has it.
const (
	inlinedFuncID   = 0
	inlinedName     = 4
	inlinedParentPC = 8
	inlinedSize     = 16
)

// A callAt is a PC in a function: that of a call which is inlined, or of code.
type callAt struct {
	pc       uint64
	function string
}

// calls returns the functions that have the code at pc, outermost first: f
// itself, and those that are inlined there. It leaves out wrappers, as
// stack traces do, unless nothing else would be left.
func (p *process) calls(f *function, pc uint64) (calls []callAt) {
	const maxDepth = 1 << 10
	tree := f.funcData(abi.FUNCDATA_InlTree)
	callee := abi.FuncIDNormal
	for range maxDepth {
		i := int32(-1)
		if tree != 0 {
			i = f.pcData(abi.PCDATA_InlTreeIndex, pc)
		}
		id, name := f.id, f.name
		var call []byte
		if i >= 0 {
			if call = p.bytes(tree+uint64(i)*inlinedSize, inlinedSize); call == nil {
				break
			}
			id, name = abi.FuncID(call[inlinedFuncID]), f.m.funcName(binary.LittleEndian.Uint32(call[inlinedName:]))
		}
		if id != abi.FuncIDWrapper || callee == abi.FuncID_gopanic || callee == abi.FuncID_sigpanic || callee == abi.FuncID_panicwrap {
			calls = append([]callAt{{pc, name}}, calls...)
		}
		callee = id
		if i < 0 {
			break
		}
		pc = f.entry + uint64(binary.LittleEndian.Uint32(call[inlinedParentPC:]))
	}
	if calls == nil {
		calls = []callAt{{pc, f.name}}
	}
	return calls
}

// FunctionsAt returns the names of the functions that contain the call that
// returns to pc, outermost first: more than one if calls are inlined. The only
// name is "" if there is no such function.
func (p *process) FunctionsAt(pc uintptr) (names []string) {
	if f := p.functionAt(uint64(pc) - 1); f != nil {
		for _, call := range p.calls(f, uint64(pc)-1) {
			names = append(names, call.function)
		}
		return names
	}
	return []string{""}
}

// printedName returns the name of a function as stack traces print it, with
// dots in place of type arguments.
func printedName(name string) string {
	i, j := strings.IndexByte(name, '['), strings.LastIndexByte(name, ']')
	if i < 0 || j < i {
		return name
	}
	return name[:i] + "[...]" + name[j+1:]
}

// isSystem reports whether the goroutine that began with the function is the
// runtime's own. A goroutine that is running finalizers (finalizes) or cleanups
// (cleansUp) is not.
func (f *function) isSystem(finalizes, cleansUp bool) bool {
	if f == nil {
		return false
	}
	switch f.id {
	case abi.FuncID_runtime_main, abi.FuncID_corostart, abi.FuncID_handleAsyncEvent:
		return false
	case abi.FuncID_runFinalizers:
		return !finalizes
	case abi.FuncID_runCleanups:
		return !cleansUp
	}
	return strings.HasPrefix(f.name, "runtime.")
}
