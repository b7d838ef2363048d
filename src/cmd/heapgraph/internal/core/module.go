// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file reads the modules of the program.

package core

import (
	"fmt"
	"internal/profilerecord"
)

// A module is a module of the program: the executable or shared library, or a
// plugin.
type module struct {
	addr            uint64
	name            string
	minPC, maxPC    uint64
	text            uint64
	sections        []byte // sections of the text, as the runtime has them
	funcNames       []byte
	pcTable         []byte
	funcs           []byte
	funcTable       []byte
	units, files    []byte // where the names of files are: see place.go
	types, typesEnd uint64
	descsEnd        uint64
	itabs, itabsEnd uint64
	rodata          uint64
	goFunc, funcEnd uint64
	data, bss       dataSection
	globals         bool // the module has a table of variables
}

// A dataSection is data or bss.
type dataSection struct {
	start, end uint64
	mask       []byte // has a bit for each word
}

// readModules reads the modules.
func (p *process) readModules() error {
	const maxModules = 1 << 12
	for at := p.variable(profilerecord.CoreModule); at != 0; at = p.word(at + p.off(profilerecord.CoreModuleNext)) {
		if len(p.modules) == maxModules {
			return fmt.Errorf("the list of modules is damaged")
		}
		p.modules = append(p.modules, p.readModule(at))
	}
	if len(p.modules) == 0 {
		return fmt.Errorf("the core file has no list of modules: it is damaged")
	}
	if m := p.modules[0]; m.funcTable == nil || m.pcTable == nil || m.data.mask == nil {
		return fmt.Errorf("the executable does not have the tables of the program: it may be that of another program")
	}
	return nil
}

// readModule reads the moduledata at an address.
func (p *process) readModule(at uint64) *module {
	word := func(i int) uint64 { return p.word(at + p.off(i)) }
	slice := func(i int, size uint64) []byte { return p.slice(at+p.off(i), size) }
	m := &module{
		addr:      at,
		minPC:     word(profilerecord.CoreModuleMinPC),
		maxPC:     word(profilerecord.CoreModuleMaxPC),
		text:      word(profilerecord.CoreModuleText),
		sections:  slice(profilerecord.CoreModuleTextSections, 3*wordSize),
		funcNames: slice(profilerecord.CoreModuleFuncNames, 1),
		pcTable:   slice(profilerecord.CoreModulePCTable, 1),
		funcs:     slice(profilerecord.CoreModuleFuncs, 1),
		funcTable: slice(profilerecord.CoreModuleFuncTable, 8),
		units:     slice(profilerecord.CoreModuleUnits, 4),
		files:     slice(profilerecord.CoreModuleFiles, 1),
		types:     word(profilerecord.CoreModuleTypes),
		typesEnd:  word(profilerecord.CoreModuleTypesEnd),
		rodata:    word(profilerecord.CoreModuleROData),
		goFunc:    word(profilerecord.CoreModuleGoFunc),
		funcEnd:   word(profilerecord.CoreModuleFuncEnd),
	}
	m.descsEnd = m.types + word(profilerecord.CoreModuleTypeDescs)
	m.itabs = m.types + word(profilerecord.CoreModuleItabs)
	m.itabsEnd = m.itabs + word(profilerecord.CoreModuleItabsSize)
	m.data = p.dataSection(at, profilerecord.CoreModuleData, profilerecord.CoreModuleDataEnd, profilerecord.CoreModuleDataMask)
	m.bss = p.dataSection(at, profilerecord.CoreModuleBSS, profilerecord.CoreModuleBSSEnd, profilerecord.CoreModuleBSSMask)
	for _, i := range []int{profilerecord.CoreModulePluginPath, profilerecord.CoreModuleName} {
		if m.name == "" {
			m.name = p.string(at + p.off(i))
		}
	}
	if m.name == "" {
		m.name = "main"
	}
	return m
}

func (p *process) dataSection(at uint64, start, end, mask int) dataSection {
	s := dataSection{start: p.word(at + p.off(start)), end: p.word(at + p.off(end))}
	if s.end < s.start || s.end >= maxAddress {
		return dataSection{}
	}
	words := (s.end - s.start) / wordSize
	s.mask = p.bytes(p.word(at+p.off(mask)+p.off(profilerecord.CoreBitvectorData)), (words+7)/8)
	if s.mask == nil {
		s.end = s.start
	}
	return s
}

// pointers calls the function do with the address of each pointer word of the
// part [lo, hi) of s.
func (s *dataSection) pointers(lo, hi uint64, do func(at uint64)) {
	lo, hi = (max(lo, s.start)+wordSize-1)&^(wordSize-1), min(hi, s.end)
	for at := lo; at < hi; at += wordSize {
		if w := (at - s.start) / wordSize; bit(s.mask, w) {
			do(at)
		}
	}
}

// bit returns bit i of a mask.
func bit(mask []byte, i uint64) bool { return i/8 < uint64(len(mask)) && mask[i/8]>>(i%8)&1 != 0 }
