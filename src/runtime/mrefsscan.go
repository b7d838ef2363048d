// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Scanning objects and following the references in them.
//
// The scan of an object differs from the collector's, because it needs the
// object's node and each word's offset. The scans of spans, objects, blocks of
// global variables and stacks all use this file.
//
// Following a reference reads memory that is seldom in the processor's cache:
// the refsPage of the target's page (mrefspage.go), and then the target's mark,
// and the word that holds the number of its node. Therefore a P first gathers
// references, from several objects and spans. Then it looks up all their
// targets, and finally follows them all. Each of the first two steps prefetches
// memory for the next. Before a P leaves the loops of mrefsdrain.go, it follows
// all references that it has gathered, so that marking does not end before they
// are followed.

package runtime

import (
	"internal/goarch"
	"internal/runtime/atomic"
	"internal/runtime/gc"
	"internal/runtime/refs"
	"internal/runtime/sys"
	"unsafe"
)

// refsPs has a refsP for each P. The requester changes it, before and after the
// cycle.
var refsPs struct {
	first *refsP
	n     int32
}

// refsP is the state that the recorder keeps for a P. Code that runs on the P
// and cannot be preempted uses it. If the P runs no code, refsSetAside may
// write aside on another thread. With the world stopped, refsFlushed,
// gcMarkTinyAllocs, refsStartLog and refsStopLog use it. After the cycle, the
// requester uses it.
type refsP struct {
	_ sys.NotInHeap

	refsClaimer
	stack  refsStack
	batch  refsBatch
	oldest refsAges // the oldest goroutines that jobs on this P have found
	aside  refsAside
	moves  refsMoves
}

// refsAside has the pointers of a P that runs no code (mrefsaside.go). The M
// that runs the function of forEachP for the P writes it, and then gcMarkDone
// reads it.
type refsAside struct {
	n    uintptr
	ptrs [wbBufEntries]uintptr
}

// free frees the memory that rp refers to.
func (rp *refsP) free() {
	rp.stack.free()
	rp.refsClaimer.free()
}

// refsOf returns the refsP of the P with the given id.
//
//go:nosplit
//go:nowritebarrierrec
func refsOf(id int32) *refsP {
	return (*refsP)(add(unsafe.Pointer(refsPs.first), uintptr(id)*unsafe.Sizeof(refsP{})))
}

// refsScanObject follows the references in the object or oblet at b.
//
//go:nowritebarrier
func refsScanObject(b uintptr, gcw *gcWork) {
	counts := b % goarch.PtrSize
	b -= counts
	sys.Prefetch(b)
	s := spanOfUnchecked(b)
	var o refsObject
	index := s.objIndex(b)
	o.fromSpan(s.base()+index*s.elemsize, s, index)
	if b == o.base {
		counts = refsCounts
		o.queueOblets(gcw, counts)
	}
	node := o.node()
	if node == 0 {
		return
	}
	n := o.scan(node, gcw, b, min(o.base+o.size-b, maxObletBytes))
	if counts != refsCounts {
		refsRecording.scanAgain.Add(n)
	} else {
		refsCountScan(node, n)
	}
}

// refsCounts is added to the address of a queued oblet whose scan work counts at
// the node of its object. Other oblets are scanned for the finalizer of their
// object: addfinalizer queues some, too. If the object is live, it is scanned
// once more.
const refsCounts = 1

// queueOblets queues the oblets of o except the first. counts is refsCounts or 0.
//
//go:nowritebarrier
func (o *refsObject) queueOblets(gcw *gcWork, counts uintptr) {
	for oblet := o.base + maxObletBytes; oblet < o.base+o.size; oblet += maxObletBytes {
		if !gcw.putObjFast(oblet + counts) {
			gcw.putObj(oblet + counts)
		}
	}
}

// scanFrom follows the references in the first oblet of o as references of
// node, and queues the other oblets. These are scanned at the node at which o
// is claimed. If o is neither claimed nor held back, they are scanned at
// refs.NodeBarrier, and if o can have no word, at refs.NodeNoMemory. counts is as
// in queueOblets. scanFrom returns the scan work, in bytes.
//
//go:nowritebarrier
func (o *refsObject) scanFrom(node uint32, gcw *gcWork, counts uintptr) int64 {
	o.queueOblets(gcw, counts)
	return o.scan(node, gcw, o.base, min(o.size, maxObletBytes))
}

// scan follows the references in n bytes of o, from b on, as references of
// node. It returns the scan work, in bytes.
//
//go:nowritebarrier
func (o *refsObject) scan(node uint32, gcw *gcWork, b, n uintptr) int64 {
	tp := o.span.typePointersOfUnchecked(o.base)
	if b != o.base {
		tp = tp.fastForward(b-tp.addr, b+n)
	}
	scan := refsScan{rp: refsOf(gcw.id), gcw: gcw, node: node, stride: refsPaths.Stride(node), data: o.data}
	end := b
	for {
		var addr uintptr
		if tp, addr = tp.nextFast(); addr == 0 {
			if tp, addr = tp.next(b + n); addr == 0 {
				break
			}
		}
		end = addr + goarch.PtrSize
		scan.word(addr)
	}
	gcw.heapScanWork += int64(end - b)
	return int64(end - b)
}

