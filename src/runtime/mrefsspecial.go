// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Finalizers, cleanups, weak handles and timers.
//
// The recorder follows the finalizers and cleanups that objects have, and those
// that are queued. Each has a function, and a cleanup also has a function that
// calls this one. Cleanups and queued finalizers also have an argument. A
// finalizer that an object still has does not. The functions and the argument
// are elements of paths below the root. The argument of a cleanup is a copy of
// the argument arg of AddCleanup. The function that calls the cleanup has the
// type of this copy (mcleanuptype.go).
//
// Each P has a heap of timers, which changes while the recorder reads it. The
// recorder reads timers in batches, with the lock of the timer heap held, and
// follows each batch without the lock. It may miss a timer that is moved or
// added while it reads. Such a timer is then found through the array of the P's
// timer heap, as an ordinary object.
//
// refsTimerJobs runs while no worker marks. The other functions of this file
// run on the system stack, in root jobs (mrefsroots.go, mrefssites.go). A
// span's specials are followed with its speciallock held. Therefore no code
// that is called with this lock held may take a lock that ranks before it. As
// during any marking, other Ps take finalizers and cleanups from the queues
// while the recorder reads these. Nothing is added to these queues while
// marking, because only sweeping adds to them.

package runtime

import (
	"internal/abi"
	"internal/runtime/atomic"
	"internal/runtime/refs"
	"unsafe"
)

// refsQueued is the finalizers and cleanups that are queued. refsStageJobs sets
// it, and root jobs take blocks from it. No block is freed.
var refsQueued struct {
	finalizers refsBlocks // of type *finBlock
	cleanups   refsBlocks // of type *cleanupBlock
}

// refsBlocks is a list of blocks, or 0 if jobs have taken all of them.
type refsBlocks struct{ first atomic.Uintptr }

// refsQueuedBlocks is the number of blocks that a root job follows. A block has
// some hundred finalizers or cleanups.
const refsQueuedBlocks = 16

// take takes some blocks from the list: first and the blocks that follow it, up
// to but excluding end. link is the offset of the address of the next block.
//
//go:nowritebarrierrec
func (l *refsBlocks) take(link uintptr) (first, end uintptr) {
	for {
		first = l.first.Load()
		end = first
		for i := 0; i < refsQueuedBlocks && end != 0; i++ {
			end = *(*uintptr)(unsafe.Pointer(end + link))
		}
		if l.first.CompareAndSwap(first, end) {
			return first, end
		}
	}
}

// refsStartQueued prepares the root job that begins with the queues.
func refsStartQueued() {
	refsQueued.finalizers.first.Store(uintptr(unsafe.Pointer(allfin)))
	refsQueued.cleanups.first.Store(uintptr(gcCleanups.all.Load()))
}

// refsMarkQueued follows the references of some finalizers or cleanups that are
// queued. If more are left, it first adds a root job for them, which another
// worker may take.
//
//go:nowritebarrier
func refsMarkQueued(rp *refsClaimer, gcw *gcWork) {
	fb, fbEnd := refsQueued.finalizers.take(unsafe.Offsetof(finBlock{}.alllink))
	var cb, cbEnd uintptr
	if fb == fbEnd {
		cb, cbEnd = refsQueued.cleanups.take(unsafe.Offsetof(cleanupBlock{}.alllink))
	}
	if refsQueued.finalizers.first.Load() != 0 || refsQueued.cleanups.first.Load() != 0 {
		work.markrootJobs.Add(1)
	}
	refsMarkFinalizerBlocks(rp, gcw, fb, fbEnd)
	refsMarkCleanupBlocks(rp, gcw, cb, cbEnd)
}

// refsMarkFinalizerBlocks follows the references of the finalizers in the
// blocks from first to end.
//
//go:nowritebarrier
func refsMarkFinalizerBlocks(rp *refsClaimer, gcw *gcWork, first, end uintptr) {
	if first == end {
		return
	}
	node := refsPaths.FinalizerQueueNode()
	for fb := (*finBlock)(unsafe.Pointer(first)); fb != (*finBlock)(unsafe.Pointer(end)); fb = fb.alllink {
		for i := range atomic.Load(&fb.cnt) {
			f := &fb.fin[i]
			rp.function(gcw, node, uintptr(unsafe.Pointer(&f.fn)))
			var t *_type
			if ot := f.ot; ot != nil { // read once, because the finalizer may be taken and cleared at any time
				t = ot.Elem
			}
			rp.argumentOf(gcw, node, uintptr(unsafe.Pointer(&f.arg)), t)
		}
	}
}

