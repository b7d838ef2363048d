// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Objects that are allocated while marking.
//
// They are marked when they are allocated, and each P counts its own. In the end they have
// the path "(allocated during GC)", unless a reference has met them: that takes an object to
// its own node. A new object with pointers is told from a claimed one by its word, which is
// 0. One without pointers has no word of its own. If it is not small it gets one, which holds
// it back at refsNodeAllocated, and every reference takes it over. Small ones are not worth
// their words: programs allocate many, and hardly any lives as long as marking takes.
//
// gcmarknewobject calls this through refsAllocated (mrefshooks.go) on the system stack, with
// the M locked, and before anybody else knows of the object.

package runtime

// refsMinNewNoscan is the size in bytes from which on objects without pointers that are
// allocated while marking have words. These are less than a hundredth of the objects' size.
const refsMinNewNoscan = 512

// refsNoteNewNoscan notes the object at obj in span s, which has no pointers and has just
// been allocated and counted.
//
//go:nowritebarrierrec
func refsNoteNewNoscan(s *mspan, obj uintptr) {
	var o refsObject
	o.fromSpan(obj, s, s.objIndex(obj))
	if w := o.makeWord(refsOf(getg().m.p.ptr().id)); w != nil {
		w.CompareAndSwap(0, refsHeld|refsHeldNew|refsNodeAllocated)
	}
}

// uncountAllocated takes an object that was allocated while marking from the node of
// these, for a reference to it has been found.
//
//go:nowritebarrierrec
func (rp *refsP) uncountAllocated(size uintptr) {
	rp.newObjects--
	rp.newBytes -= uint64(size)
}