// node returns the node for the references in o (see refsScanNode). It returns
// 0 if o is to be scanned later. If o cannot have a word, because there is no
// memory for it or o is in a user arena, node returns refs.NodeNoMemory with
// refs.Lost set.
//
//go:nowritebarrierrec
func (o *refsObject) node() uint32 {
	if w := o.word(); w != nil {
		return refsScanNode(w.Load())
	}
	if o.page != nil && o.page.words.Load() == 0 {
		return refsScanNode(0)
	}
	return refs.NodeNoMemory | refs.Lost
}

// refsScanNode returns the node for the references in an object whose word is
// w. It returns 0 if the object is held back or delayed, or if the next step of
// the stage scans it.
//
//go:nowritebarrierrec
func refsScanNode(w uint32) uint32 {
	if w&(refs.Held|refs.Unscanned|refs.Delayed) != 0 {
		return 0
	}
	if w == 0 {
		return refs.NodeBarrier // the object is scanned only for its finalizer
	}
	return w &^ (refs.Alone | refs.Partly)
}

// refsBatchSize is the largest number of references that a P gathers.
const refsBatchSize = 128

// refsBatch has the references that a P has gathered.
type refsBatch struct {
	n     int
	edges [refsBatchSize]refsEdge
}

// refsScan is the scan of an object or a block of roots.
type refsScan struct {
	rp     *refsP
	gcw    *gcWork
	node   uint32  // node of the references
	stride uintptr // stride of node (see refs.Paths.Stride)
	data   uintptr // address from which offsets count
}

// word gathers the reference in the word at addr, if it refers to the heap, and
// prefetches the refsPage of its target.
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

// lookUp finds the target of e, and prefetches the target's word and mark. It
// fills in the target's refsPage, unless that has been done. If the objects of
// the target's span have pointers, and the span has no words, lookUp gives
// words to the span. If no refsPage describes the target, because it is large,
// in a user arena or no object, or because there is no memory, lookUp leaves
// e.meta 0.
//
//go:nowritebarrierrec
func (rp *refsP) lookUp(e *refsEdge) {
	e.meta, e.word = 0, 0
	if e.page == nil {
		return
	}
	meta := refsMeta(e.page.meta.Load())
	if meta == 0 {
		refsFindSlow(e.val, e.page, &rp.object)
		if meta = refsMeta(e.page.meta.Load()); meta == 0 {
			return
		}
	}
	e.meta = meta
	base := meta.spanBase(e.val)
	if meta.page() != 0 {
		if e.page = refsPageOf(base); e.page == nil {
			e.meta = 0
			return
		}
	}
	e.index = meta.index(e.val - base)
	words := e.page.words.Load()
	if words == 0 && !meta.class().noscan() {
		words = e.page.give(&rp.words, meta.nelems())
	}
	if words != 0 && words != refsNoWords {
		e.word = uintptr(unsafe.Pointer(refsPages.at(words + e.index)))
		sys.Prefetch(e.word)
	}
	refsPrefetchMark(base, gc.SizeClassToSize[meta.class().sizeclass()])
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
	again := rp.log.again
	for i := range n {
		e := &rp.batch.edges[i]
		switch {
		case again && e.isNew():
		case e.meta == 0:
			rp.follow(gcw, e)
		case e.index >= e.meta.nelems():
		case rp.log.on:
			rp.followLogged(gcw, e)
		default:
			switch claimed, partly := e.claimed(); {
			case partly:
				rp.extendFound(e)
			case !claimed && !rp.followFast(gcw, e):
				rp.followSlow(gcw, e)
			}
		}
	}
}

// followSlow follows e, which followFast has not followed.
//
//go:nowritebarrierrec
func (rp *refsP) followSlow(gcw *gcWork, e *refsEdge) {
	o := &rp.object
	o.fromPage(e.meta, e.meta.spanBase(e.val), e.index, e.page)
	if o.claimable() {
		rp.followTo(gcw, e, o)
	} else if o.isPartly() {
		rp.extendBy(e, o)
	}
}

// followLogged follows e, whose target lookUp has found, and logs it.
//
//go:nowritebarrierrec
func (rp *refsP) followLogged(gcw *gcWork, e *refsEdge) {
	reached := rp.log.reached
	switch claimed, partly := e.claimed(); {
	case partly:
		rp.extendFound(e)
	case !claimed && !rp.followFast(gcw, e):
		rp.followSlow(gcw, e)
	}
	size := uintptr(gc.SizeClassToSize[e.meta.class().sizeclass()])
	rp.log.edge(e, e.meta.spanBase(e.val)+uintptr(e.index)*size, reached)
}

