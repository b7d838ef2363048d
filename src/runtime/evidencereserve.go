// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// runtime/evidence keeps memory in reserve for recordings of references, and
// gives it back just before them. It limits each recording to as much memory
// off the heap as the reserve had (mrefslimit.go). Therefore, this memory hardly
// makes the process larger.

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
		if p = uintptr(sysAllocOrNil(n, "evidence reserve")); p != 0 {
			memstats.other_sys.add(int64(n))
			evidenceReserve.Add(int64(n))
			gcController.mappedReady.Add(int64(n))
			recordGrowthOfAlloc(n, &memstats.other_sys)
		}
	})
	return unsafe.Pointer(p)
}

// evidence_release frees the n bytes at p, which evidence_reserve has returned.
// sysFree is only for memory of sysAlloc, which a leak sanitizer knows.
//
//go:linkname evidence_release
func evidence_release(p unsafe.Pointer, n uintptr) {
	systemstack(func() {
		evidenceReserve.Add(-int64(n))
		memstats.other_sys.add(-int64(n))
		gcController.mappedReady.Add(-int64(n))
		recordGrowthOfFree(n, &memstats.other_sys)
		sysFreeOS(p, n)
	})
}
