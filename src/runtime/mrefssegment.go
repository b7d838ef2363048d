// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Arrays of records that grow while they are used: the nodes of mrefsnode.go and the
// sites of mrefssites.go. Records have numbers, from 0, and are found by a hash.
//
// An array is in segments, each twice as long as the one before, which are added
// when a number in them is taken and stay where they are. Each record links to four
// others, so that those whose hashes begin alike are a tree, which is walked by two
// bits of the hash after another from one of many roots. So nothing is ever moved
// or resized, and whatever is linked stays true: any P adds records with
// compare-and-swap, and none waits.
//
// Called while marking, on the system stack or without a P, without locks and write
// barriers.

package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

const (
	refsSegmentLen  = 1 << 11 // records of the first
	refsSegmentsMax = 20

	refsHeadBits = 10
)

// refsArray is the segments of an array.
type refsArray struct {
	n        atomic.Uint32 // numbers that are taken
	size     uintptr       // of a record
	segments [refsSegmentsMax]atomic.Uintptr
}

// refsHeads has the numbers of the records that trees begin with, 0 for none.
type refsHeads struct {
	_     sys.NotInHeap
	slots [1 << refsHeadBits]atomic.Uint32
}

// refsLinks has the numbers of a record's four, 0 for none.
type refsLinks [4]atomic.Uint32

// refsSegmentOf returns in which segment number n is, and which record of it.
//
//go:nowritebarrierrec
func refsSegmentOf(n uint32) (segment int, record uintptr) {
	segment = sys.Len64(uint64(n/refsSegmentLen+1)) - 1
	return segment, uintptr(n - (1<<segment-1)*refsSegmentLen)
}

// segmentSize returns the size of segment i.
//
//go:nowritebarrierrec
func (a *refsArray) segmentSize(i int) uintptr {
	return refsSegmentLen << i * a.size
}

// at returns the record of a number that is taken.
//
//go:nowritebarrierrec
func (a *refsArray) at(n uint32) unsafe.Pointer {
	segment, record := refsSegmentOf(n)
	return unsafe.Pointer(a.segments[segment%refsSegmentsMax].Load() + record*a.size)
}

// add takes the next number, unless that is limit or there is no memory for it. It
// reports whether it did.
//
//go:nowritebarrierrec
func (a *refsArray) add(limit uint32) (n uint32, ok bool) {
	for {
		n := a.n.Load()
		if n >= limit {
			return 0, false
		}
		if segment, _ := refsSegmentOf(n); !a.makeSegment(segment) {
			return 0, false
		}
		if a.n.CompareAndSwap(n, n+1) {
			return n, true
		}
	}
}

// makeSegment reports whether there is segment i, which it makes if need be.
//
//go:nowritebarrierrec
func (a *refsArray) makeSegment(i int) bool {
	segment := &a.segments[i]
	if segment.Load() != 0 {
		return true
	}
	p := refsSysAlloc(a.segmentSize(i))
	if p == nil {
		return segment.Load() != 0
	}
	if !segment.CompareAndSwap(0, uintptr(p)) {
		refsSysFree(p, a.segmentSize(i))
	}
	return true
}

// free returns the memory of all records.
func (a *refsArray) free() {
	for i := range a.segments {
		if p := a.segments[i].Swap(0); p != 0 {
			refsSysFree(unsafe.Pointer(p), a.segmentSize(i))
		}
	}
	a.n.Store(0)
}

func newRefsHeads() *refsHeads {
	return (*refsHeads)(refsSysAlloc(unsafe.Sizeof(refsHeads{})))
}

func (h *refsHeads) free() {
	if h != nil {
		refsSysFree(unsafe.Pointer(h), unsafe.Sizeof(*h))
	}
}

// A refsWalk is a walk down the tree of a hash, and slot the next link of it.
type refsWalk struct {
	slot *atomic.Uint32
	hash uint64 // bits that are left
}

// walk begins a walk.
//
//go:nowritebarrierrec
func (h *refsHeads) walk(hash uint64) refsWalk {
	return refsWalk{&h.slots[hash%(1<<refsHeadBits)], hash >> refsHeadBits}
}

// down returns the walk that goes on from the record that slot links to.
//
//go:nowritebarrierrec
func (w refsWalk) down(links *refsLinks) refsWalk {
	return refsWalk{&links[w.hash%4], w.hash >> 2}
}
