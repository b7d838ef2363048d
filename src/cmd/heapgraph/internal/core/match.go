// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file checks that the process ran the executable. Build IDs do not show
// this reliably, because builds may have none, or all the same one. The data of
// a process has words that the linker has written and that nothing changes.
// These words are in the executable, too, and are compared.

package core

import (
	"bytes"
	"debug/elf"
	"errors"
	"internal/profilerecord"
)

// errDiffers is the error if the data does not match.
var errDiffers = errors.New("the core file is not of this executable, or one of them is damaged: their data differs")

// checkMatch compares the fixed words of the record and of the first module in
// the core file with those in the executable.
func (p *process) checkMatch(exe *file) error {
	inCore, inExe := memory{core: p.core}, memory{exe: p.exe}
	for _, w := range p.fixedWords(exe.Type == elf.ET_EXEC) {
		have, want := inCore.bytes(w.at, w.size), inExe.bytes(w.at, w.size)
		if have != nil && !bytes.Equal(have, want) {
			return errDiffers
		}
	}
	return nil
}

// A fixedWord is memory that nothing changes once the process has begun.
type fixedWord struct{ at, size uint64 }

// fixedWords returns the fixed words of the record and of the first module.
// Addresses are among them only if the executable is not moved when it is
// loaded.
func (p *process) fixedWords(addresses bool) []fixedWord {
	module := p.variable(profilerecord.CoreModule)
	offs := recordHeader + wordSize*uint64(len(p.vars))
	list := []fixedWord{
		{p.record.addr, recordHeader},
		{p.record.addr + offs, 2 * uint64(len(p.offs))},
	}
	add := func(at, words uint64, fields ...int) {
		for _, i := range fields {
			list = append(list, fixedWord{module + p.off(i) + at, words * wordSize})
		}
	}
	add(wordSize, 2, // lengths and capacities of slices
		profilerecord.CoreModuleFuncNames, profilerecord.CoreModulePCTable, profilerecord.CoreModuleFuncs,
		profilerecord.CoreModuleFuncTable, profilerecord.CoreModuleTextSections)
	add(0, 1, profilerecord.CoreModuleTypeDescs, profilerecord.CoreModuleItabs, profilerecord.CoreModuleItabsSize)
	if !addresses {
		return list
	}
	list = append(list, fixedWord{p.record.addr, offs})
	add(0, 1,
		profilerecord.CoreModuleMinPC, profilerecord.CoreModuleMaxPC, profilerecord.CoreModuleText,
		profilerecord.CoreModuleData, profilerecord.CoreModuleDataEnd, profilerecord.CoreModuleBSS, profilerecord.CoreModuleBSSEnd,
		profilerecord.CoreModuleTypes, profilerecord.CoreModuleTypesEnd, profilerecord.CoreModuleROData,
		profilerecord.CoreModuleGoFunc, profilerecord.CoreModuleFuncEnd)
	return list
}
