// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file reads how long an executable or library is in memory.

package pprof

import (
	"bytes"
	"internal/goarch"
	"os"
	"unsafe"
)

// An elfHeader is the beginning of Elf32_Ehdr or Elf64_Ehdr.
type elfHeader struct {
	ident                          [16]byte
	kind, machine                  uint16
	version                        uint32
	entry, programs, sections      uintptr
	flags                          uint32
	size, programSize, programsLen uint16
}

// imageEnd returns the end of the executable or library whose file header is
// at base, with its variables that begin as zero and are not in the file. It
// returns 0 if there is none, or it cannot be read.
func (d *smapsDivision) imageEnd(base uintptr) uintptr {
	var header elfHeader
	const executable, library, programSize, maxPrograms = 2, 3, 8 + 6*goarch.PtrSize, 128
	if !peek(d, base, &header) || !bytes.HasPrefix(header.ident[:], []byte("\x7fELF")) || header.ident[4] != goarch.PtrSize/4 ||
		header.kind != executable && header.kind != library || header.programSize != programSize || header.programsLen > maxPrograms {
		return 0
	}
	var first, limit uintptr // as in the file
	for i := range uintptr(header.programsLen) {
		// Elf32_Phdr and Elf64_Phdr have these fields at the same words.
		var program struct{ kind, offset, addr, _, _, memory uintptr }
		if !peek(d, base+header.programs+i*uintptr(header.programSize), &program) {
			return 0
		}
		const load = 1
		if *(*uint32)(unsafe.Pointer(&program.kind)) != load {
			continue
		}
		if limit == 0 {
			first = program.addr - program.offset
		}
		limit = max(limit, program.addr+program.memory)
	}
	page := uintptr(os.Getpagesize())
	if first &^= page - 1; limit <= first {
		return 0
	}
	end := base + (limit-first+page-1)&^(page-1)
	if end < base {
		return 0
	}
	return end
}

// peek reads memory of the process that may be unmapped meanwhile into what p
// points to, and reports whether it has. A load would fault, and reading what has
// no page would make one.
func peek[T any](d *smapsDivision, addr uintptr, p *T) bool {
	if d.mem == nil || d.pages.file != nil && d.pages.present(addr, addr+1) == 0 {
		return false
	}
	_, err := d.mem.ReadAt(unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p)), int64(addr))
	return err == nil
}