// refsMarkCleanupBlocks follows the references of the cleanups in the blocks
// from first to end.
//
//go:nowritebarrier
func refsMarkCleanupBlocks(rp *refsClaimer, gcw *gcWork, first, end uintptr) {
	if first == end {
		return
	}
	var last refsLastNode
	for cb := (*cleanupBlock)(unsafe.Pointer(first)); cb != (*cleanupBlock)(unsafe.Pointer(end)); cb = cb.alllink {
		for i := range atomic.Load(&cb.n) {
			rp.cleanup(gcw, true, &cb.cleanups[i], &last)
		}
	}
}

// refsMarkSpecials follows the references of finalizers, cleanups and weak
// handles of the objects in a part of an arena.
//
//go:nowritebarrier
func refsMarkSpecials(rp *refsClaimer, gcw *gcWork, job uint32) {
	var last refsLastSpecial
	refsEachSpecials(job, func(s *mspan) {
		for sp := s.specials; sp != nil; sp = sp.next {
			refsMarkSpecial(rp, gcw, s, sp, &last)
		}
	})
}

// refsSpecialPages is the number of pages that a root job goes over for
// specials. Each object there may have several, and a worker can be preempted
// only between two jobs.
const refsSpecialPages = 32

// refsSpanJobs returns the number of root jobs that go over the specials of all
// spans that existed when marking began.
func refsSpanJobs() uint32 {
	return uint32(work.nSpanRoots) * (pagesPerSpanRoot / refsSpecialPages)
}

// refsEachSpecials calls do for each span with specials in the job's part of an
// arena, with the span's speciallock held.
//
//go:nowritebarrier
func refsEachSpecials(job uint32, do func(s *mspan)) {
	first := uintptr(job) * refsSpecialPages
	ai := mheap_.markArenas[first/pagesPerArena]
	ha := mheap_.arenas[ai.l1()][ai.l2()]
	first %= pagesPerArena
	for page := first; page < first+refsSpecialPages; page++ {
		specials := atomic.Load8(&ha.pageSpecials[page/8]) >> (page % 8)
		if specials == 0 {
			page |= 7 // the last page of this byte
			continue
		}
		if specials&1 == 0 {
			continue
		}
		s := ha.spans[page]
		lock(&s.speciallock)
		do(s)
		unlock(&s.speciallock)
	}
}

// refsMarkSpecial follows the references of a special of span s. The caller
// holds the speciallock of s.
//
//go:nowritebarrier
func refsMarkSpecial(rp *refsClaimer, gcw *gcWork, s *mspan, sp *special, last *refsLastSpecial) {
	if rp.log.on {
		rp.log.beginSpecial(s, sp)
	}
	switch sp.kind {
	case _KindSpecialFinalizer:
		refsMarkFinalizer(rp, gcw, s, (*specialfinalizer)(unsafe.Pointer(sp)), last)
	case _KindSpecialWeakHandle:
		handle := (*specialWeakHandle)(unsafe.Pointer(sp)).handle
		place, key := refsEdge{val: uintptr(unsafe.Pointer(handle))}, refs.WeakKey()
		rp.pointer(gcw, &place, &key, refsPointee((*atomic.Uintptr)(nil)))
	case _KindSpecialCleanup:
		c := &(*specialCleanup)(unsafe.Pointer(sp)).cleanup
		rp.cleanup(gcw, false, c, &last.refsLastNode)
	}
	rp.log.special = 0
}

// beginSpecial notes the object that has sp. If the object is not marked, or if
// the log has no room for its description, the references of sp are logged as
// those of a root.
//
//go:nowritebarrierrec
func (l *refsLogger) beginSpecial(s *mspan, sp *special) {
	index := sp.offset / s.elemsize
	var o refsObject
	o.fromSpan(s.base()+index*s.elemsize, s, index)
	l.special, l.dead = o.base, !o.marked() || !l.describe(&o)
}

// refsMarkFinalizer follows the references of a finalizer. The finalizer does
// not mark its own object. If nothing else has marked this object, the objects
// to which this object refers are claimed at nodes below the finalizer's.
//
//go:nowritebarrier
func refsMarkFinalizer(rp *refsClaimer, gcw *gcWork, s *mspan, f *specialfinalizer, last *refsLastSpecial) {
	node := last.finalizer(f)
	var o refsObject
	index := f.special.offset / s.elemsize
	o.fromSpan(s.base()+index*s.elemsize, s, index)
	if rp.log.on {
		rp.log.finalized(o.base, node)
	}
	if !s.spanclass.noscan() && !o.marked() {
		o.scanUnmarked(node, gcw)
	}
	rp.function(gcw, node, uintptr(unsafe.Pointer(&f.fn)))
}

