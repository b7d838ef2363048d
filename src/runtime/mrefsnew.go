// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Objects that are allocated while marking.
//
// They are marked when they are allocated, and each P counts its own, which have the path
// "(allocated during GC)" at the end. A reference that meets one takes it from there to its
// own node. One with pointers can be told from a claimed object by its word, which is 0. One
// without pointers would have no word, so it gets one, which holds it back at
// refsNodeAllocated, where every reference takes it over.

package runtime

// refsNoteAllocated notes the object at obj in span s, which has just been allocated.
//
//go:nowritebarrierrec
func refsNoteAllocated(s *mspan, obj uintptr) {
	rp := refsOf(getg().m.p.ptr().id)
	rp.newObjects++
	rp.newBytes += uint64(s.elemsize)
	if !s.spanclass.noscan() {
		return
	}
	var o refsObject
	o.fromSpan(obj, s, s.objIndex(obj))
	if w := o.makeWord(rp); w != nil {
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
