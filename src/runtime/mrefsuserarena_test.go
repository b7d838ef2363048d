// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime_test

import (
	. "runtime"
	"testing"
)

type (
	refsInChunk struct {
		next *refsInChunk
		held *refsHeldByChunk
	}
	refsHeldByChunk [4]int
)

// TestRefsUserArena checks that recordings keep objects alive that only objects
// in a user arena hold, and that recordings free their own memory.
func TestRefsUserArena(t *testing.T) {
	const n = 10_000
	arena := NewUserArena()
	defer arena.Free()
	list := refsFillChunk(arena, n)
	for range 3 {
		for _, n := range RefsRecordLimited(0).Nodes {
			if n.Scan > n.Bytes {
				t.Errorf("%d of %d bytes are scanned at a node of kind %d", n.Scan, n.Bytes, n.Kind)
			}
		}
		if mem := RefsMemory(); mem != 0 {
			t.Errorf("the recorder still has %d bytes", mem)
		}
		GC()
		var others [2 * n]*refsHeldByChunk // takes the memory of the objects that were freed
		for i := range others {
			others[i] = &refsHeldByChunk{-1, -1, -1, -1}
		}
		wrong := 0
		for i, c := n-1, list; c != nil; i, c = i-1, c.next {
			if *c.held != (refsHeldByChunk{i, i, i, i}) {
				wrong++
			}
		}
		if wrong > 0 {
			t.Fatalf("%d of %d objects were freed", wrong, n)
		}
		KeepAlive(&others)
	}
}

// refsFillChunk returns a list of n objects in the arena.
//
//go:noinline
func refsFillChunk(arena *UserArena, n int) (list *refsInChunk) {
	for i := range n {
		var made any = (*refsInChunk)(nil)
		arena.New(&made)
		c := made.(*refsInChunk)
		*c = refsInChunk{list, &refsHeldByChunk{i, i, i, i}}
		list = c
	}
	return list
}
