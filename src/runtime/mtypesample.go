// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Types of sampled objects: a few objects of the heap keep the type with which
// they were allocated, so that a recording can tell what an unsafe.Pointer
// refers to (mrefsinfer.go).
//
// The heap profile decides when: its samples ask for the type of an object that
// is allocated soon after, because where the profile samples, the type is no
// longer known. The request sets debug.malloc. The allocator tests this flag
// already, and if it is set, it calls postMallocgcDebug, which has the type. So
// allocations without a request do no more than before. With many Ps, which all
// read the flag, and after requests that found no object, only a part of the
// profile's samples makes a request.
//
// A few allocations pass first, and then each that qualifies has a chance of
// one half, so that a program which always allocates the same objects in turn
// gets samples of each. The number of allocations that a request may last is
// limited.
//
// Ps change the request and the flag without order. If two of them meet, a
// request may be lost, or may sample two objects. Whoever finds the flag set
// without a request clears it, so it does not stay set.

package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// typeSampling has the request.
var typeSampling struct {
	left     atomic.Int32  // number of allocations for which the request still lasts; none if it is not positive
	unserved atomic.Uint32 // number of requests without a sample since the last one, at most typeSampleRare
}

const (
	typeSampleSkip  = 16      // fewer allocations pass before the first that may be sampled
	typeSampleLast  = 16      // so many may then be sampled
	typeSampleMost  = 1 << 20 // largest number of samples in the heap
	typeSampleProcs = 16      // with n times as many Ps, one of n+1 samples of the heap profile makes a request
	typeSampleRare  = 15      // after so many requests without a sample, one of 16
)

// A specialType has the type of an object with pointers and without an
// allocation header.
type specialType struct {
	_       sys.NotInHeap
	special special
	typ     uintptr // *_type: the object is one of them, or an array
}

// _KindSpecialType is the kind of a specialType. It follows upstream's.
const _KindSpecialType = _KindSpecialSecret + 1

// requestTypeSample asks for the type of an object that is allocated soon. It
// runs in mallocgc's context. It does nothing if the rate has just been set to
// 0. Nor does it at a rate of 1, because allocations while debug.malloc is set
// have one more frame, and so another stack in the profile.
func requestTypeSample() {
	if MemProfileRate <= 1 || mheap_.specialTypeAlloc.inuse >= typeSampleMost*unsafe.Sizeof(specialType{}) {
		return
	}
	if cheaprandn(1+uint32(gomaxprocs)/typeSampleProcs+typeSampling.unserved.Load()) != 0 {
		return
	}
	if typeSampling.left.Load() <= 0 {
		typeSampling.left.Store(typeSampleLast + 1 + int32(cheaprandn(typeSampleSkip)))
	}
	setDebugMalloc(true)
}

// setDebugMalloc sets debug.malloc. It writes nothing if that is set already,
// because all Ps read it.
func setDebugMalloc(on bool) {
	if debug.malloc != on {
		debug.malloc = on
	}
}

// sampleType is called for each object that is allocated while debug.malloc is
// set: the object at x, in a slot of elemsize bytes.
func sampleType(x unsafe.Pointer, elemsize uintptr, typ *_type) {
	if typeSampling.left.Load() <= 0 {
		setDebugMalloc(othersDebugMalloc())
		return
	}
	left := typeSampling.left.Add(-1)
	if left > 0 {
		if left > typeSampleLast || typ == nil || !typ.Pointers() || !heapBitsInSpan(elemsize) || cheaprandn(2) == 0 {
			return
		}
		systemstack(func() { setSpecialType(x, typ) })
		typeSampling.left.Store(0)
		typeSampling.unserved.Store(0)
	} else if n := typeSampling.unserved.Load(); n < typeSampleRare {
		typeSampling.unserved.Store(n + 1)
	}
	setDebugMalloc(othersDebugMalloc())
}

// othersDebugMalloc reports whether debug.malloc is set without a request, by
// parseRuntimeDebugVars or the execution tracer.
func othersDebugMalloc() bool {
	return debug.inittrace|debug.sbrk|debug.checkfinalizers != 0 || traceAllocFreeEnabled()
}

// setSpecialType notes that the object at x was allocated with type typ.
//
//go:systemstack
func setSpecialType(x unsafe.Pointer, typ *_type) {
	lock(&mheap_.speciallock)
	s := (*specialType)(mheap_.specialTypeAlloc.alloc())
	unlock(&mheap_.speciallock)
	s.special.kind = _KindSpecialType
	s.typ = uintptr(unsafe.Pointer(typ))
	if !addspecial(x, &s.special, false) {
		s.free()
	}
}

// free frees s, whose object is freed. freeSpecial calls it.
//
//go:nowritebarrierrec
func (s *specialType) free() {
	lock(&mheap_.speciallock)
	mheap_.specialTypeAlloc.free(unsafe.Pointer(s))
	unlock(&mheap_.speciallock)
}
