// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// runtime/evidence keeps memory in reserve for recordings of references, and
// limits these recordings. runtime/evidence gives the reserve back just before
// its recordings. It limits each recording to as much memory off the heap as
// the reserve had. Therefore, this memory hardly makes the process larger.

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// evidenceReserve is the size of the reserve, in bytes, which is a part of
// memstats.other_sys. Both change before the world can be stopped.
var evidenceReserve atomic.Uint64

// evidence_reserve returns n bytes off the heap, or nil if the system does not
// give so many. n is a multiple of the page size. The bytes count as Go's
// memory. The caller writes to their pages, so that the system gives memory for
// them. evidence_reserve does not write to them, because the runtime's code is
// not preempted.
//
//go:linkname evidence_reserve
func evidence_reserve(n uintptr) unsafe.Pointer {
	var p uintptr
	systemstack(func() {
		if p = uintptr(sysAllocOS(n, "evidence reserve")); p != 0 {
			memstats.other_sys.add(int64(n))
			evidenceReserve.Add(int64(n))
			gcController.mappedReady.Add(int64(n))
			recordGrowthOfAlloc(n, &memstats.other_sys)
		}
	})
	return unsafe.Pointer(p)
}

// evidence_release frees the n bytes at p, which evidence_reserve has returned.
//
//go:linkname evidence_release
func evidence_release(p unsafe.Pointer, n uintptr) {
	systemstack(func() {
		evidenceReserve.Add(-int64(n))
		sysFree(p, n, &memstats.other_sys)
	})
}

// refsLimit limits the memory off the heap that recordings by a goroutine, and
// by the goroutines that it starts, may take. Recordings by others have no
// limit.
var refsLimit struct {
	bytes atomic.Uint64
	goid  atomic.Uint64 // of the goroutine, or 0 if there is no limit
	now   atomic.Uint64 // bytes for the present recording, or 0 if it has no limit

	// begin and end are called before and after the cycle of each recording
	// that has a limit. Only the goroutines with the limit read them.
	begin, end func()
	room       int64 // bytes that large allocations may take in the cycle
}

// evidence_limitRecording limits each recording by the calling goroutine, and
// by the goroutines that it starts, to n bytes, and the large allocations of
// the program in its cycle to room bytes. If n is 0, it ends the limits. A
// recording that reaches the limit continues as if the system had no more
// memory. Allocations wait for the end of the cycle (see evidenceGate).
//
//go:linkname evidence_limitRecording
func evidence_limitRecording(n uint64, room int64) {
	refsLimit.goid.Store(0)
	refsLimit.bytes.Store(n)
	refsLimit.begin, refsLimit.end, refsLimit.room = narrowGate, openGateWide, room
	if n != 0 {
		refsLimit.goid.Store(getg().goid)
	}
}

// narrowGate opens the gate for the large allocations of a recording's cycle.
// The cycle frees nothing before it ends, whereas collections of a program
// that drops what it has allocated are short.
func narrowGate() { openGate(refsLimit.room, 1<<63) }

// hasRefsLimit reports whether recordings by the calling goroutine have limits.
func hasRefsLimit() bool {
	gp, goid := getg(), refsLimit.goid.Load()
	return goid != 0 && (gp.goid == goid || gp.parentGoid == goid)
}

// refsBeginLimit sets the limit of the recording that the calling goroutine
// begins. The caller holds refsSema.
func refsBeginLimit() {
	refsLimit.now.Store(0)
	if hasRefsLimit() {
		refsLimit.now.Store(refsLimit.bytes.Load())
	}
}

// refsAllocOS is sysAllocOS for recordings. It returns nil if n more bytes
// would exceed the limit of the recording. If several Ps allocate at the same
// time, the recording may exceed the limit, because a P's bytes count only
// after they are allocated. refsSysAlloc calls refsAllocOS on the system stack,
// also while marking.
//
//go:systemstack
//go:nowritebarrierrec
func refsAllocOS(n uintptr) unsafe.Pointer {
	if most := refsLimit.now.Load(); most != 0 && refsMemory.used.Load()+uint64(n) > most {
		return nil
	}
	return sysAllocOS(n, "GC references")
}
