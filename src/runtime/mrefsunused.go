// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Unused bytes: the bytes of objects to which no reference refers. What a
// reference refers to is a rule of package internal/runtime/refs (extent.go).
//
// Most references refer to the whole object that they claim, and need no more
// than a subtraction. If an object of more than refs.MinHull bytes is claimed
// by a reference to a part of it, its word gets refs.Partly, and it has a hull
// off the heap, which later references extend. References that hold an object
// back leave their bounds there, too, and it is counted with these when it is
// claimed by a part or released. The hulls of a span are in a row beside its
// words. Whoever changes a hull that is counted also changes the count of the
// node at which the object is claimed. So the count does not depend on the order
// in which references are followed.
//
// The functions run as those of mrefsclaim.go do.

package runtime

import (
	"internal/goarch"
	"internal/runtime/atomic"
	"internal/runtime/refs"
	"unsafe"
)

// setBounds sets what the reference e, which has been resolved, refers to.
//
//go:nowritebarrierrec
func (o *refsObject) setBounds(e *refsEdge) {
	t := o.target()
	o.whole = refsPaths.Whole(&t)
	o.part = refsPaths.BoundsOf(o.Extent, e.slot, e.val, &t, o.whole)
}

// setWhole makes the reference to o one to the whole object.
//
//go:nowritebarrierrec
func (o *refsObject) setWhole() {
	o.Extent = refs.Extent{}
	t := o.target()
	o.whole = refsPaths.Whole(&t)
	o.part = o.whole
}

// setClaim is setBounds for a reference that may be one to the whole object.
//
//go:nowritebarrierrec
func (o *refsObject) setClaim(e *refsEdge, exact bool) {
	if refs.HasBounds(exact, o.size) {
		o.setBounds(e)
	} else {
		o.setWhole()
	}
}

// claimHull returns the hull of o if the reference that is to claim o refers to
// a part of it. It returns nil if o needs no hull, or there is no memory.
//
//go:nowritebarrierrec
func (o *refsObject) claimHull(row *refsWordRow) *atomic.Uint64 {
	if o.part == o.whole {
		return nil
	}
	return o.makeHull(row)
}

// makeHull returns the hull of o, or nil if o can have none.
//
//go:nowritebarrierrec
func (o *refsObject) makeHull(row *refsWordRow) *atomic.Uint64 {
	if o.size <= refs.MinHull || o.page == nil {
		return nil
	}
	if o.page.hulls.Load() == 0 {
		n := uintptr(o.mspan().nelems)
		if first := row.take(uint32(2*n + 1)); first != 0 && !o.page.hulls.CompareAndSwap(0, alignUp32(first)) {
			row.next = first
		}
	}
	return o.hull()
}

// alignUp32 returns the first number from n on whose word is aligned to 8 bytes.
func alignUp32(n uint32) uint32 { return (n + 1) &^ 1 }

// hull returns the hull of o, or nil if its span has none.
//
//go:nowritebarrierrec
func (o *refsObject) hull() *atomic.Uint64 {
	if o.page == nil {
		return nil
	}
	n := o.page.hulls.Load()
	if n == 0 {
		return nil
	}
	return (*atomic.Uint64)(unsafe.Pointer(refsPages.at(n + 2*uint32(o.index))))
}

// isPartly reports whether o is claimed and has a hull.
//
//go:nowritebarrierrec
func (o *refsObject) isPartly() bool {
	w := o.word()
	return w != nil && w.Load()&(refs.Held|refs.Partly) == refs.Partly
}

// countUnused counts the unused bytes of o, which has just been claimed at node
// n. h is its hull, or nil. A large object without hull counts as a whole: it is
// in a user arena, with others, or there was no memory.
//
//go:nowritebarrierrec
func (o *refsObject) countUnused(h *atomic.Uint64, n uint32) {
	used := o.part.Len()
	if h == nil && o.size > refs.MinHull {
		used = o.whole.Len()
	}
	for h != nil {
		old := h.Load()
		new := refs.Hull(old).With(o.part, o.size) | refs.Counted
		if h.CompareAndSwap(old, uint64(new)) {
			used = new.Used(o.size)
			break
		}
	}
	if used != o.size {
		refsPaths.CountUnused(n, int64(o.size-used))
	}
}

// countLarge is countUnused for objects that can have a hull.
//
//go:nowritebarrierrec
func (o *refsObject) countLarge(h *atomic.Uint64, n uint32) {
	if o.size > refs.MinHull {
		o.countUnused(h, n)
	}
}

// extend extends the hull of o, which is claimed, by the reference whose bounds
// are set.
//
//go:nowritebarrierrec
func (o *refsObject) extend() {
	if o.size > refs.MinHull && o.Extent.Extends() && o.isPartly() {
		o.extendHull(o.hull())
	}
}

// extendHeld is extend for an object that is held back. Its hull is counted when
// the object is claimed, if the claim does not refer to the whole.
//
//go:nowritebarrierrec
func (o *refsObject) extendHeld(row *refsWordRow) {
	if !o.Extent.Extends() {
		return
	}
	if h := o.makeHull(row); h != nil {
		o.extendHull(h)
	}
}

