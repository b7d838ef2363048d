// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package core

import (
	"bytes"
	"debug/elf"
	"debug/heapgraph"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// checkDamaged reads a core file and its executable with random words changed,
// n times for each kind of words: those of the memory, of the program's data in
// it, of the tables of the executable, and of the headers and notes of either
// file. Each time there must be an error, or a graph that can be read.
func checkDamaged(t *testing.T, exe, core string, n int) {
	e, c := readWhole(t, exe), readWhole(t, core)
	var data, tables []elf.ProgHeader
	for _, p := range e.Progs {
		switch {
		case p.Type == elf.PT_LOAD && p.Flags&elf.PF_W != 0:
			data = append(data, p.ProgHeader)
		case p.Type == elf.PT_LOAD && p.Flags&elf.PF_X == 0:
			tables = append(tables, p.ProgHeader)
		}
	}
	memory := c.words(func(at uint64) bool { return true })
	for _, d := range []damage{
		{"memory", c, memory},
		{"data", c, c.words(func(at uint64) bool {
			return slices.ContainsFunc(data, func(p elf.ProgHeader) bool { return at-p.Vaddr < p.Memsz })
		})},
		{"tables", e, e.words(func(at uint64) bool {
			return slices.ContainsFunc(tables, func(p elf.ProgHeader) bool { return at-p.Vaddr < p.Memsz })
		})},
		{"headers", c, c.headers()},
		{"headers of the executable", e, e.headers()},
	} {
		random := rand.New(rand.NewPCG(1, uint64(n)))
		for i := range n {
			undo := d.change(random, 1<<(i%14))
			err := writeAndRead(t, e, c)
			if testing.Verbose() {
				t.Logf("%s %d: %v", d.name, i, err)
			}
			undo()
		}
	}
}

// A damage has the words of a file that are changed.
type damage struct {
	name  string
	f     *file
	words []int // offsets of the words
}

// change changes n of the words. undo restores them.
func (d *damage) change(random *rand.Rand, n int) (undo func()) {
	changed := make(map[int]uint64)
	word := func() uint64 { return binary.LittleEndian.Uint64(d.f.data[d.words[random.IntN(len(d.words))]:]) }
	for range n {
		at := d.words[random.IntN(len(d.words))]
		old := binary.LittleEndian.Uint64(d.f.data[at:])
		if _, ok := changed[at]; ok {
			continue
		}
		changed[at] = old
		values := []uint64{0, ^uint64(0), old + 8, old ^ 1<<random.IntN(64), word(), random.Uint64(), 1<<random.IntN(64) - 1, old&^0xff | random.Uint64N(256)}
		binary.LittleEndian.PutUint64(d.f.data[at:], values[random.IntN(len(values))])
	}
	return func() {
		for at, old := range changed {
			binary.LittleEndian.PutUint64(d.f.data[at:], old)
		}
	}
}

// readWhole reads an ELF file into memory that can be changed.
func readWhole(t *testing.T, name string) *file {
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := newFile(name, data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// words returns the offsets of the words of the memory of f that are not 0 and
// whose addresses the function in accepts.
func (f *file) words(in func(at uint64) bool) (words []int) {
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD {
			continue
		}
		for i := uint64(0); i+8 <= p.Filesz; i += 8 {
			if binary.LittleEndian.Uint64(f.data[p.Off+i:]) != 0 && in(p.Vaddr+i) {
				words = append(words, int(p.Off+i))
			}
		}
	}
	return words
}

// headers returns the offsets of the words of the ELF header, the program
// headers and the notes of f.
func (f *file) headers() (words []int) {
	for i := 0; i < 64+56*len(f.Progs); i += 8 {
		words = append(words, i)
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_NOTE {
			for i := uint64(0); i+8 <= p.Filesz; i += 8 {
				words = append(words, int(p.Off+i))
			}
		}
	}
	return words
}

// writeAndRead writes the graph of a core file, and reads it if there is no
// error.
func writeAndRead(t *testing.T, exe, core *file) error {
	t.Helper()
	exe, err := newFile(exe.name, exe.data)
	if err != nil {
		return err
	}
	if core, err = newFile(core.name, core.data); err != nil {
		return err
	}
	var b bytes.Buffer
	if _, err := write(&b, exe, core, false); err != nil {
		return err
	}
	f, err := heapgraph.NewFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err == nil {
		_, err = f.Graph(nil)
	}
	if err != nil {
		t.Errorf("the graph is not valid: %v", err)
	}
	return nil
}
