// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file opens an executable and a core file, and reads their segments and
// the core file's notes.

package core

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// A file is an ELF file.
type file struct {
	*elf.File
	name  string
	data  []byte
	close func() error
}

// openFile opens an ELF file.
func openFile(name string) (*file, error) {
	// A pipe is not opened, because that waits for a writer. The name may be
	// that of a plugin in the core file.
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	data, free, err := readFile(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	ef, err := newFile(name, data)
	if err != nil {
		free()
		return nil, err
	}
	ef.close = free
	return ef, nil
}

// newFile decodes data as an ELF file.
func newFile(name string, data []byte) (*file, error) {
	e, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s is no ELF file: %w", name, err)
	}
	if e.Class != elf.ELFCLASS64 || e.Data != elf.ELFDATA2LSB || e.Machine != elf.EM_X86_64 {
		return nil, fmt.Errorf("%s is a file for %v: only core files of linux/amd64 can be read", name, e.Machine)
	}
	return &file{File: e, name: name, data: data, close: func() error { return nil }}, nil
}

// content returns the part of the file that a program header describes. If the
// file is too short, content returns an error.
func (f *file) content(p *elf.Prog) ([]byte, error) {
	if p.Off > uint64(len(f.data)) || p.Filesz > uint64(len(f.data))-p.Off {
		return nil, fmt.Errorf("%s is truncated: it has %d bytes and not %d", f.name, len(f.data), p.Off+p.Filesz)
	}
	return f.data[p.Off : p.Off+p.Filesz], nil
}

// A thread is a thread of the process.
type thread struct {
	id   uint64
	regs registers
	tls  uint64 // the thread pointer
}

// registers are the general registers of a thread or of a signal frame.
type registers struct {
	pc, sp uint64
	all    []uint64 // all registers that may have pointers
}

// A coreFile has those contents of a core file's notes that are needed.
type coreFile struct {
	threads  []thread
	entry    uint64 // address of the entry point of the program
	mappings []mapping
}

// Types of notes, and an entry of the auxiliary vector.
const (
	noteThread = 1
	noteAuxv   = 6
	noteFiles  = 0x46494c45
	auxvEntry  = 9
)

// readNotes reads the notes of a core file.
func (f *file) readNotes() (c coreFile, err error) {
	for _, p := range f.Progs {
		if p.Type != elf.PT_NOTE {
			continue
		}
		notes, err := f.content(p)
		if err != nil {
			return c, err
		}
		for len(notes) >= 12 {
			size, descSize := uint64(binary.LittleEndian.Uint32(notes)), uint64(binary.LittleEndian.Uint32(notes[4:]))
			kind := binary.LittleEndian.Uint32(notes[8:])
			desc := 12 + (size+3)&^3
			next := desc + (descSize+3)&^3
			if desc+descSize > uint64(len(notes)) {
				return c, fmt.Errorf("%s has a note that is damaged", f.name)
			}
			c.note(string(bytes.TrimRight(notes[12:12+size], "\x00")), kind, notes[desc:desc+descSize])
			notes = notes[min(next, uint64(len(notes))):]
		}
	}
	return c, nil
}

// note adds the contents of a note to c, if they are needed.
func (c *coreFile) note(name string, kind uint32, desc []byte) {
	if name != "CORE" {
		return
	}
	switch kind {
	case noteThread:
		if t, ok := decodeThread(desc); ok {
			c.threads = append(c.threads, t)
		}
	case noteFiles:
		c.mappings = append(c.mappings, decodeMappings(desc)...)
	case noteAuxv:
		for ; len(desc) >= 16; desc = desc[16:] {
			if binary.LittleEndian.Uint64(desc) == auxvEntry {
				c.entry = binary.LittleEndian.Uint64(desc[8:])
			}
		}
	}
}

// decodeThread decodes a prstatus structure of linux/amd64.
func decodeThread(desc []byte) (t thread, ok bool) {
	const (
		id, regs, nregs  = 32, 112, 27
		pointers, pc, sp = 15, 16, 19 // indices of registers; only registers 0 to pointers-1 may have pointers
		tls              = 21         // FS base
	)
	if len(desc) < regs+nregs*8 {
		return t, false
	}
	reg := func(i int) uint64 { return binary.LittleEndian.Uint64(desc[regs+8*i:]) }
	t.id = uint64(binary.LittleEndian.Uint32(desc[id:]))
	t.tls = reg(tls)
	t.regs = registers{pc: reg(pc), sp: reg(sp)}
	for i := range pointers {
		t.regs.all = append(t.regs.all, reg(i))
	}
	return t, true
}

// errOther is the error for files that do not belong together.
var errOther = errors.New("the core file is not of this executable")

// load returns the memory that the files have. bias is the distance by which
// the executable was moved when it was loaded.
func load(exe, core *file, notes *coreFile) (m *memory, bias uint64, err error) {
	m = new(memory)
	segments, err := core.segments(0)
	if err != nil {
		return nil, 0, err
	}
	if m.core = sortSegments(segments); len(m.core) == 0 {
		return nil, 0, fmt.Errorf("%s has no memory", core.name)
	}
	if exe.Type != elf.ET_DYN && notes.entry != 0 && notes.entry != exe.Entry && !notes.isMapped(exe, m) {
		return nil, 0, errOther
	}
	bias = notes.bias(exe, m)
	if segments, err = exe.segments(bias); err != nil {
		return nil, 0, err
	}
	m.exe = sortSegments(segments)
	return m, bias, checkBuildID(exe, m, bias)
}

// checkBuildID compares the build ID of exe, which may be a plugin, with the
// one in the core file, if both are there.
func checkBuildID(exe *file, m *memory, bias uint64) error {
	s := exe.Section(".note.go.buildid")
	if s == nil || s.Size == 0 || s.Size > 1<<10 {
		return nil
	}
	want, err := s.Data()
	if err != nil && err != io.EOF {
		return nil
	}
	inCore := memory{core: m.core}
	if have := inCore.bytes(s.Addr+bias, s.Size); have != nil && !bytes.Equal(have, want) {
		return errOther
	}
	return nil
}