// extendHull extends h, the hull of o.
//
//go:nowritebarrierrec
func (o *refsObject) extendHull(h *atomic.Uint64) {
	for {
		old := refs.Hull(h.Load())
		new := old.With(o.part, o.size)
		if new == old {
			return
		}
		if !h.CompareAndSwap(uint64(old), uint64(new)) {
			continue
		}
		if old&refs.Counted != 0 {
			refsPaths.CountUnused(o.word().Load(), int64(old.Used(o.size))-int64(new.Used(o.size)))
		}
		return
	}
}

// extendBy extends the hull of o, which is claimed, by the reference e.
//
//go:nowritebarrierrec
func (rp *refsClaimer) extendBy(e *refsEdge, o *refsObject) {
	if e.val == o.data || o.class.noscan() {
		if c := rp.cache.find(e, o); c != nil {
			o.Extent = c.extent()
			o.setBounds(e)
			o.extend()
			return
		}
	}
	var key refs.Key
	e.vars = &rp.vars
	e.resolve(o, &key)
	o.setBounds(e)
	o.extend()
}

// extendFound extends the hull of the target of e, which lookUp has found.
//
//go:nowritebarrierrec
func (rp *refsClaimer) extendFound(e *refsEdge) {
	o := &rp.object
	o.fromPage(e.meta, e.meta.spanBase(e.val), e.index, e.page)
	rp.extendBy(e, o)
}

// claimPart is claimNoscan for a reference to a part of o. w and h are the word
// and the hull of o. The word says that o is held back until o is marked: if
// another reference marks o first, it claims o as a whole.
//
//go:nowritebarrierrec
func (o *refsObject) claimPart(rp *refsClaimer, gcw *gcWork, n uint32, w *atomic.Uint32, h *atomic.Uint64) bool {
	for {
		old := w.Load()
		if old != 0 && old&refs.Held == 0 {
			return false
		}
		if old == 0 {
			if o.marked() {
				if w.Load() == 0 {
					return false
				}
				continue
			}
			if !w.CompareAndSwap(0, refs.Held|n) {
				continue
			}
			if o.mark() {
				w.CompareAndSwap(refs.Held|n, 0)
				return false
			}
			old = refs.Held | n
		}
		if !w.CompareAndSwap(old, n|refs.Partly) {
			continue
		}
		o.logClaim(rp, n)
		if old&refs.HeldNew != 0 {
			rp.uncountAllocated(o.size)
		} else {
			gcw.bytesMarked += uint64(o.size)
		}
		o.countUnused(h, n)
		return true
	}
}

// countSmall counts the unused bytes of o at node n, if o can have no hull. o
// has just been claimed there.
//
//go:nowritebarrierrec
func (o *refsObject) countSmall(n uint32) {
	if o.size <= refs.MinHull {
		o.countUnused(nil, n)
	}
}

// countMany counts the unused bytes of a target of e, which c has claimed: an
// object of size bytes at base, which can have no hull. It does what
// refs.BoundsOf does for a larger object.
//
//go:nowritebarrierrec
func (c *refsCached) countMany(e *refsEdge, base, size uintptr) {
	n, most := uint64(0), base+size-e.val
	if p := e.slot + goarch.PtrSize; c.form == refs.ExtentMany && p/minPhysPageSize == e.slot/minPhysPageSize {
		n = uint64(min(*(*uintptr)(unsafe.Pointer(p)), size)) * uint64(c.unit)
	} else {
		n = uint64(refsPaths.Counted(c.extent(), e.slot, base, size))
	}
	c.unused += int64(uint64(size) - min(n, uint64(most)))
}

// unusedSpace returns the unused bytes of o, which is claimed, if o can have a
// hull, and 0 otherwise.
//
//go:nowritebarrierrec
func (o *refsObject) unusedSpace() uintptr {
	if o.size <= refs.MinHull {
		return 0
	}
	if o.isPartly() {
		if h := refs.Hull(o.hull().Load()); h != 0 {
			return o.size - h.Used(o.size)
		}
	}
	t := o.target()
	return o.size - refsPaths.Whole(&t).Len()
}

// refsHullFlag returns refs.Partly if objects of s that are released may have
// hulls.
//
//go:nowritebarrierrec
func refsHullFlag(s *mspan) uint32 {
	if s.elemsize > refs.MinHull && refsPageOf(s.base()).hulls.Load() != 0 {
		return refs.Partly
	}
	return 0
}

// refsCountReleased counts the unused bytes of object i of s, which has been
// released at node n. partly is set if its word has refs.Partly. An object that
// no reference has reached, but the write barrier has, is used as a whole.
//
//go:nowritebarrierrec
func refsCountReleased(s *mspan, i, n uint32, partly bool) {
	if s.elemsize <= refs.MinHull {
		return
	}
	var o refsObject
	o.fromSpan(s.base()+uintptr(i)*s.elemsize, s, uintptr(i))
	o.setWhole()
	h := (*atomic.Uint64)(nil)
	if partly {
		if h = o.hull(); h.Load() != 0 {
			o.part = refs.Bounds{}
		}
	}
	o.countUnused(h, n)
}
