// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Memory of a recording, off the heap.
//
// refsSysAlloc and refsSysFree account for it. A refsReserve keeps address
// space for the program and the collector. A refsArray is an array of records
// that grows while it is used: the nodes of mrefsnode.go and the sites of
// mrefssites.go.
//
// An array consists of segments, each twice as long as the one before. A
// segment is added when the first number in it is taken, and never moves.
// Records are found by a hash. Each record links to four others, so that
// records whose hashes begin alike form a tree. A walk takes two bits of the
// hash after another, from one of many roots. Nothing is moved or resized, and
// a link never changes once it is set: any P adds records with
// compare-and-swap, and no P waits.
//
// The functions run while marking, on the system stack or without a P, without
// locks and write barriers.

package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// refsSysAlloc returns n bytes of zeroed memory, or nil if the system has none,
// or once had none. Profiles of the program's own memory subtract
// refsMemory.used from the runtime's statistics. It grows before these and
// shrinks after them, so that at any moment the difference is not too large.
func refsSysAlloc(n uintptr) unsafe.Pointer {
	if refsMemory.spent.Load() {
		return nil
	}
	var p uintptr // no write barrier
	systemstack(func() {
		if p = uintptr(sysAllocOS(n, "GC references")); p != 0 {
			refsMemory.used.Add(int64(n))
			gcController.mappedReady.Add(int64(n))
			memstats.gcMiscSys.add(int64(n))
		}
	})
	if p == 0 {
		refsMemory.spent.Store(true)
		refsMemory.reserve.giveUp()
	}
	return unsafe.Pointer(p)
}

// refsSysFree returns memory of refsSysAlloc.
func refsSysFree(p unsafe.Pointer, n uintptr) {
	systemstack(func() {
		sysFreeOS(p, n)
		memstats.gcMiscSys.add(-int64(n))
		gcController.mappedReady.Add(-int64(n))
		refsMemory.used.Add(-int64(n))
	})
}

// refsMemory is the memory off the heap that the recording has. Whoever takes
// or frees some changes it.
var refsMemory struct {
	used    atomic.Uint64 // bytes
	spent   atomic.Bool   // the recording gets no more, because the system had none
	reserve refsReserve
}

// refsReserve is address space that the recording keeps from itself, for the
// program and the collector, which cannot do without: it is given up when the
// heap needs another arena, when the system has no more memory for the
// recording, and when the profile is made.
//
// The requester takes it, before the cycle. Anybody gives it up, also with the
// heap's lock held.
type refsReserve struct {
	base  atomic.Uintptr // 0 if there is none
	bytes uintptr
}

// refsReserveRoom is how many bytes the heap must have room for, beside an
// eighth of what is live, for a recording to begin where the system has no
// memory for another arena.
const refsReserveRoom = 16 << 20

// take takes the reserve, and reports whether the system has the memory that
// the cycle will take beside it, for the words of objects and for the
// collector: that is only tried. If an arena cannot be kept in reserve, the
// heap must have room for what the program allocates meanwhile, and for the
// profile.
func (r *refsReserve) take() bool {
	live := uintptr(gcController.heapLive.Load())
	least := alignUp(live/64+4<<20, physPageSize)
	cycle := live/16 + min(live/2, 10<<20) + 1<<20
	if r.keep(least+heapArenaBytes, cycle) {
		return true
	}
	return refsHeapRoom() >= refsReserveRoom+live/8 && r.keep(least, cycle)
}

// keep keeps n bytes, and reports whether the system has others as well.
func (r *refsReserve) keep(n, others uintptr) (ok bool) {
	systemstack(func() {
		r.bytes = n
		r.base.Store(uintptr(sysReserveOS(nil, n, "GC references")))
		if p := sysAllocOS(others, "GC references"); p != nil {
			sysFreeOS(p, others)
			ok = r.base.Load() != 0
		}
	})
	if !ok {
		r.giveUp()
	}
	return ok
}

// giveUp frees the reserve.
//
//go:nowritebarrierrec
func (r *refsReserve) giveUp() {
	if p := r.base.Swap(0); p != 0 {
		systemstack(func() {
			sysFreeOS(unsafe.Pointer(p), r.bytes)
		})
	}
}

// refsHeapRoom returns how many bytes the heap can grow by without another
// arena.
func refsHeapRoom() (room uintptr) {
	systemstack(func() {
		lock(&mheap_.lock)
		room = mheap_.curArena.end - mheap_.curArena.base
		unlock(&mheap_.lock)
	})
	return room + uintptr(gcController.heapFree.load()+gcController.heapReleased.load())
}

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

// add takes the next number, unless that is limit or there is no memory for it.
// It reports whether it did.
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
