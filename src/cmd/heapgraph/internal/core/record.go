// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds the core record of the program.

package core

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"internal/profilerecord"
)

// A record is the core record (internal/profilerecord/core.go).
type record struct {
	addr uint64
	vars []uint64
	offs []uint16
}

// recordHeader is the length in bytes of the record before its variables.
const recordHeader = 24

// findRecord finds the record in the writable part of the program's memory.
func findRecord(exe *file, m *memory, bias uint64) (r record, err error) {
	for _, p := range exe.Progs {
		if p.Type != elf.PT_LOAD || p.Flags&elf.PF_W == 0 {
			continue
		}
		b := m.bytes(p.Vaddr+bias, p.Filesz)
		for at := 0; at+recordHeader <= len(b); at += wordSize {
			if binary.LittleEndian.Uint64(b[at:]) == profilerecord.CoreMagic0 && binary.LittleEndian.Uint64(b[at+8:]) == profilerecord.CoreMagic1 {
				r, err = decodeRecord(b[at:])
				r.addr = p.Vaddr + bias + uint64(at)
				return r, err
			}
		}
	}
	if exe.Section(".gopclntab") == nil && exe.Section(".note.go.buildid") == nil {
		return r, fmt.Errorf("%s is not a Go program. If it loads Go code from a shared library (-buildmode=c-shared), name the library in its place", exe.name)
	}
	return r, fmt.Errorf("%s is not a Go program that gorefs has built, or the core file does not have the program's data", exe.name)
}

// decodeRecord decodes the record at the beginning of b.
func decodeRecord(b []byte) (r record, err error) {
	number := func(i int) int { return int(binary.LittleEndian.Uint16(b[16+2*i:])) }
	version, ptrSize, vars, offs := number(0), number(1), number(2), number(3)
	switch {
	case version != profilerecord.CoreVersion:
		return r, fmt.Errorf("the program's core record has version %d: this tool reads version %d", version, profilerecord.CoreVersion)
	case ptrSize != wordSize, vars < profilerecord.NumCoreVars, offs < profilerecord.FirstCoreOffs, len(b) < recordHeader+8*vars+2*offs:
		return r, fmt.Errorf("the program's core record is damaged")
	}
	b = b[recordHeader:]
	for i := range vars {
		r.vars = append(r.vars, binary.LittleEndian.Uint64(b[8*i:]))
	}
	b = b[8*vars:]
	for i := range offs {
		r.offs = append(r.offs, binary.LittleEndian.Uint16(b[2*i:]))
	}
	for len(r.offs) < profilerecord.NumCoreOffs {
		r.offs = append(r.offs, 0)
	}
	return r, nil
}

// variable returns the address of a variable.
func (r *record) variable(i int) uint64 { return r.vars[i] }

// off returns an offset or another number.
func (r *record) off(i int) uint64 { return uint64(r.offs[i]) }
