// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"debug/heapgraph"
	"os"
	"path/filepath"
	"runtime/pprof"
	"testing"
)

// A block is so large that the heap of the testing package does not matter.
type block [1 << 20]byte

type holder struct{ blocks []*block }

// The immediate dominator of blocks that both variables hold is heapgraph.All.
var left, right holder

func TestMoved(t *testing.T) {
	left.blocks = nil // with -count the test runs more than once
	for range 16 {
		left.blocks = append(left.blocks, new(block))
	}
	right.blocks = make([]*block, 16)
	copy(right.blocks[:4], left.blocks[:4])
	snapshots := t.TempDir()
	first := snapshot(t, snapshots, "first")
	for _, test := range []struct {
		name  string
		move  func()
		moved int64 // blocks with another immediate dominator since the first graph
	}{
		{"nothing", func() {}, 0},
		{"from left to right", func() { move(4, 7) }, 3},
		{"from both to left", func() { clear(right.blocks[:4]) }, 3 + 4},
		{"back", func() {
			copy(right.blocks[:4], left.blocks[:4])
			copy(left.blocks[4:7], right.blocks[4:7])
			clear(right.blocks[4:7])
		}, 0},
	} {
		test.move()
		later := snapshot(t, snapshots, "later")
		m := compare(open(t, first), open(t, later))
		blocks := func(bytes int64) int64 { return (bytes + 1<<19) >> 20 }
		if blocks(m.both) != 16 || blocks(m.idom) != test.moved || blocks(m.names) != test.moved {
			t.Errorf("%s: %+v, want 16 MiB in both graphs and %d MiB with another immediate dominator", test.name, m, test.moved)
		}
	}
}

// move moves blocks from left to right.
func move(from, to int) {
	copy(right.blocks[from:to], left.blocks[from:to])
	clear(left.blocks[from:to])
}

// snapshot writes a heap graph and returns the name of the file.
func snapshot(t *testing.T, dir, name string) string {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := new(pprof.HeapGraph).Write(f); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

func open(t *testing.T, name string) *heapgraph.Graph {
	t.Helper()
	g, err := read(name)
	if err != nil {
		t.Fatal(err)
	}
	return g
}
