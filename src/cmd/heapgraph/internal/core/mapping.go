// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file reads which files the process had mapped. By default, the kernel
// leaves memory out of a core file if the memory can be read from these files.
// One of them is the Go program, which may be a shared library that another
// program has loaded.

package core

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
)

// A mapping is a part of a file that the process had mapped.
type mapping struct {
	start, end uint64
	off        uint64 // offset in the file
	name       string
}

// decodeMappings decodes the list of files of a core file. If the list is
// damaged, decodeMappings returns the mappings before the damage. If the list
// is too short for its number of mappings, it returns nil.
func decodeMappings(desc []byte) (ms []mapping) {
	const head, size = 16, 24
	if len(desc) < head {
		return nil
	}
	n, page := binary.LittleEndian.Uint64(desc), binary.LittleEndian.Uint64(desc[8:])
	desc = desc[head:]
	if n > uint64(len(desc))/size {
		return nil
	}
	names := desc[n*size:]
	for ; n > 0; n-- {
		name, rest, ok := bytes.Cut(names, []byte{0})
		if !ok {
			break
		}
		word := func(i int) uint64 { return binary.LittleEndian.Uint64(desc[8*i:]) }
		ms = append(ms, mapping{word(0), word(1), word(2) * page, string(name)})
		desc, names = desc[size:], rest
	}
	return ms
}

// bias returns the distance by which a file was moved when it was loaded. The
// file may be a shared library. bias looks for the mapped file with the same
// beginning. If there is none, bias takes the mapping that fits the entry point
// of the program, or else the mapped file with the same name. Without such a
// mapping, bias assumes that f has the entry point of the program. It returns 0
// if f is never moved, or if there is neither a mapping nor an entry point.
func (c *coreFile) bias(f *file, m *memory) uint64 {
	if f.Type != elf.ET_DYN {
		return 0
	}
	program := c.entry - f.Entry
	for _, is := range []func(mapping) bool{
		func(a mapping) bool { return f.begins(m, a) },
		func(a mapping) bool { return c.entry != 0 && a.start-f.firstAddress() == program },
		func(a mapping) bool { return filepath.Base(a.name) == filepath.Base(f.name) },
	} {
		for _, a := range c.mappings {
			if a.off == 0 && is(a) {
				return a.start - f.firstAddress()
			}
		}
	}
	if c.entry == 0 {
		return 0
	}
	return program
}

// isMapped reports whether an executable that is not moved was mapped. The
// entry point of a process is not the executable's if the command line names
// the dynamic linker first.
func (c *coreFile) isMapped(f *file, m *memory) bool {
	return slices.ContainsFunc(c.mappings, func(a mapping) bool {
		return a.off == 0 && a.start == f.firstAddress() && f.begins(m, a)
	})
}

// firstAddress returns the address of the beginning of a file, before the file
// is moved.
func (f *file) firstAddress() uint64 {
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			return p.Vaddr - p.Off
		}
	}
	return 0
}

// begins reports whether the core file has the beginning of f at the start of
// mapping a. The beginning includes the table of segments and, if the file has
// one, the build ID. The ELF header is not compared, because it changes when a
// file is stripped.
func (f *file) begins(m *memory, a mapping) bool {
	const header, page = 64, 1 << 12
	inCore := memory{core: m.core}
	b := inCore.bytes(a.start, page)
	return b != nil && len(f.data) >= page && bytes.Equal(b[header:], f.data[header:page])
}

// segments returns the segments of a file that was moved by bias bytes. It
// refuses segments that have the same part of the file, because they could stand
// for any amount of memory. They may share a little, such as a page.
func (f *file) segments(bias uint64) (segments []segment, err error) {
	total := uint64(0)
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD || p.Filesz == 0 {
			continue
		}
		data, err := f.content(p)
		if err != nil {
			return nil, err
		}
		if total += p.Filesz; total > 2*uint64(len(f.data)) {
			return nil, fmt.Errorf("%s has segments that overlap in the file", f.name)
		}
		segments = append(segments, segment{start: p.Vaddr + bias, data: data})
	}
	return segments, nil
}
