// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package core

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// checkDamaged reads a core file n times with random words of its memory changed.
// It must end, with an error or without.
func checkDamaged(t *testing.T, exe, core string, n int) {
	data, err := os.ReadFile(core)
	if err != nil {
		t.Fatal(err)
	}
	e, err := openFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer e.close()
	random := rand.New(rand.NewPCG(1, uint64(n)))
	var words []int // offsets of words that are not 0
	for at := memoryOffset(t, core, data); at+8 <= len(data); at += 8 {
		if binary.LittleEndian.Uint64(data[at:]) != 0 {
			words = append(words, at)
		}
	}
	word := func() uint64 { return binary.LittleEndian.Uint64(data[words[random.IntN(len(words))]:]) }
	for i := range n {
		changed := make(map[int]uint64)
		for range 1 << (i % 14) {
			at := words[random.IntN(len(words))]
			old := binary.LittleEndian.Uint64(data[at:])
			if _, ok := changed[at]; ok {
				continue
			}
			changed[at] = old
			binary.LittleEndian.PutUint64(data[at:], []uint64{0, ^uint64(0), old + 8, old ^ 1<<random.IntN(64), word(), random.Uint64()}[random.IntN(6)])
		}
		f, err := newFile(core, data)
		if err == nil {
			_, err = write(io.Discard, e, f, false)
		}
		if testing.Verbose() {
			t.Logf("%d words changed: %v", len(changed), err)
		}
		for at, old := range changed {
			binary.LittleEndian.PutUint64(data[at:], old)
		}
	}
}

// memoryOffset returns the offset of the memory in a core file.
func memoryOffset(t *testing.T, core string, data []byte) int {
	f, err := newFile(core, data)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && p.Filesz > 0 {
			return int(p.Off)
		}
	}
	t.Fatal("the core file has no memory")
	return 0
}

// TestErrors checks the errors for files that are no core files of the
// executable.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := func(name string, data []byte) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	header := func(machine elf.Machine, progs ...elf.Prog64) []byte {
		h := elf.Header64{Type: uint16(elf.ET_CORE), Machine: uint16(machine), Version: 1, Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: uint16(len(progs))}
		copy(h.Ident[:], "\x7fELF\x02\x01\x01")
		var b bytes.Buffer
		binary.Write(&b, binary.LittleEndian, &h)
		for _, p := range progs {
			binary.Write(&b, binary.LittleEndian, &p)
		}
		b.Write(make([]byte, 64))
		return b.Bytes()
	}
	note := make([]byte, 64)
	binary.LittleEndian.PutUint32(note, 1<<31)
	for _, test := range []struct{ name, exe, core, want string }{
		{"missing", exe, filepath.Join(dir, "none"), "no such file"},
		{"directory", exe, dir, "is no regular file"},
		{"empty", exe, file("empty", nil), "is no ELF file"},
		{"text", exe, file("text", []byte("core")), "is no ELF file"},
		{"swapped", file("c", header(elf.EM_X86_64)), exe, "is no executable"},
		{"executable", exe, exe, "is no core file"},
		{"machine", exe, file("arm", header(elf.EM_AARCH64)), "only core files of linux/amd64"},
		{"nothing", exe, file("nothing", header(elf.EM_X86_64)), "has no memory"},
		{"truncated", exe, file("truncated", header(elf.EM_X86_64, elf.Prog64{Type: uint32(elf.PT_LOAD), Off: 1 << 12, Vaddr: 1 << 12, Filesz: 1 << 20, Memsz: 1 << 20})), "is truncated: it has 184 bytes and not 1052672"},
		{"notes", exe, file("notes", append(header(elf.EM_X86_64, elf.Prog64{Type: uint32(elf.PT_NOTE), Off: 184, Filesz: 64}), note...)), "has a note that is damaged"},
		{"record", exe, file("record", header(elf.EM_X86_64, elf.Prog64{Type: uint32(elf.PT_LOAD), Off: 64, Vaddr: 1 << 12, Filesz: 8, Memsz: 8})), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Write(io.Discard, test.exe, test.core, false)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, and not %q", err, test.want)
			}
		})
	}
}