// claimed reports whether e's target is claimed according to its word, and
// whether it has a hull. If the target has no word, claimed returns false.
//
//go:nowritebarrierrec
func (e *refsEdge) claimed() (claimed, partly bool) {
	if e.word == 0 {
		return false, false
	}
	w := (*atomic.Uint32)(unsafe.Pointer(e.word)).Load()
	claimed = w != 0 && w&refs.Held == 0
	return claimed, claimed && w&refs.Partly != 0
}

// followFast is followTo for the most frequent references: those that the cache
// has and whose target is in a span with inline mark bits. It reports whether e
// needs no more work.
//
//go:nowritebarrierrec
func (rp *refsP) followFast(gcw *gcWork, e *refsEdge) bool {
	class := e.meta.class()
	size := uintptr(gc.SizeClassToSize[class.sizeclass()])
	base := e.meta.spanBase(e.val)
	data := base + uintptr(e.index)*size
	if !gcUsesSpanInlineMarkBits(size) || e.val != data && !class.noscan() {
		return false
	}
	c := rp.cache.slot(e, class)
	if c.from != e.from || c.off != e.off || c.class != class || c.child&refs.Delayed != 0 {
		return false
	}
	if c.check != refs.CheckNone && (c.isTypeless() || e.checked(c, data, data, size) != c.word) {
		return false
	}
	mark := refsInlineMark(base, uintptr(e.index))
	if class.noscan() {
		if e.word != 0 || refsMarked(mark) || refsSetMark(mark) {
			return e.page.words.Load() == 0 // if the span has words, the target may be held back
		}
		if !e.countsNoscan(c.child) {
			return true
		}
		if rp.log.on {
			rp.log.claim(data, c.child)
		}
	} else {
		w := (*atomic.Uint32)(unsafe.Pointer(e.word))
		if w == nil || !w.CompareAndSwap(0, c.child) {
			return false
		}
		if rp.log.on {
			rp.log.claim(data, c.child)
		}
		if refsSetMark(mark) {
			rp.uncountAllocated(size)
			refsQueueObject(gcw, data)
			c.count(e, data, size)
			return true
		}
		refsQueueSpan(gcw, base, uintptr(e.index))
	}
	gcw.bytesMarked += uint64(size)
	c.count(e, data, size)
	return true
}

// count counts the target of e, an object of size bytes at base, which has been
// claimed for c.
//
//go:nowritebarrierrec
func (c *refsCached) count(e *refsEdge, base, size uintptr) {
	c.objects++
	if c.form > refs.ExtentOne {
		c.countMany(e, base, size)
	}
}

// countsNoscan reports whether a claimer that has marked e's target, which has
// no pointers, must count it at node n (see refsObject.claimNoscan). If the
// target has a word and may be claimed, countsNoscan stores n there.
//
//go:nowritebarrierrec
func (e *refsEdge) countsNoscan(n uint32) bool {
	words := e.page.words.Load()
	if words == 0 || words == refsNoWords {
		return true
	}
	_, ok := refsClaimWord(refsPages.at(words+e.index), n, false)
	return ok
}

// refsFollowGrey handles the reference to obj for which greyobject was called,
// as refsGrey describes.
//
//go:nowritebarrierrec
func refsFollowGrey(obj, base, off uintptr, span *mspan, gcw *gcWork, index uintptr) {
	rp := refsOf(gcw.id)
	var o refsObject
	o.fromSpan(obj, span, index)
	if !rp.wants(&o) {
		return
	}
	if base == 0 || rp.stack.gp == 0 {
		rp.takeBarrier(gcw, &o)
		return
	}
	if refsMarking.stage == refs.StageMainOwn && !rp.stack.isOwn(base+off) {
		return
	}
	e := refsEdge{slot: base + off, vars: &rp.vars}
	e.val = *(*uintptr)(unsafe.Pointer(e.slot))
	if !rp.stack.keepWord(&rp.refsClaimer, gcw, e.slot, e.val) {
		rp.stack.follow(&rp.refsClaimer, gcw, &e, &o)
	}
}

// refsFollowWords follows the references in the stack that has been scanned
// (see refsStackScanned).
//
//go:nowritebarrierrec
func refsFollowWords(gcw *gcWork) {
	rp := refsOf(gcw.id)
	rp.stack.followWords(&rp.refsClaimer, gcw)
	if gp := rp.stack.gp.ptr(); gp != nil {
		refsMayRun(gp)
	}
}

// refsHoldNew holds back the object at obj in span s, which has just been
// allocated and counted. refsAllocated calls it on the system stack, so that
// the M keeps its P, and before any other goroutine knows of the object.
//
//go:nowritebarrierrec
func refsHoldNew(s *mspan, obj uintptr) {
	refsOf(getg().m.p.ptr().id).holdNewNoscan(s, obj)
}
