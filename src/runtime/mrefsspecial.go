// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Finalizers, cleanups, weak handles and timers.
//
// Finalizers and cleanups are those of live objects and those that are queued.
// Each has a function and, except for finalizers of live objects, an argument.
// Both are elements of paths below the root. The argument of a cleanup is a
// copy of the argument of AddCleanup. No table of the runtime has its type,
// which therefore comes from the first argument of the function (mrefsvars.go).
//
// Timers are in heaps of the Ps, which change while they are read. They are
// read under their lock, a batch at a time, and followed without the lock. A
// timer that is moved or added meanwhile may be missed, and is then found in
// the heap itself.
//
// mrefsroots.go calls these functions on the system stack. A span's specials
// are followed with its speciallock held, so that nothing called from there
// takes a lock that ranks before it. Other Ps add to queues and take from them
// while they are read, as during any marking.

package runtime

import (
	"internal/abi"
	"internal/profilerecord"
	"internal/runtime/atomic"
	"unsafe"
)

// refsMarkFinalizerQueue follows the references of finalizers that are to run.
//
//go:nowritebarrier
func refsMarkFinalizerQueue(rp *refsClaimer, gcw *gcWork) {
	node := refsNodes.find(&refsKey{kind: profilerecord.RefsFinalizerQueue})
	for fb := allfin; fb != nil; fb = fb.alllink {
		for i := range atomic.Load(&fb.cnt) {
			f := &fb.fin[i]
			rp.function(gcw, node, uintptr(unsafe.Pointer(&f.fn)))
			var t *_type
			if ot := f.ot; ot != nil { // the finalizer may be taken and cleared meanwhile
				t = ot.Elem
			}
			rp.argumentOf(gcw, node, uintptr(unsafe.Pointer(&f.arg)), t)
		}
	}
}

// Jobs for the queue of cleanups, each of which takes so many blocks of it at a
// time.
const (
	refsCleanupJobs   = 16
	refsCleanupBlocks = 64
)

// refsCleanups is the blocks of cleanups that no job has taken yet. Blocks are
// linked to those that are older, and none is freed.
var refsCleanups atomic.Uintptr // *cleanupBlock

// refsMarkCleanupQueue follows the references of cleanups that are to run, till
// there are none that no other job has taken.
//
//go:nowritebarrier
func refsMarkCleanupQueue(rp *refsClaimer, gcw *gcWork) {
	node, arg := uint32(0), refsArgument{}
	for {
		cb, end := refsTakeCleanups()
		if cb == end {
			return
		}
		if node == 0 {
			node = refsNodes.find(&refsKey{kind: profilerecord.RefsCleanupQueue})
		}
		for ; cb != end; cb = cb.alllink {
			for i := range atomic.Load(&cb.n) {
				rp.cleanup(gcw, node, &cb.cleanups[i], &arg)
			}
		}
	}
}

// refsTakeCleanups takes some blocks of cleanups, from cb on and before end.
//
//go:nowritebarrier
func refsTakeCleanups() (cb, end *cleanupBlock) {
	for {
		first := refsCleanups.Load()
		cb = (*cleanupBlock)(unsafe.Pointer(first))
		end = cb
		for i := 0; i < refsCleanupBlocks && end != nil; i++ {
			end = end.alllink
		}
		if refsCleanups.CompareAndSwap(first, uintptr(unsafe.Pointer(end))) {
			return cb, end
		}
	}
}

// refsMarkSpecials follows the references of finalizers, cleanups and weak
// handles of objects in a part of an arena.
//
//go:nowritebarrier
func refsMarkSpecials(rp *refsClaimer, gcw *gcWork, shard uintptr) {
	var arg refsArgument
	refsEachSpecials(shard, func(s *mspan) {
		for sp := s.specials; sp != nil; sp = sp.next {
			refsMarkSpecial(rp, gcw, s, sp, &arg)
		}
	})
}

// refsEachSpecials calls do for each span of a part of an arena that has
// specials, with the span's speciallock held.
//
//go:nowritebarrier
func refsEachSpecials(shard uintptr, do func(s *mspan)) {
	ai := mheap_.markArenas[shard/(pagesPerArena/pagesPerSpanRoot)]
	ha := mheap_.arenas[ai.l1()][ai.l2()]
	first := shard * pagesPerSpanRoot % pagesPerArena
	for page := first; page < first+pagesPerSpanRoot; page++ {
		if atomic.Load8(&ha.pageSpecials[page/8])>>(page%8)&1 == 0 {
			continue
		}
		s := ha.spans[page]
		lock(&s.speciallock)
		do(s)
		unlock(&s.speciallock)
	}
}

