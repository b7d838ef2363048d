// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The samples (mtypesample.go) from which types are inferred. Package
// internal/runtime/refs has the rules (infer.go).
//
// A stage that needs the samples begins with a step that collects them. The two
// steps that release objects follow (mrefsroots.go).
//
// The functions run as those of mrefsclaim.go do.

package runtime

import (
	"internal/runtime/refs"
	"unsafe"
)

// refsCollects reports whether the stage begins with the step.
func refsCollects() bool {
	s := refsMarking.stage
	return s.Samples() && mheap_.specialTypeAlloc.inuse != 0 && refsPaths.WantsSamples(s, (*refsOffHeap)(nil))
}

// refsCollect collects the samples of a part of an arena.
//
//go:nowritebarrier
func refsCollect(job uint32) {
	refsEachSpecials(job, func(s *mspan) {
		for sp := s.specials; sp != nil; sp = sp.next {
			if sp.kind == _KindSpecialType {
				refsAddSample(s, sp.offset/s.elemsize, (*specialType)(unsafe.Pointer(sp)).typ)
			}
		}
	})
}

// refsAddSample adds the sample i of s. It leaves those that have no word or a
// word of 0 and are marked: they are new or claimed.
//
//go:nowritebarrier
func refsAddSample(s *mspan, i, typ uintptr) {
	var o refsObject
	o.fromSpan(s.base()+i*s.elemsize, s, i)
	w := uint32(0)
	if p := o.word(); p != nil {
		w = p.Load()
	}
	if w != 0 || !o.marked() {
		t := o.target()
		refsPaths.AddSample(refsMarking.stage, w, s.allocBitsForIndex(i).isMarked(), &t, typ)
	}
}

// A refsInferred has the node at which objects of a span are released that are
// held back at node from and have pointers in the words of bits.
type refsInferred struct {
	from, to uint32
	bits     uintptr
}

// node returns the node at which object i of s, held back at node n, is
// released.
//
//go:nowritebarrierrec
func (r *refsInferred) node(s *mspan, i, n uint32) uint32 {
	if refsPaths.Infers() == 0 || s.spanclass.noscan() || !heapBitsInSpan(s.elemsize) {
		return n
	}
	base := s.base() + uintptr(i)*s.elemsize
	if bits := s.heapBitsSmallForAddr(base); r.from != n || r.bits != bits {
		o := refs.Target{Base: base, Data: base, Size: s.elemsize, Class: uint8(s.spanclass)}
		*r = refsInferred{n, refsPaths.Inferred(n, &o), bits}
	}
	return r.to
}
