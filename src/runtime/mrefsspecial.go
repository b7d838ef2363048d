// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Finalizers, cleanups and weak handles, of objects that are alive or dead and
// queued: what the runtime keeps for them.
//
// Each has a function and, but for finalizers of live objects, an argument, which
// are elements of paths below what tells the kind. The argument of a cleanup is a
// copy of what AddCleanup was given. The type of that is in no table of the runtime;
// the function tells it by its own first argument (mrefsvars.go).
//
// Called by refsMarkSpecialsJob (mrefsroots.go) on the system stack. A span's specials
// are followed with its speciallock held, so that nothing called from there takes a
// lock that ranks before it. Queues are read while other Ps add to them and take from
// them, as marking always reads them.

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
func refsMarkFinalizerQueue(rp *refsP, gcw *gcWork) {
	node := refs.nodes.find(&refsKey{kind: profilerecord.RefsFinalizerQueue})
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

// Jobs for the queue of cleanups, each of which takes so many blocks of it at a time.
const (
	refsCleanupJobs   = 16
	refsCleanupBlocks = 64
)

// refsCleanups is the blocks of cleanups that no job has taken yet. Blocks are linked to
// those that are older, and none is freed.
var refsCleanups atomic.Uintptr // *cleanupBlock

// refsMarkCleanupQueue follows the references of cleanups that are to run, till there
// are none that no other job has taken.
//
//go:nowritebarrier
func refsMarkCleanupQueue(rp *refsP, gcw *gcWork) {
	node := uint32(0)
	for {
		cb, end := refsTakeCleanups()
		if cb == end {
			return
		}
		if node == 0 {
			node = refs.nodes.find(&refsKey{kind: profilerecord.RefsCleanupQueue})
		}
		for ; cb != end; cb = cb.alllink {
			for i := range atomic.Load(&cb.n) {
				rp.cleanup(gcw, node, &cb.cleanups[i])
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

// refsMarkSpecials follows the references of finalizers, cleanups and weak handles
// of objects in a part of an arena.
//
//go:nowritebarrier
func refsMarkSpecials(rp *refsP, gcw *gcWork, shard uintptr) {
	refsEachSpecials(shard, func(s *mspan) {
		for sp := s.specials; sp != nil; sp = sp.next {
			refsMarkSpecial(rp, gcw, s, sp)
		}
	})
}

// refsEachSpecials calls do for each span of a part of an arena that has specials, with
// the span's speciallock held.
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
func refsMarkSpecial(rp *refsP, gcw *gcWork, s *mspan, sp *special) {
	switch sp.kind {
	case _KindSpecialFinalizer:
		refsMarkFinalizer(rp, gcw, s, (*specialfinalizer)(unsafe.Pointer(sp)))
	case _KindSpecialWeakHandle:
		handle := (*specialWeakHandle)(unsafe.Pointer(sp)).handle
		place := refsEdge{val: uintptr(unsafe.Pointer(handle))}
		rp.pointer(gcw, &place, &refsKey{kind: profilerecord.RefsWeak}, refsPointee((*atomic.Uintptr)(nil)))
	case _KindSpecialCleanup:
		c := &(*specialCleanup)(unsafe.Pointer(sp)).cleanup
		node := refs.nodes.find(&refsKey{kind: profilerecord.RefsCleanup, off: c.fn.fn})
		rp.cleanup(gcw, node, c)
	}
}

// refsMarkFinalizer follows the references of a finalizer. An object that has one is
// not marked, but what it refers to is, below the finalizer.
//
//go:nowritebarrier
func refsMarkFinalizer(rp *refsP, gcw *gcWork, s *mspan, f *specialfinalizer) {
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
	return refs.nodes.find(&key)
}

// cleanup follows the references of c, from node. A queued one may be taken and
// cleared meanwhile.
//
//go:nowritebarrierrec
func (rp *refsP) cleanup(gcw *gcWork, node uint32, c *cleanupFn) {
	var t *_type
	if fn := *(**funcval)(unsafe.Pointer(&c.fn)); fn != nil {
		if rp.argument.pc != fn.fn {
			rp.argument = refsArgument{fn.fn, uintptr(unsafe.Pointer(refsArgumentType(fn.fn)))}
		}
		t = (*_type)(unsafe.Pointer(rp.argument.typ))
	}
	rp.function(gcw, node, uintptr(unsafe.Pointer(&c.call)))
	rp.function(gcw, node, uintptr(unsafe.Pointer(&c.fn)))
	rp.argumentOf(gcw, node, uintptr(unsafe.Pointer(&c.arg)), t)
}

// refsPlaceFunction stands for the functions of cleanups and finalizers as the offset of
// a place. Arguments have the address of their type, plus it. No word has such an offset.
const refsPlaceFunction = 1

// function follows the reference to a function in the word at p, from node.
//
//go:nowritebarrierrec
func (rp *refsP) function(gcw *gcWork, node uint32, p uintptr) {
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

// argumentOf follows the reference to a value of type t, which may be nil, in the word at
// p, from node.
//
//go:nowritebarrierrec
func (rp *refsP) argumentOf(gcw *gcWork, node uint32, p uintptr, t *_type) {
	place := refsEdge{off: uintptr(unsafe.Pointer(t)) + refsPlaceFunction, slot: p, val: *(*uintptr)(unsafe.Pointer(p))}
	if t != nil {
		place.from = node
	}
	rp.pointer(gcw, &place, &refsKey{parent: node, kind: profilerecord.RefsArgument}, t)
}

// pointer follows the reference to a value of type t, which may be nil, at a place. key
// has what is known but for the target.
//
//go:nowritebarrierrec
func (rp *refsP) pointer(gcw *gcWork, place *refsEdge, key *refsKey, t *_type) {
	o := &rp.object
	if !refsFind(place.val, o) || !o.claimable() || rp.claimKnown(gcw, place, o) {
		return
	}
	o.check, o.seen = refsCheckNone, 0
	exact := o.pointee(t, place.val, key)
	rp.takeAt(gcw, place, o, key, exact)
}

// refsArgument is the type of the only argument of the function at pc, which many
// cleanups share.
type refsArgument struct{ pc, typ uintptr }

// refsArgumentType returns the type of the only argument of the function at pc, or nil
// if it is not known: if that is a pointer, its own type must be in the program.
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

// refsPointerTo returns the type of pointers to t, if t is in a module that has it too,
// or nil.
//
//go:nowritebarrierrec
func refsPointerTo(t *_type) *_type {
	p := uintptr(unsafe.Pointer(t))
	for md := &firstmoduledata; md != nil; md = md.next {
		if p >= md.types && p < md.etypes && t.PtrToThis > 0 {
			return (*_type)(unsafe.Pointer(md.types + uintptr(t.PtrToThis)))
		}
	}
	return nil
}
