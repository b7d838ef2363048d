// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Following references in batches.
//
// A reference needs words that are seldom in the cache: itself, then its target's
// word and mark. So the addresses of references are first gathered, from several
// objects and spans, then all of them read and their targets looked up, then
// followed, each step prefetching for the next. A batch is empty when its P leaves
// refsDrain or refsDrainN, so that the end of marking is not missed.

package runtime

import (
	"internal/goarch"
	"internal/runtime/atomic"
	"internal/runtime/gc"
	"internal/runtime/maps"
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

// word gathers the reference in the word at addr, if it is to the heap, and prefetches
// the page of its target.
//
//go:nowritebarrierrec
func (s *refsScan) word(addr uintptr) {
	val := *(*uintptr)(unsafe.Pointer(addr))
	if val < minLegalPointer {
		return
	}
	ha := heapArenaOf(val)
	if ha == nil {
		return
	}
	off := addr - s.data
	if off >= s.stride && s.stride != 0 {
		if s.stride == goarch.PtrSize {
			off = 0
		} else {
			off %= s.stride
		}
	}
	b := &s.rp.batch
	e := &b.edges[b.n]
	e.from, e.off, e.slot, e.val, e.page = s.node, off, addr, val, nil
	if ra := ha.refsArena(); ra != nil {
		e.page = &ra.pages[(val/pageSize)%pagesPerArena]
		sys.Prefetch(uintptr(unsafe.Pointer(e.page)))
	}
	b.n++
	if b.n == refsBatchSize {
		s.rp.followAll(s.gcw)
	}
}

// lookUp finds the target of e, unless it is large, and prefetches its word and mark.
// Pages and words are made here so that they are there for the rest of the batch.
//
//go:nowritebarrierrec
func (rp *refsP) lookUp(e *refsEdge) {
	e.meta, e.word = 0, 0
	if e.page == nil {
		return
	}
	e.meta = e.page.meta.Load()
	if e.meta == 0 {
		refsFindSlow(e.val, e.page, &rp.object)
		if e.meta = e.page.meta.Load(); e.meta == 0 {
			return
		}
	}
	base := e.spanBase()
	if e.meta>>8&0xff != 0 {
		if e.page = refsPageOf(base); e.page == nil {
			e.meta = 0
			return
		}
	}
	class := spanClass(e.meta).sizeclass()
	e.index = uint32((uint64(e.val-base) * uint64(gc.SizeClassToDivMagic[class])) >> 32)
	words := e.page.words.Load()
	if words == 0 && !spanClass(e.meta).noscan() {
		words = e.page.give(rp, e.meta>>16)
	}
	if words != 0 && words != refsNoWords {
		e.word = uintptr(unsafe.Pointer(refs.pages.at(words + e.index)))
		sys.Prefetch(e.word)
	}
	refsPrefetchMark(base, gc.SizeClassToSize[class])
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
		rp.lookUp(&rp.batch.edges[i])
	}
	for i := range n {
		e := &rp.batch.edges[i]
		if e.meta == 0 {
			rp.follow(gcw, e)
			continue
		}
		if e.index >= e.meta>>16 || e.claimed() || rp.followFast(gcw, e) {
			continue
		}
		o := &rp.object
		o.fromEdge(e)
		if o.claimable() {
			rp.followTo(gcw, e, o)
		}
	}
}

// claimed reports whether e's target has a word that says that it is claimed.
//
//go:nowritebarrierrec
func (e *refsEdge) claimed() bool {
	if e.word == 0 {
		return false
	}
	w := (*atomic.Uint32)(unsafe.Pointer(e.word)).Load()
	return w != 0 && w&refsHeld == 0
}

// followFast does what followTo does, for the most frequent references: to objects
// whose spans have the mark bits in themselves, and that the cache knows.
// It reports whether e is one, and done with.
//
//go:nowritebarrierrec
func (rp *refsP) followFast(gcw *gcWork, e *refsEdge) bool {
	class := spanClass(e.meta)
	size := uintptr(gc.SizeClassToSize[class.sizeclass()])
	base := e.spanBase()
	if !gcUsesSpanInlineMarkBits(size) || e.val-base != uintptr(e.index)*size && !class.noscan() {
		return false
	}
	c := rp.cacheSlot(e, class)
	if c.from != e.from || c.off != e.off || c.class != class || c.child&refsDelayed != 0 || c.check != refsCheckNone && !c.holds(e, size) {
		return false
	}
	mark := refsInlineMark(base, uintptr(e.index))
	if class.noscan() {
		if e.word != 0 || mark.isMarked() || refsSetMark(mark) {
			return e.page.words.Load() == 0 // or else it may be held back
		}
		if !e.countsNoscan(c.child) {
			return true
		}
	} else {
		w := (*atomic.Uint32)(unsafe.Pointer(e.word))
		if w == nil || !w.CompareAndSwap(0, c.child) {
			return false
		}
		if refsSetMark(mark) {
			rp.uncountAllocated(size)
			refsQueueObject(gcw, base+uintptr(e.index)*size)
			c.objects++
			return true
		}
		refsQueueSpan(gcw, base, uintptr(e.index))
	}
	gcw.bytesMarked += uint64(size)
	c.objects++
	return true
}

// holds reports whether what c says of references depends on is so for e.
//
//go:nowritebarrierrec
func (c *refsCached) holds(e *refsEdge, size uintptr) bool {
	switch c.check {
	case refsCheckIface:
		return refsWord(e.slot-goarch.PtrSize, e.slot) == c.word
	case refsCheckSlice:
		n := refsWord(e.slot+2*goarch.PtrSize, e.slot) * uintptr(c.stride)
		return c.word == 1 && n <= size && n > uintptr(gc.SizeClassToSize[c.class.sizeclass()-1])
	case refsCheckDirLen:
		return uintptr(bool2int(refsWord(e.slot-maps.RefsMapDirPtr+maps.RefsMapDirLen, e.slot) == 0)) == c.word
	}
	return false
}

// countsNoscan reports whether the one who has marked e's target, which has no
// pointers, must count it at node n (see refsObject.claimNoscan).
//
//go:nowritebarrierrec
func (e *refsEdge) countsNoscan(n uint32) bool {
	words := e.page.words.Load()
	return words == 0 || words == refsNoWords || refsClaimMarked(refs.pages.at(words+e.index), n)
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
