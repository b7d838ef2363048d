// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph_test

import (
	"bytes"
	. "debug/heapgraph"
	format "internal/heapgraph"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// A countedMemory counts the bytes that a graph takes.
type countedMemory struct {
	format.Memory
	arrays int64
}

// newMemory returns a file in memory.
func newMemory(t *testing.T, file []byte) *countedMemory {
	t.Helper()
	m := new(countedMemory)
	m.Most = 1 << 40
	m.Has = func(int) bool { return true }
	m.Alloc = func(n int) []byte { return make([]byte, n) }
	m.Arrays = func(n int) []byte {
		m.arrays += int64(n)
		return make([]byte, n)
	}
	if _, err := m.Write(file); err != nil {
		t.Fatal(err)
	}
	return m
}

// graph reads the graph and computes its dominators, with at most a number of
// bytes.
func (m *countedMemory) graph(t *testing.T, most int64) (*Graph, error) {
	t.Helper()
	m.Most, m.arrays = most, 0
	f, err := NewFile(&m.Memory, m.Size())
	if err != nil {
		t.Fatal(err)
	}
	g, err := f.Graph(nil)
	if err == nil {
		g.Dominators()
	}
	return g, err
}

// TestModelMemory finds the least limit with which a graph is read from memory.
// With each limit that it tries, the arrays must take no more than the limit.
// With the least limit, the graph must be the same as that of a file.
func TestModelMemory(t *testing.T) {
	for seed := range uint64(50) {
		model := randomModel(rand.New(rand.NewPCG(seed, 6)), 200)
		file := model.encode(t)
		m := newMemory(t, file)
		low, high := int64(0), int64(1<<24) // a limit that is too small, and one that is large enough
		for low+1 < high {
			most := (low + high) / 2
			_, err := m.graph(t, most)
			switch err {
			case nil:
				high = most
			case format.ErrMemory:
				low = most
			default:
				t.Fatal(err)
			}
			if m.arrays > most {
				t.Fatalf("seed %d: arrays take %d bytes, limit %d, error %v", seed, m.arrays, most, err)
			}
		}
		g, err := m.graph(t, high)
		if err != nil {
			t.Fatal(err)
		}
		f, err := NewFile(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		want, err := f.Graph(nil)
		if err != nil {
			t.Fatal(err)
		}
		d, e := g.Dominators(), want.Dominators()
		for v := range Vertex(want.NumVertices()) {
			if !slices.Equal(slices.Collect(g.Targets(v)), slices.Collect(want.Targets(v))) || d.Retained(v) != e.Retained(v) {
				t.Fatalf("seed %d: vertex %d differs", seed, v)
			}
		}
	}
}

// TestModelNoMemory checks that the system is asked whether it has the memory
// for the arrays before they are made, and that a graph is refused if it does
// not.
func TestModelNoMemory(t *testing.T) {
	for seed := range uint64(50) {
		m := newMemory(t, randomModel(rand.New(rand.NewPCG(seed, 7)), 200).encode(t))
		var asked int64
		has := true
		m.Has = func(n int) bool {
			asked = max(asked, int64(n))
			return has
		}
		if _, err := m.graph(t, m.Most); err != nil || m.arrays > asked {
			t.Fatalf("seed %d: arrays take %d bytes, asked for %d, error %v", seed, m.arrays, asked, err)
		}
		has = false
		if _, err := m.graph(t, m.Most); err != format.ErrMemory {
			t.Fatalf("seed %d: without memory: error %v, want %v", seed, err, format.ErrMemory)
		}
	}
}

// TestLongListMemory checks that a graph with many references in long spans is
// refused early. The list of these references is on the heap; it must not
// become much larger than the limit.
func TestLongListMemory(t *testing.T) {
	const n = 500_000
	var s snapshot
	array, target := s.span(1, n), s.span(1, 1)
	for i := range uint64(n) {
		s.ref(array+i, target)
	}
	m := newMemory(t, s.encode(t))
	s = snapshot{}
	limit := m.Size() + 1<<20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := m.graph(t, limit)
	runtime.ReadMemStats(&after)
	if err != format.ErrMemory {
		t.Errorf("error %v, want %v", err, format.ErrMemory)
	}
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > n*8 {
		t.Errorf("%d bytes allocated on the heap, limit %d", bytes, limit)
	}
}
