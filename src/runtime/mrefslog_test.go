// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime_test

import (
	"internal/profilerecord"
	. "runtime"
	"testing"
	"unsafe"
)

// A refsLogNode is an element of a list, each of which also refers to the first
// and to bytes of its own.
type refsLogNode struct {
	next, first *refsLogNode
	bytes       *[24]byte
}

var refsLogList *refsLogNode

// TestRefsLog checks that the log has each claim once, and all references of a
// list, which other references claim only in part. It takes the records while
// marking, and after it.
func TestRefsLog(t *testing.T) {
	const n = 100000
	refsLogList = new(refsLogNode)
	defer func() { refsLogList = nil }()
	for last, i := refsLogList, 0; i < n; i++ {
		last.first, last.bytes, last.next = refsLogList, new([24]byte), new(refsLogNode)
		last = last.next
	}
	for _, late := range []bool{false, true} {
		claims := make(map[uint64]uint64, 4*n)
		refs := make(map[uint64]uint64, 8*n)
		alone := make(map[uint64]uint64)
		h := RefsRecordLogged(1<<30, late, func(r RefsLogRecord) {
			switch r.Kind {
			case profilerecord.RefsLogClaim:
				if _, ok := claims[r.A]; ok {
					t.Errorf("object at %#x is claimed twice", r.A)
				}
				claims[r.A] = r.B
			case profilerecord.RefsLogReference:
				refs[r.A] = r.B
			case profilerecord.RefsLogLone:
				alone[r.A] = r.B
			}
		})
		if got := int64(len(claims)) + h.AllocatedObjects; got != h.Objects || h.Lost != 0 || h.Dropped != 0 {
			t.Errorf("%d claims and %d new objects, want %d objects; %d claims and %d references lost", len(claims), h.AllocatedObjects, h.Objects, h.Lost, h.Dropped)
		}
		if len(h.Refs.Nodes) == 0 {
			t.Fatal("no nodes")
		}
		for node := refsLogList; node.next != nil; node = node.next {
			p := uint64(uintptr(unsafe.Pointer(node)))
			if refs[p+uint64(unsafe.Offsetof(node.next))] != uint64(uintptr(unsafe.Pointer(node.next))) ||
				refs[p+uint64(unsafe.Offsetof(node.first))] != uint64(uintptr(unsafe.Pointer(refsLogList))) ||
				refs[p+uint64(unsafe.Offsetof(node.bytes))] != uint64(uintptr(unsafe.Pointer(node.bytes))) {
				t.Fatalf("references of the object at %#x are missing", p)
			}
		}
	}
}

// TestRefsLogFull checks that a log without room for all references has a claim
// of each object, and one reference that claimed it, and counts the others.
func TestRefsLogFull(t *testing.T) {
	const n = 20000
	refsLogList = new(refsLogNode)
	defer func() { refsLogList = nil }()
	for last, i := refsLogList, 0; i < n; i++ {
		last.first, last.bytes, last.next = refsLogList, new([24]byte), new(refsLogNode)
		last = last.next
	}
	claims := make(map[uint64]bool, 4*n)
	targets := make(map[uint64]int, 4*n)
	h := RefsRecordLogged(1<<20, true, func(r RefsLogRecord) {
		switch r.Kind {
		case profilerecord.RefsLogClaim:
			claims[r.A] = true
		case profilerecord.RefsLogReference:
			targets[r.B]++
		}
	})
	t.Log(len(claims), h.Objects, h.AllocatedObjects, h.Dropped, h.Lost)
	if h.Dropped == 0 {
		t.Error("no references were dropped")
	}
	if h.Lost != 0 {
		t.Skipf("%d claims were lost, because the heap of the other tests is large", h.Lost)
	}
	for node := refsLogList.next; node != nil; node = node.next {
		if p := uint64(uintptr(unsafe.Pointer(node))); !claims[p] || targets[p] == 0 {
			t.Fatalf("object at %#x: claimed %v, %d references", p, claims[p], targets[p])
		}
	}
}