// refsMarkSpecial follows the references of a special of span s.
//
//go:nowritebarrier
func refsMarkSpecial(rp *refsClaimer, gcw *gcWork, s *mspan, sp *special, arg *refsArgument) {
	switch sp.kind {
	case _KindSpecialFinalizer:
		refsMarkFinalizer(rp, gcw, s, (*specialfinalizer)(unsafe.Pointer(sp)))
	case _KindSpecialWeakHandle:
		handle := (*specialWeakHandle)(unsafe.Pointer(sp)).handle
		place := refsEdge{val: uintptr(unsafe.Pointer(handle))}
		rp.pointer(gcw, &place, &refsKey{kind: profilerecord.RefsWeak}, refsPointee((*atomic.Uintptr)(nil)))
	case _KindSpecialCleanup:
		c := &(*specialCleanup)(unsafe.Pointer(sp)).cleanup
		node := refsNodes.find(&refsKey{kind: profilerecord.RefsCleanup, off: c.fn.fn})
		rp.cleanup(gcw, node, c, arg)
	}
}

// refsMarkFinalizer follows the references of a finalizer. An object that has
// one is not marked, but what it refers to is, below the finalizer.
//
//go:nowritebarrier
func refsMarkFinalizer(rp *refsClaimer, gcw *gcWork, s *mspan, f *specialfinalizer) {
	node := f.refsNode()
	var o refsObject
	index := f.special.offset / s.elemsize
	o.fromSpan(s.base()+index*s.elemsize, s, index)
	if !s.spanclass.noscan() && !o.marked() {
		o.scanFrom(node, gcw)
	}
	rp.function(gcw, node, uintptr(unsafe.Pointer(&f.fn)))
}

// refsNode returns the node for objects with finalizers like f.
//
//go:nowritebarrierrec
func (f *specialfinalizer) refsNode() uint32 {
	key := refsKey{kind: profilerecord.RefsFinalizer}
	if f.ot != nil && refsTypeOK(f.ot.Elem) {
		key.typ = uintptr(unsafe.Pointer(refsElem(f.ot.Elem)))
	}
	return refsNodes.find(&key)
}

// cleanup follows the references of c, from node. A queued one may be taken and
// cleared meanwhile.
//
//go:nowritebarrierrec
func (rp *refsClaimer) cleanup(gcw *gcWork, node uint32, c *cleanupFn, arg *refsArgument) {
	var t *_type
	if fn := *(**funcval)(unsafe.Pointer(&c.fn)); fn != nil {
		if arg.pc != fn.fn {
			*arg = refsArgument{fn.fn, uintptr(unsafe.Pointer(refsArgumentType(fn.fn)))}
		}
		t = (*_type)(unsafe.Pointer(arg.typ))
	}
	rp.function(gcw, node, uintptr(unsafe.Pointer(&c.call)))
	rp.function(gcw, node, uintptr(unsafe.Pointer(&c.fn)))
	rp.argumentOf(gcw, node, uintptr(unsafe.Pointer(&c.arg)), t)
}

// refsPlaceFunction stands for the functions of cleanups and finalizers as the
// offset of a place. Arguments have the address of their type, plus it. No word
// has such an offset.
const refsPlaceFunction = 1

// function follows the reference to a function in the word at p, from node.
//
//go:nowritebarrierrec
func (rp *refsClaimer) function(gcw *gcWork, node uint32, p uintptr) {
	place := refsEdge{from: node, off: refsPlaceFunction, slot: p, val: *(*uintptr)(unsafe.Pointer(p))}
	o := &rp.object
	if !refsFind(place.val, o) || !o.claimable() || rp.claimKnown(gcw, &place, o) {
		return
	}
	key := refsKey{parent: node, kind: profilerecord.RefsFunction}
	o.check, o.seen = refsCheckNone, 0
	exact := place.closure(o, &key)
	rp.takeAt(gcw, &place, o, &key, exact)
}

// argumentOf follows the reference to a value of type t, which may be nil, in
// the word at p, from node.
//
//go:nowritebarrierrec
func (rp *refsClaimer) argumentOf(gcw *gcWork, node uint32, p uintptr, t *_type) {
	place := refsEdge{off: uintptr(unsafe.Pointer(t)) + refsPlaceFunction, slot: p, val: *(*uintptr)(unsafe.Pointer(p))}
	if t != nil {
		place.from = node
	}
	rp.pointer(gcw, &place, &refsKey{parent: node, kind: profilerecord.RefsArgument}, t)
}

