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
	"slices"
	"testing"
)

// encodeMappings is the inverse of decodeMappings, for pages of 16 bytes.
func encodeMappings(ms []mapping) []byte {
	var b bytes.Buffer
	binary.Write(&b, binary.LittleEndian, []uint64{uint64(len(ms)), 16})
	for _, m := range ms {
		binary.Write(&b, binary.LittleEndian, []uint64{m.start, m.end, m.off / 16})
	}
	for _, m := range ms {
		b.WriteString(m.name + "\x00")
	}
	return b.Bytes()
}

// TestMappings checks that the list of mapped files is read, damaged or not.
func TestMappings(t *testing.T) {
	ms := []mapping{{0x1000, 0x2000, 0, "/a b"}, {0x2000, 0x3000, 32, "/c"}}
	b := encodeMappings(ms)
	big := slices.Clone(b)
	binary.LittleEndian.PutUint64(big, 1<<60)
	for _, test := range []struct {
		name string
		b    []byte
		want []mapping
	}{
		{"whole", b, ms},
		{"none", encodeMappings(nil), nil},
		{"empty", nil, nil},
		{"short", b[:20], nil},
		{"without names", b[:64], nil},
		{"cut name", b[:len(b)-1], ms[:1]},
		{"many", big, nil},
	} {
		if got := decodeMappings(test.b); !slices.Equal(got, test.want) {
			t.Errorf("%s: the mappings are %v, and not %v", test.name, got, test.want)
		}
	}
}

// writeLibrary writes an ELF file that is loaded as one segment. mark makes its
// beginning unlike that of others.
func writeLibrary(t *testing.T, name string, entry uint64, mark byte) *file {
	t.Helper()
	h := elf.Header64{Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1, Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 1, Entry: entry}
	copy(h.Ident[:], "\x7fELF\x02\x01\x01")
	var b bytes.Buffer
	binary.Write(&b, binary.LittleEndian, &h)
	binary.Write(&b, binary.LittleEndian, &elf.Prog64{Type: uint32(elf.PT_LOAD), Filesz: 8192, Memsz: 8192})
	b.Write(bytes.Repeat([]byte{mark}, 8192-b.Len()))
	if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := openFile(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.close() })
	return f
}

// TestBias checks that the place of a shared library is found.
func TestBias(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lib.so")
	lib := writeLibrary(t, name, 0, 'a')
	exe := writeLibrary(t, filepath.Join(t.TempDir(), "exe"), 0x100, 'b')
	stripped := writeLibrary(t, filepath.Join(t.TempDir(), "stripped"), 1, 'a')
	m := &memory{core: []segment{{0x10000, lib.data[:4096]}, {0x20000, exe.data[:4096]}}}
	here, there := mapping{0x10000, 0x12000, 0, "/other/name"}, mapping{0x20000, 0x22000, 0, "/bin/exe"}
	named := mapping{0x50000, 0x52000, 0, "/x/lib.so"}
	for _, test := range []struct {
		name  string
		f     *file
		notes coreFile
		want  uint64
	}{
		{"library that is stripped", stripped, coreFile{entry: 0x20100, mappings: []mapping{there, named, here}}, 0x10000},
		{"library", lib, coreFile{entry: 0x20100, mappings: []mapping{there, named, here}}, 0x10000},
		{"library whose beginning is not in the core", lib, coreFile{entry: 0x20100, mappings: []mapping{there, named}}, 0x50000},
		{"program", exe, coreFile{entry: 0x20100, mappings: []mapping{here, there}}, 0x20000},
		{"program whose beginning is not in the core", exe, coreFile{entry: 0x60100, mappings: []mapping{here, {0x60000, 0x62000, 0, "/b"}, {0x50000, 0x52000, 0, "/lib/exe"}}}, 0x60000},
		{"program without mappings", exe, coreFile{entry: 0x30100}, 0x30000},
		{"nothing", exe, coreFile{}, 0},
	} {
		if got := test.notes.bias(test.f, m); got != test.want {
			t.Errorf("%s: the bias is %#x, and not %#x", test.name, got, test.want)
		}
	}
}

// TestLoader checks that the entry point of a process may be that of a program
// that has loaded the executable.
func TestLoader(t *testing.T) {
	exe := writeLibrary(t, filepath.Join(t.TempDir(), "exe"), 0x100, 'a')
	exe.Type = elf.ET_EXEC
	whole := []mapping{{0, 0x2000, 0, "/exe"}}
	for _, test := range []struct {
		name  string
		notes coreFile
		want  error
	}{
		{"own", coreFile{entry: 0x100}, nil},
		{"unknown", coreFile{}, nil},
		{"loader's", coreFile{entry: 0x200, mappings: whole}, nil},
		{"of another executable", coreFile{entry: 0x200}, errOther},
		{"elsewhere", coreFile{entry: 0x200, mappings: []mapping{{0x1000, 0x3000, 0, "/exe"}}}, errOther},
	} {
		if _, _, err := load(exe, exe, &test.notes); err != test.want { // exe is its own core file
			t.Errorf("%s: the error is %v, and not %v", test.name, err, test.want)
		}
	}
}
