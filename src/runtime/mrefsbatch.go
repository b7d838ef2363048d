// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Following references in batches.
//
// A reference needs words that are seldom in the cache: itself, then its target's
// word and mark. So the addresses of a span's references are first gathered, then
// all of them read and their targets looked up, then followed, each step
// prefetching for the next. A batch is empty between scans.

package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/gc"
	"internal/runtime/sys"
	"unsafe"
)

const refsBatchSize = 128

// refsBatch is the references that a P has gathered.
type refsBatch struct {
	n     int
	edges [refsBatchSize]refsEdge
}

// refsScan is the scan of an object or a block of roots.
type refsScan struct {
	rp     *refsP
	gcw    *gcWork
	node   uint32
	stride uintptr
	data   uintptr // where offsets count from
}

// word gathers the reference in the word at addr.
//
//go:nowritebarrierrec
func (s *refsScan) word(addr uintptr) {
	sys.Prefetch(addr)
	off := addr - s.data
	if s.stride != 0 && off >= s.stride {
		off %= s.stride
	}
	b := &s.rp.batch
	e := &b.edges[b.n]
	e.from, e.off, e.slot = s.node, off, addr
	b.n++
	if b.n == refsBatchSize {
		s.rp.followAll(s.gcw)
	}
}

// lookUp reads e and finds the page of its target, and prefetches the target's word
// and mark.
//
//go:nowritebarrierrec
func (e *refsEdge) lookUp() {
	e.val = *(*uintptr)(unsafe.Pointer(e.slot))
	e.meta = 0
	if e.val < minLegalPointer {
		return
	}
	ha := heapArenaOf(e.val)
	if ha == nil || ha.refs == nil {
		return
	}
	e.page = &ha.refs.pages[(e.val/pageSize)%pagesPerArena]
	e.meta = e.page.meta.Load()
	if e.meta == 0 {
		return
	}
	class := spanClass(e.meta)
	if n := uintptr(e.meta>>8) & 0xff; n != 0 {
		e.page = refsPageOf(alignDown(e.val, pageSize) - n*pageSize)
	}
	e.index = uint32((uint64(e.val-e.spanBase()) * uint64(gc.SizeClassToDivMagic[class.sizeclass()])) >> 32)
	e.words = e.page.words.Load()
	if e.words != 0 && e.words != refsNoWords {
		sys.Prefetch(uintptr(unsafe.Pointer(refs.pages.at(e.words + e.index))))
	}
	refsPrefetchMark(e.spanBase(), gc.SizeClassToSize[class.sizeclass()])
}

// spanBase returns the address of the span that e's target is in.
//
//go:nowritebarrierrec
func (e *refsEdge) spanBase() uintptr {
	return alignDown(e.val, pageSize) - (uintptr(e.meta>>8)&0xff)*pageSize
}

// followAll follows the gathered references.
//
//go:nowritebarrierrec
func (rp *refsP) followAll(gcw *gcWork) {
	n := rp.batch.n
	rp.batch.n = 0
	for i := range n {
		rp.batch.edges[i].lookUp()
	}
	for i := range n {
		e := &rp.batch.edges[i]
		if e.meta == 0 {
			if e.val >= minLegalPointer {
				rp.follow(gcw, e)
			}
			continue
		}
		var w *atomic.Uint32
		if e.words != 0 && e.words != refsNoWords {
			w = refs.pages.at(e.words + e.index)
			if v := w.Load(); v != 0 && v&refsHeld == 0 {
				continue
			}
		}
		if e.index >= e.meta>>16 {
			continue
		}
		o := &rp.object
		o.fromEdge(e)
		if w == nil && o.marked() && o.word() == nil {
			continue
		}
		rp.followTo(gcw, e, o)
	}
}

// fromEdge makes o the object that e refers to, which lookUp has found.
//
//go:nowritebarrierrec
func (o *refsObject) fromEdge(e *refsEdge) {
	o.class = spanClass(e.meta)
	o.size = uintptr(gc.SizeClassToSize[o.class.sizeclass()])
	o.index = uintptr(e.index)
	o.base = e.spanBase() + o.index*o.size
	o.data = o.base
	if !heapBitsInSpan(o.size) && !o.class.noscan() {
		o.data += gc.MallocHeaderSize
	}
	o.page = e.page
	o.span = nil
}
