// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package core

import (
	"debug/elf"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"os"
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
