// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime_test

import (
	"cmp"
	"internal/profilerecord"
	. "runtime"
	"slices"
	"testing"
	"unsafe"
)

// A refsLogNode is an element of a list. Each element except the last also
// refers to the first element, and to bytes of its own.
type refsLogNode struct {
	next, first *refsLogNode
	bytes       *[24]byte
}

var refsLogList *refsLogNode

// TestRefsLog checks that the log has each claim once, and all references of a
// list. Only a part of these references claim their target. In one recording,
// the test takes the records while the recording marks, and in another one
// afterwards.
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
		h := RefsRecordLogged(1<<30, late, func(r RefsLogRecord) {
			switch r.Kind {
			case profilerecord.RefsLogClaim:
				if _, ok := claims[r.A]; ok {
					t.Errorf("object at %#x is claimed twice", r.A)
				}
				claims[r.A] = r.B
			case profilerecord.RefsLogReference:
				refs[r.A] = r.B
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

// A refsLogWide is an element of a list. Each element except the last has many
// references to the first element.
type refsLogWide struct {
	next *refsLogWide
	many [30]*refsLogWide // few enough that the element has no allocation header
}

var refsLogWides *refsLogWide

// TestRefsLogFull checks a log without room for all references. For each
// element of a list except the first, the log must have the claim and a
// reference to the element. It must count the references that are missing.
func TestRefsLogFull(t *testing.T) {
	objects := uint64(0)
	p := RefsRecordLimited(0)
	for i := range p.Nodes {
		objects += uint64(p.Nodes[i].Objects)
	}
	limit := 32 * (objects + 50000) // enough for a claim and a reference of each object
	n := int(limit / 8 * 2 / uint64(len(refsLogWide{}.many)))
	refsLogWides = new(refsLogWide)
	defer func() { refsLogWides = nil }()
	for last, i := refsLogWides, 0; i < n; i++ {
		for i := range last.many {
			last.many[i] = refsLogWides
		}
		last.next = new(refsLogWide)
		last = last.next
	}
	claims := make(map[uint64]bool, 2*n)
	targets := make(map[uint64]bool, 2*n)
	h := RefsRecordLogged(limit, true, func(r RefsLogRecord) {
		switch r.Kind {
		case profilerecord.RefsLogClaim:
			claims[r.A] = true
		case profilerecord.RefsLogReference:
			targets[r.B] = true
		}
	})
	if h.Dropped == 0 || h.Lost != 0 {
		t.Errorf("%d references and %d claims are missing, want some references and no claims", h.Dropped, h.Lost)
	}
	for node := refsLogWides.next; node != nil; node = node.next {
		if p := uint64(uintptr(unsafe.Pointer(node))); !claims[p] || !targets[p] {
			t.Fatalf("object at %#x: claimed %v, referred to %v", p, claims[p], targets[p])
		}
	}
}

// TestRefsLogAddresses checks that the log has the right addresses if they do
// not fit into 32 bits, or are below the lowest arena.
func TestRefsLogAddresses(t *testing.T) {
	const near = 64 << 20
	for _, base := range []uintptr{near, 0, 2 * near} {
		for _, far := range []uint64{0, 1 << 38} { // as a 32-bit address, the second is 0, too
			slot, target := uintptr(near+far+64), uintptr(near+1024)
			want := []RefsLogRecord{
				{Kind: profilerecord.RefsLogReference, A: uint64(slot), B: uint64(target)},
				{Kind: profilerecord.RefsLogClaim, A: uint64(target), B: 77},
			}
			got := RefsLogPairs(base, slot, target, 77)
			slices.SortFunc(got, func(a, b RefsLogRecord) int { return cmp.Compare(a.Kind, b.Kind) })
			if !slices.Equal(got, want) {
				t.Errorf("base %#x, slot %#x: got %v, want %v", base, slot, got, want)
			}
		}
	}
}

// TestRefsLogWaits checks for how many minutes goroutines have waited: one that
// a collection saw wait long ago, one that it saw wait just now, and one that
// has run since.
func TestRefsLogWaits(t *testing.T) {
	wait, goids := make(chan bool), make(chan uint64)
	defer close(wait)
	start := func() uint64 {
		go func() {
			for {
				goids <- Goid()
				if !<-wait {
					return
				}
			}
		}()
		return <-goids
	}
	block := func(goid uint64, seconds int64) {
		for !RefsBlockedSince(goid, seconds) {
			Gosched()
		}
	}
	ran := start()
	block(ran, 3600)
	wait <- true
	<-goids
	long, short := start(), start()
	block(long, 12*60+30)
	block(short, 20)
	got := make(map[uint64]uint64)
	RefsRecordLogged(1<<30, true, func(r RefsLogRecord) {
		if r.Kind == profilerecord.RefsLogWait {
			got[r.A] = r.B
		}
	})
	for goid, want := range map[uint64]uint64{long: 12, short: 0, ran: 0} {
		if got[goid] != want {
			t.Errorf("goroutine %d has waited %d minutes, want %d", goid, got[goid], want)
		}
	}
}
