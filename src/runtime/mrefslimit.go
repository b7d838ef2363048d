// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// A limit of the memory that a recording of references takes. runtime/evidence
// sets it (evidence_limitRecording), because it records when little memory is
// left. A recording reads it when it begins (refsRecord), and whenever it takes
// memory (refsSysAlloc). There is no lock: the goroutine that sets the limit, or
// one that it starts, is the one that records.

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

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

// hasRefsLimit reports whether recordings by the calling goroutine have limits.
//
//go:linkname hasRefsLimit
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

// refsAllocOS is sysAllocOrNil for recordings. It returns nil if n more bytes
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
	return sysAllocOrNil(n, "GC references")
}