// scanUnmarked is scanFrom for an object that has a finalizer and is not
// marked. The references are logged as those of the finalizer.
//
//go:nowritebarrier
func (o *refsObject) scanUnmarked(node uint32, gcw *gcWork) {
	rp := refsOf(gcw.id)
	if !rp.log.on {
		refsRecording.scanAgain.Add(o.scanFrom(node, gcw, 0))
		return
	}
	rp.log.describe(o)
	rp.followAll(gcw)
	rp.log.byNode = true
	refsRecording.scanAgain.Add(o.scanFrom(node, gcw, 0))
	rp.followAll(gcw)
	rp.log.byNode = false
}

// refsNode returns the node for f and for other finalizers of objects of the
// same type.
//
//go:nowritebarrierrec
func (f *specialfinalizer) refsNode() uint32 {
	elem := uintptr(0)
	if f.ot != nil && refsTypeOK(f.ot.Elem) {
		elem = uintptr(unsafe.Pointer(refsElem(f.ot.Elem)))
	}
	return refsPaths.FinalizerNode(elem)
}

// cleanup follows the references of c, from the node for its function. A queued
// cleanup may be taken and cleared at any time.
//
//go:nowritebarrierrec
func (rp *refsClaimer) cleanup(gcw *gcWork, queued bool, c *cleanupFn, last *refsLastNode) {
	pc := uintptr(0)
	if fn := *(**funcval)(unsafe.Pointer(&c.fn)); fn != nil {
		pc = fn.fn
	}
	key := refs.CleanupKey(queued, pc)
	t := refsCleanupType(*(*uintptr)(unsafe.Pointer(&c.call)))
	node := last.find(&key)
	rp.function(gcw, node, uintptr(unsafe.Pointer(&c.call)))
	rp.function(gcw, node, uintptr(unsafe.Pointer(&c.fn)))
	rp.argumentOf(gcw, node, uintptr(unsafe.Pointer(&c.arg)), t)
}

// A place is a refsEdge that stands in the cache (mrefscache.go) for all
// references from one node to functions, or to arguments of one type.
// refsPlaceFunction is the offset of places for the functions of cleanups and
// finalizers. The offset of places for arguments is the address of the
// argument's type, plus refsPlaceFunction. No word of an object has an offset
// of either kind, because both are odd.
const refsPlaceFunction = 1

// function follows the reference to a function in the word at p, from node.
//
//go:nowritebarrierrec
func (rp *refsClaimer) function(gcw *gcWork, node uint32, p uintptr) {
	place := refsEdge{from: node, off: refsPlaceFunction, slot: p, val: *(*uintptr)(unsafe.Pointer(p))}
	o := &rp.object
	if !refsFind(place.val, o) || !rp.wants(o) || rp.claimKnown(gcw, &place, o) {
		return
	}
	key := refs.FunctionKey(node)
	o.Check, o.Seen = refs.CheckNone, 0
	exact := place.closure(o, &key)
	rp.takeAt(gcw, &place, o, &key, exact)
}

// argumentOf follows the reference to a value of type t in the word at p, from
// node. t may be nil.
//
//go:nowritebarrierrec
func (rp *refsClaimer) argumentOf(gcw *gcWork, node uint32, p uintptr, t *_type) {
	place := refsEdge{off: uintptr(unsafe.Pointer(t)) + refsPlaceFunction, slot: p, val: *(*uintptr)(unsafe.Pointer(p))}
	if t != nil {
		place.from = node
	}
	key := refs.ArgumentKey(node)
	rp.pointer(gcw, &place, &key, t)
}

// pointer follows the reference at place, to a value of type t. t may be nil.
// The caller has set all fields of key but those that describe the target.
//
//go:nowritebarrierrec
func (rp *refsClaimer) pointer(gcw *gcWork, place *refsEdge, key *refs.Key, t *_type) {
	o := &rp.object
	if !refsFind(place.val, o) || !rp.wants(o) || rp.claimKnown(gcw, place, o) {
		return
	}
	o.Check, o.Seen = refs.CheckNone, 0
	exact := o.pointee(t, place.val, key)
	rp.takeAt(gcw, place, o, key, exact)
}