// pointer follows the reference to a value of type t, which may be nil, at a
// place. key has what is known but for the target.
//
//go:nowritebarrierrec
func (rp *refsClaimer) pointer(gcw *gcWork, place *refsEdge, key *refsKey, t *_type) {
	o := &rp.object
	if !refsFind(place.val, o) || !o.claimable() || rp.claimKnown(gcw, place, o) {
		return
	}
	o.check, o.seen = refsCheckNone, 0
	exact := o.pointee(t, place.val, key)
	rp.takeAt(gcw, place, o, key, exact)
}

// refsArgument is the type of the only argument of the function at pc, which
// many cleanups share.
type refsArgument struct{ pc, typ uintptr }

// refsArgumentType returns the type of the only argument of the function at pc,
// or nil if it is not known: if that is a pointer, its own type must be in the
// program.
//
//go:nowritebarrierrec
func refsArgumentType(pc uintptr) *_type {
	v, ok := refsFindVar(findfunc(pc), abi.FrameVarArg, 0, -1)
	if !ok {
		return nil
	}
	t := v.typ()
	switch v.form() {
	case abi.FrameVarString:
		return refsTypeOf("")
	case abi.FrameVarPointer:
		return refsPointerTo(t)
	case abi.FrameVarValue, abi.FrameVarMap, abi.FrameVarChan, abi.FrameVarIface:
		return t
	}
	return nil
}

const refsTimersPerJob = 1024

// refsTimerJobs returns the number of root jobs for timers, which is as many
// for each P.
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

// copyTimers copies the addresses of timers in ts, from the given one on, to
// dst.
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

// mark follows the reference to t.
//
//go:nowritebarrierrec
func (ts *refsTimers) mark(rp *refsClaimer, gcw *gcWork, t *timer) {
	o := &rp.object
	if !refsFind(uintptr(unsafe.Pointer(t)), o) || !o.claimable() {
		return
	}
	key := refsKey{kind: profilerecord.RefsTimer, off: ts.function(t)}
	if typ := refsTimeTimer(); o.fits(typ.Size_) {
		key.typ = uintptr(unsafe.Pointer(typ))
	} else if typ := refsPointee((*timer)(nil)); o.fits(typ.Size_) { // a sleeping goroutine's
		key.typ = uintptr(unsafe.Pointer(typ))
	}
	rp.take(gcw, o, ts.find(&key), true)
}

// refsTimers remembers of the timer that its P has met last what is the same
// for most.
type refsTimers struct {
	run   uintptr // program counter of the function that the timer runs
	calls refsTimerCalls
	key   refsKey
	node  uint32 // for key
}

// refsTimerCalls is what the function that a timer runs does.
type refsTimerCalls uint8

const (
	refsTimerCallsItself   refsTimerCalls = iota // what it shall
	refsTimerCallsArgument                       // time.AfterFunc's
	refsTimerSends
)

// find returns the node of a timer's key.
//
//go:nowritebarrierrec
func (ts *refsTimers) find(key *refsKey) uint32 {
	if ts.node == 0 || ts.key != *key {
		ts.key, ts.node = *key, refsNodes.find(key)
	}
	return ts.node
}

// function returns the program counter of the function that t is for, or 0 if t
// sends on a channel. t may change meanwhile.
//
//go:nowritebarrierrec
func (ts *refsTimers) function(t *timer) uintptr {
	f := *(**funcval)(unsafe.Pointer(&t.f))
	if f == nil {
		return 0
	}
	if f.fn != ts.run {
		ts.run, ts.calls = f.fn, refsTimerCallsOf(f.fn)
	}
	switch ts.calls {
	case refsTimerSends:
		return 0
	case refsTimerCallsArgument:
		if arg := *(*eface)(unsafe.Pointer(&t.arg)); arg._type != nil && arg._type.Kind() == abi.Func && arg.data != nil {
			return (*funcval)(arg.data).fn
		}
	}
	return f.fn
}

// refsTimerCallsOf returns what the function at pc does, which is package
// time's if it is one of the other two.
//
//go:nowritebarrierrec
func refsTimerCallsOf(pc uintptr) refsTimerCalls {
	switch funcname(findfunc(pc)) {
	case "time.sendTime":
		return refsTimerSends
	case "time.goFunc":
		return refsTimerCallsArgument
	}
	return refsTimerCallsItself
}
