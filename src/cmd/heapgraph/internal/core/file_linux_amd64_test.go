// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package core

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"
)

// numbers are in the core file, and text is in the executable.
var numbers = []uint64{0x0123456789abcdef, 42, ^uint64(0)}

const text = "The executable has this text."

func addr[T any](p *T) uint64 { return uint64(uintptr(unsafe.Pointer(p))) }

// TestMemory reads the memory of the test's own process.
func TestMemory(t *testing.T) {
	exe, core := selfFiles(t)
	notes, err := core.readNotes()
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := load(exe, core, &notes)
	if err != nil {
		t.Fatal(err)
	}
	array := addr(&numbers[0])
	for i, want := range numbers {
		at := array + uint64(i)*wordSize
		if got := m.word(at); got != want || m.uint32(at) != uint32(want) || m.uint16(at) != uint16(want) || m.uint8(at) != uint8(want) {
			t.Errorf("word %d is %#x, and not %#x", i, got, want)
		}
	}
	if b := m.slice(addr(&numbers), wordSize); len(b) != len(numbers)*wordSize {
		t.Errorf("the slice has %d bytes", len(b))
	}
	var elements []uint64
	for w := range m.elements(addr(&numbers), wordSize) {
		elements = append(elements, w)
	}
	if len(elements) != len(numbers) || elements[1] != 42 {
		t.Errorf("the elements are %#x", elements)
	}
	at := addr(unsafe.StringData(text))
	for _, m := range []*memory{m, {exe: m.exe}} {
		if got := string(m.bytes(at, uint64(len(text)))); got != text {
			t.Errorf("the text is %q", got)
		}
	}
	if m.has(0, 1) || m.word(8) != 0 || m.bytes(8, 8) != nil {
		t.Error("there is memory at 0")
	}
}

// TestSegments reads memory across segments.
func TestSegments(t *testing.T) {
	data := []byte("0123456789abcdef")
	m := memory{
		core: sortSegments([]segment{{108, data[8:12]}, {100, data[:4]}, {104, data[4:8]}, {120, []byte("xy")}, {134, []byte("CORE")}, {142, []byte("XY")}}),
		exe:  sortSegments([]segment{{112, []byte("EXEC")}, {100, []byte("hidden")}, {130, []byte("executable stuff")}}),
	}
	if len(m.core) != 4 {
		t.Errorf("segments that are adjacent are not joined: %v", m.core)
	}
	for _, test := range []struct {
		at, n uint64
		want  string // or "" if the bytes are not all there
	}{
		{100, 12, "0123456789ab"},
		{106, 4, "6789"},
		{110, 4, "abEX"},
		{100, 16, "0123456789abEXEC"},
		{114, 8, ""},
		{120, 2, "xy"},
		{120, 3, ""},
		{99, 1, ""},
		{130, 4, "exec"},
		{134, 4, "CORE"}, // although the segment found last has it, too
		{138, 2, "le"},
		{142, 4, "XYff"},
		{130, 16, "execCOREle sXYff"},
	} {
		if got := string(m.bytes(test.at, test.n)); got != test.want {
			t.Errorf("%d bytes at %d are %q, and not %q", test.n, test.at, got, test.want)
		}
		if m.has(test.at, test.n) != (test.want != "") {
			t.Errorf("has(%d, %d) is %v", test.at, test.n, m.has(test.at, test.n))
		}
	}
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
	var overlap []elf.Prog64
	for i := range uint64(200) {
		overlap = append(overlap, elf.Prog64{Type: uint32(elf.PT_LOAD), Off: 64, Vaddr: i << 20, Filesz: 1 << 10, Memsz: 1 << 10})
	}
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
		{"overlap", exe, file("overlap", header(elf.EM_X86_64, overlap...)), "has segments that overlap in the file"},
		{"record", exe, file("record", header(elf.EM_X86_64, elf.Prog64{Type: uint32(elf.PT_LOAD), Off: 64, Vaddr: 1 << 12, Filesz: 8, Memsz: 8})), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := openBoth(test.exe, test.core)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, and not %q", err, test.want)
			}
		})
	}
}

// openBoth opens the files, and reads what is known of the process.
func openBoth(executable, core string) error {
	exe, err := openFile(executable)
	if err != nil {
		return err
	}
	defer exe.close()
	file, err := openFile(core)
	if err != nil {
		return err
	}
	defer file.close()
	_, err = newProcess(exe, file)
	return err
}
