// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package core

import (
	"bufio"
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"testing"
)

// writeMemory writes a core file with notes and with the memory of a process.
func writeMemory(t *testing.T, name string, pid int, notes *bytes.Buffer) {
	t.Helper()
	auxv, err := os.ReadFile(fmt.Sprintf("/proc/%d/auxv", pid))
	if err != nil {
		t.Fatal(err)
	}
	addNote(notes, noteAuxv, auxv)
	if err := writeELF(name, notes.Bytes(), mappings(t, pid), fmt.Sprintf("/proc/%d/mem", pid)); err != nil {
		t.Fatal(err)
	}
}

func addNote(b *bytes.Buffer, kind uint32, desc []byte) {
	for _, n := range []uint32{5, uint32(len(desc)), kind} {
		binary.Write(b, binary.LittleEndian, n)
	}
	b.WriteString("CORE\x00\x00\x00\x00")
	b.Write(desc)
	b.Write(make([]byte, -len(desc)&3))
}

// mappings returns the memory of a process that the process has written or may
// write. Type descriptors of a position-independent executable are written when
// it is loaded, and are read-only afterwards.
func mappings(t *testing.T, pid int) (progs []elf.Prog64) {
	t.Helper()
	f, err := os.Open(fmt.Sprintf("/proc/%d/smaps", pid))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var mapping elf.Prog64
	for s := bufio.NewScanner(f); s.Scan(); {
		fields := strings.Fields(s.Text())
		var start, end uint64
		if _, err := fmt.Sscanf(fields[0], "%x-%x", &start, &end); err == nil {
			mapping = elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: 6, Vaddr: start, Filesz: end - start, Memsz: end - start}
			if strings.HasPrefix(fields[1], "rw") && !strings.HasPrefix(fields[len(fields)-1], "[v") {
				progs = append(progs, mapping)
				mapping.Filesz = 0
			}
		}
		if fields[0] == "Private_Dirty:" && fields[1] != "0" && mapping.Filesz > 0 {
			progs = append(progs, mapping)
		}
	}
	return progs
}

// writeELF writes an ELF file with notes and with the memory in the file mem.
func writeELF(name string, notes []byte, progs []elf.Prog64, mem string) error {
	m, err := os.Open(mem)
	if err != nil {
		return err
	}
	defer m.Close()
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	h := elf.Header64{Type: uint16(elf.ET_CORE), Machine: uint16(elf.EM_X86_64), Version: 1, Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: uint16(len(progs) + 1)}
	copy(h.Ident[:], "\x7fELF\x02\x01\x01")
	off := uint64(64 + 56*(len(progs)+1))
	var head bytes.Buffer
	binary.Write(&head, binary.LittleEndian, &h)
	binary.Write(&head, binary.LittleEndian, &elf.Prog64{Type: uint32(elf.PT_NOTE), Off: off, Filesz: uint64(len(notes))})
	off += uint64(len(notes))
	for i := range progs {
		progs[i].Off = off
		off += progs[i].Filesz
		binary.Write(&head, binary.LittleEndian, &progs[i])
	}
	head.Write(notes)
	if _, err := f.Write(head.Bytes()); err != nil {
		return err
	}
	page, zero := make([]byte, 1<<16), make([]byte, 1<<16)
	for i := range progs {
		for done := uint64(0); done < progs[i].Filesz; {
			b := page[:min(uint64(len(page)), progs[i].Filesz-done)]
			n, err := m.ReadAt(b, int64(progs[i].Vaddr+done))
			if n == 0 && err != nil {
				return err
			}
			if !bytes.Equal(b[:n], zero[:n]) {
				if _, err := f.WriteAt(b[:n], int64(progs[i].Off+done)); err != nil {
					return err
				}
			}
			done += uint64(n)
		}
	}
	return f.Truncate(int64(off))
}
