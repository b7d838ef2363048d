// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
)

func newMemory(most int64) *Memory {
	return &Memory{Most: most, Alloc: func(n int) []byte { return make([]byte, n) }}
}

// TestMemory reads parts of a file in memory.
func TestMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	m := newMemory(1 << 30)
	var want []byte
	for len(want) < 5*memoryBlock/2 {
		b := make([]byte, r.IntN(memoryBlock/2))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		if n, err := m.Write(b); n != len(b) || err != nil {
			t.Fatal(n, err)
		}
		want = append(want, b...)
	}
	if m.Size() != int64(len(want)) {
		t.Fatalf("size is %d, want %d", m.Size(), len(want))
	}
	for range 1000 {
		off := r.IntN(len(want) + 10)
		b := make([]byte, r.IntN(3*memoryBlock/2))
		n, err := m.ReadAt(b, int64(off))
		k := max(0, min(len(b), len(want)-off))
		if n != k || (err == io.EOF) != (k < len(b)) || k > 0 && !bytes.Equal(b[:n], want[off:off+n]) {
			t.Fatalf("%d bytes at %d: %d, %v", len(b), off, n, err)
		}
	}
}

// TestMemoryLimit checks that a file in memory does not take more than its
// limit.
func TestMemoryLimit(t *testing.T) {
	m := newMemory(2*memoryBlock + 5)
	n, err := m.Write(make([]byte, 4*memoryBlock))
	if n != 2*memoryBlock || err != ErrMemory || len(m.blocks) != 2 {
		t.Errorf("%d bytes written, error %v, %d blocks", n, err, len(m.blocks))
	}
}

// TestMemoryNone checks that a file ends if there is no memory for a block.
func TestMemoryNone(t *testing.T) {
	m := newMemory(1 << 30)
	left := 2
	m.Alloc = func(n int) []byte {
		if left == 0 {
			return nil
		}
		left--
		return make([]byte, n)
	}
	n, err := m.Write(make([]byte, 4*memoryBlock))
	if n != 2*memoryBlock || err != ErrMemory || m.Size() != 2*memoryBlock {
		t.Errorf("%d bytes written, error %v, size %d", n, err, m.Size())
	}
}

// TestMemoryPlain checks that sections in memory are not deflated, and are
// read.
func TestMemoryPlain(t *testing.T) {
	m := newMemory(1 << 30)
	w := NewWriter(m)
	want := make([]Pair, 10000)
	for i := range want {
		want[i] = Pair{uint64(i), 1}
	}
	w.Claims(want)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := Open(m, m.Size())
	if err != nil {
		t.Fatal(err)
	}
	var l Loader
	for i := range f.Sections {
		s := &f.Sections[i]
		if s.Length != s.header.stored {
			t.Errorf("section %v is deflated", s.Kind)
		}
		if s.Kind != KindClaims {
			continue
		}
		d, err := l.Load(f, i)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]Pair, len(want)+1)
		if n := d.Pairs(got); n != len(want) || got[n-1] != want[n-1] {
			t.Errorf("%d claims, the last one is %v", n, got[n-1])
		}
	}
	full := NewWriter(newMemory(10))
	full.Claims(want)
	if err := full.Close(); !errors.Is(err, ErrMemory) {
		t.Errorf("error of a full memory is %v", err)
	}
}
