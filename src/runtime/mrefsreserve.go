// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// refsReserve is address space that the recording keeps from itself, for the program and
// the collector, which cannot do without: it is given up when the heap needs another
// arena, when the system has no more memory for the recording, and when the profile is
// made.
//
// The requester takes it, before the cycle. Anybody gives it up, also with the heap's lock
// held.
type refsReserve struct {
	base  atomic.Uintptr // 0 if there is none
	bytes uintptr
}

// refsReserveRoom is how many bytes the heap must have room for, beside an eighth of what
// is live, for a recording to begin where the system has no memory for another arena.
const refsReserveRoom = 16 << 20

// take takes the reserve, and reports whether the system has the memory that the cycle will
// take beside it, for the words of objects and for the collector: that is only tried. If
// an arena cannot be kept in reserve, the heap must have room for what the program
// allocates meanwhile, and for the profile.
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

// refsHeapRoom returns how many bytes the heap can grow by without another arena.
func refsHeapRoom() (room uintptr) {
	systemstack(func() {
		lock(&mheap_.lock)
		room = mheap_.curArena.end - mheap_.curArena.base
		unlock(&mheap_.lock)
	})
	return room + uintptr(gcController.heapFree.load()+gcController.heapReleased.load())
}