// refsLastSpecial keeps the nodes of the cleanup and of the finalizer that were
// followed last.
type refsLastSpecial struct {
	refsLastNode
	ot            uintptr // type of the finalizer's argument
	finalizerNode uint32  // the finalizer's node, or 0
}

// finalizer returns the node of f.
//
//go:nowritebarrierrec
func (last *refsLastSpecial) finalizer(f *specialfinalizer) uint32 {
	if ot := uintptr(unsafe.Pointer(f.ot)); last.finalizerNode == 0 || last.ot != ot {
		last.ot, last.finalizerNode = ot, f.refsNode()
	}
	return last.finalizerNode
}

// refsLastNode is a node that is kept from one cleanup or timer to the next,
// because many of them share it.
type refsLastNode struct {
	key  refs.Key
	node uint32
}

// find returns the node with a key.
//
//go:nowritebarrierrec
func (last *refsLastNode) find(key *refs.Key) uint32 {
	if last.node == 0 || last.key != *key {
		last.key, last.node = *key, refsPaths.Find(key)
	}
	return last.node
}

// refsTimersPerJob is the largest number of timers of a P that a root job
// follows.
const refsTimersPerJob = 1024

// refsTimerJobs returns the number of root jobs for timers. Each P has the same
// number of jobs.
func refsTimerJobs() uint32 {
	most := uint32(0)
	for _, pp := range allp {
		most = max(most, pp.timers.len.Load())
	}
	return (most + refsTimersPerJob - 1) / refsTimersPerJob * uint32(len(allp))
}

// refsMarkTimers follows the references to some of the timers that are waiting.
//
//go:nowritebarrier
func refsMarkTimers(rp *refsClaimer, gcw *gcWork, job uint32) {
	nps := uint32(len(allp))
	ts := &allp[job%nps].timers
	from := int(job / nps * refsTimersPerJob)
	var batch [64]uintptr
	var last refsTimers
	for end := from + refsTimersPerJob; from < end; from += len(batch) {
		n := ts.copyTimers(batch[:], from)
		for i := range n {
			last.mark(rp, gcw, (*timer)(unsafe.Pointer(batch[i])))
		}
		if n < len(batch) {
			break
		}
	}
}

// copyTimers copies the addresses of timers in ts to dst, beginning with that
// of ts.heap[from]. It copies until dst is full or no timers are left. It
// returns the number of addresses that it has copied.
//
//go:nowritebarrierrec
func (ts *timers) copyTimers(dst []uintptr, from int) (n int) {
	lock(&ts.mu)
	for from+n < len(ts.heap) && n < len(dst) {
		dst[n] = uintptr(unsafe.Pointer(ts.heap[from+n].timer))
		n++
	}
	unlock(&ts.mu)
	return n
}

// mark follows the reference to t from the timer heap of its P.
//
//go:nowritebarrierrec
func (ts *refsTimers) mark(rp *refsClaimer, gcw *gcWork, t *timer) {
	o := &rp.object
	if !refsFind(uintptr(unsafe.Pointer(t)), o) || !rp.wants(o) {
		return
	}
	target := o.target()
	key := refsPaths.TimerKey(ts.function(t), &target)
	o.setWhole()
	node := ts.find(&key)
	if rp.log.on && rp.log.describeUnclaimed(o) {
		rp.log.root(o.base, node)
	}
	rp.take(gcw, o, node, true)
}

// refsTimers keeps facts about the timer that was followed last, because most
// timers share them.
type refsTimers struct {
	run   uintptr         // PC of the function that the timer runs
	calls refs.TimerCalls // how run leads to the function that the timer is for
	refsLastNode
}

// function returns the PC of the function that t is for, or 0 if t sends on a
// channel or has no function. t may change at the same time.
//
//go:nowritebarrierrec
func (ts *refsTimers) function(t *timer) uintptr {
	f := *(**funcval)(unsafe.Pointer(&t.f))
	if f == nil {
		return 0
	}
	if f.fn != ts.run {
		ts.run, ts.calls = f.fn, refs.TimerCallsOf(funcname(findfunc(f.fn)))
	}
	switch ts.calls {
	case refs.TimerSends:
		return 0
	case refs.TimerCallsArgument:
		if arg := *(*eface)(unsafe.Pointer(&t.arg)); arg._type != nil && arg._type.Kind() == abi.Func && arg.data != nil {
			return (*funcval)(arg.data).fn
		}
	}
	return f.fn
}
