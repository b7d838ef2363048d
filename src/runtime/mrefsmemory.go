// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Memory of a recording, off the heap.
//
// refsSysAlloc and refsSysFree allocate it, free it, and account for it. A
// refsReserve keeps address space for the program and the collector.
//
// refsSysAlloc and giveUp run while marking, and before the cycle. They may run
// on the system stack and without a P. They have no write barriers, and take no
// locks, but on wasm and Plan 9 they take memlock (mem_sbrk.go).

package runtime

import (
	"internal/runtime/atomic"
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
// not, keep gives the reserve up. The heap may already have used the reserve
// for another arena when keep returns.
func (r *refsReserve) keep(n, others uintptr) (ok bool) {
	systemstack(func() {
		reserve := uintptr(sysReserveOS(nil, n, "GC references"))
		r.bytes = n
		r.base.Store(reserve)
		if p := sysAllocOrNil(others, "GC references"); p != nil {
			sysFreeOS(p, others)
			ok = reserve != 0
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
