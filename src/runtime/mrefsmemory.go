// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Memory of a recording, off the heap.
//
// refsSysAlloc and refsSysFree allocate it, free it, and account for it. A
// refsReserve keeps address space for the program and the collector. A
// refsArray is an array of records that grows while it is used: the nodes of
// mrefsnode.go and the sites of mrefssites.go.
//
// An array consists of segments, each twice as long as the one before. A
// segment is added when its first record is taken, and never moves. Records are
// found by a hash of their keys. The low bits of the hash select one of many
// trees. In a tree, each record links to at most four others. A walk down the
// tree takes two more bits of the hash at each step. Nothing is moved or
// resized, and a link never changes once it is set. Therefore any P can add
// records with compare-and-swap, and no P waits.
//
// The functions that add and find records run while marking, and before the
// cycle. They may run on the system stack and without a P. They take no locks
// and have no write barriers. The same holds for refsSysAlloc and giveUp, but
// on wasm and Plan 9 these take memlock (mem_sbrk.go).

package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// refsSysAlloc returns n bytes of zeroed memory. It returns nil if the system
// has no more memory, if the recording would exceed its limit (see
// refsAllocOS), or if an earlier call since refsAlloc began has returned nil.
// Profiles of the program's own memory subtract refsMemory.used from the
// runtime's statistics. used grows before the statistics and shrinks after
// them, so the difference is not too large at any moment.
func refsSysAlloc(n uintptr) unsafe.Pointer {
	refsCheckSched()
	if refsMemory.spent.Load() {
		return nil
	}
	var p uintptr // not a pointer, so that there is no write barrier
	systemstack(func() {
		if p = uintptr(refsAllocOS(n)); p != 0 {
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

// refsCheckSched throws, with GOEXPERIMENT=staticlockranking, if the recorder
// is about to call the system while the M holds sched.lock, because all threads
// that look for work would wait for the system.
func refsCheckSched() {
	if !staticLockRanking {
		return
	}
	systemstack(func() {
		mp := getg().m
		for _, held := range mp.locksHeld[:mp.locksHeldLen] {
			if held.rank == lockRankSched {
				throw("recorder calls the system with sched.lock held")
			}
		}
	})
}

// refsSysFree frees n bytes at p, which refsSysAlloc has returned.
func refsSysFree(p unsafe.Pointer, n uintptr) {
	systemstack(func() {
		sysFreeOS(p, n)
		memstats.gcMiscSys.add(-int64(n))
		gcController.mappedReady.Add(-int64(n))
		refsMemory.used.Add(-int64(n))
	})
}

// refsMemory is the memory off the heap that the recording has. Any thread may
// change used and spent, with atomic operations.
var refsMemory struct {
	used    atomic.Uint64 // number of bytes
	spent   atomic.Bool   // refsSysAlloc has returned nil, and the recording gets no more
	reserve refsReserve
}

// refsReserve is address space that the recording leaves to the program and the
// collector, which need memory while it runs. The reserve is given up when the
// heap needs another arena, when the recording can get no more memory, or, at
// the latest, when the recording has ended and its profile is to be made.
//
// The requester takes the reserve before the cycle. Any thread may give it up,
// even with the heap's lock held.
type refsReserve struct {
	base  atomic.Uintptr // address of the reserve, or 0 if there is none
	bytes uintptr
}

// refsReserveRoom is a number of bytes. If the system has no memory for another
// arena, a recording begins only if the heap has room for that number of bytes
// and for an eighth of gcController.heapLive.
const refsReserveRoom = 16 << 20

// take takes the reserve. It reports whether the system has the reserve and, in
// addition, the memory that the cycle is expected to take for the words of
// objects (mrefspage.go) and for the collector. It allocates and frees this
// memory to find out. If the reserve cannot include another arena, the heap
// must have room for the objects that the program allocates during the
// recording, and for the profile.
func (r *refsReserve) take() bool {
	live := uintptr(gcController.heapLive.Load())
	least := alignUp(live/64+4<<20, physPageSize)
	cycle := live/16 + min(live/2, 10<<20) + 1<<20
	if r.keep(least+heapArenaBytes, cycle) {
		return true
	}
	return refsHeapRoom() >= refsReserveRoom+live/8 && r.keep(least, cycle)
}

// keep reserves n bytes. It reports whether the system has n+others bytes. If
// not, keep gives the reserve up.
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

// giveUp frees the reserve, if there is one.
//
//go:nowritebarrierrec
func (r *refsReserve) giveUp() {
	if p := r.base.Swap(0); p != 0 {
		systemstack(func() {
			sysFreeOS(unsafe.Pointer(p), r.bytes)
		})
	}
}

// refsHeapRoom returns the number of bytes by which the heap can grow without
// another arena.
func refsHeapRoom() (room uintptr) {
	systemstack(func() {
		lock(&mheap_.lock)
		room = mheap_.curArena.end - mheap_.curArena.base
		unlock(&mheap_.lock)
	})
	return room + uintptr(gcController.heapFree.load()+gcController.heapReleased.load())
}

const (
	refsSegmentLen  = 1 << 11 // number of records of the first segment
	refsSegmentsMax = 20

	refsHeadBits = 10
)

// refsArray is an array of records.
type refsArray struct {
	n        atomic.Uint32 // number of records that are taken, with the numbers 0 to n-1
	size     uintptr       // size of a record, in bytes
	segments [refsSegmentsMax]atomic.Uintptr
}

// refsHeads has the number of the first record of each tree, or 0.
type refsHeads struct {
	_     sys.NotInHeap
	slots [1 << refsHeadBits]atomic.Uint32
}

// refsLinks has the numbers of the four records that a record links to, or 0.
type refsLinks [4]atomic.Uint32

// refsSegmentOf returns the segment of record n, and the index of the record in
// that segment.
//
//go:nowritebarrierrec
func refsSegmentOf(n uint32) (segment int, record uintptr) {
	segment = sys.Len64(uint64(n/refsSegmentLen+1)) - 1
	return segment, uintptr(n - (1<<segment-1)*refsSegmentLen)
}

// segmentSize returns the size in bytes of segment i.
//
//go:nowritebarrierrec
func (a *refsArray) segmentSize(i int) uintptr {
	return refsSegmentLen << i * a.size
}

// at returns the record with number n, which must be taken.
//
//go:nowritebarrierrec
func (a *refsArray) at(n uint32) unsafe.Pointer {
	segment, record := refsSegmentOf(n)
	return unsafe.Pointer(a.segments[segment%refsSegmentsMax].Load() + record*a.size)
}

// add takes the record with the next number, n. It takes none if that number is
// not below limit, or if there is no memory for the record. ok reports whether
// it took one.
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

// makeSegment makes segment i unless there is one, and reports whether there is
// one now.
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

// free frees the memory of all records.
func (a *refsArray) free() {
	for i := range a.segments {
		if p := a.segments[i].Swap(0); p != 0 {
			refsSysFree(unsafe.Pointer(p), a.segmentSize(i))
		}
	}
	a.n.Store(0)
}

// newRefsHeads returns empty heads, or nil if there is no memory.
func newRefsHeads() *refsHeads {
	return (*refsHeads)(refsSysAlloc(unsafe.Sizeof(refsHeads{})))
}

// free frees the memory of h, which may be nil.
func (h *refsHeads) free() {
	if h != nil {
		refsSysFree(unsafe.Pointer(h), unsafe.Sizeof(*h))
	}
}

// A refsWalk is a walk down the tree of a hash.
type refsWalk struct {
	slot *atomic.Uint32 // link at which the walk is
	hash uint64         // bits of the hash that are left
}

// walk begins a walk.
//
//go:nowritebarrierrec
func (h *refsHeads) walk(hash uint64) refsWalk {
	return refsWalk{&h.slots[hash%(1<<refsHeadBits)], hash >> refsHeadBits}
}

// down continues the walk at links, the links of the record to which w.slot
// links.
//
//go:nowritebarrierrec
func (w refsWalk) down(links *refsLinks) refsWalk {
	return refsWalk{&links[w.hash%4], w.hash >> 2}
}
