// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Resolving a reference: from the reference and the object that it reaches to
// the key of the object's node, by the rules of internal/runtime/refs. Only
// references that the cache does not have come here (mrefscache.go).

package runtime

import (
	"internal/runtime/refs"
	"unsafe"
)

// refsEdge is a reference that is being followed.
type refsEdge struct {
	from uint32  // node of the object, variable, frame, finalizers or cleanups that have it; 0 if that is not known or not needed
	off  uintptr // offset of the word in the object or variable, folded by the node's stride; or a number that stands for a place (mrefsstack.go, mrefsspecial.go)
	slot uintptr // address of the word; the word may change
	val  uintptr // the word, as it was read

	page  *refsPage // of the target's page or, if meta is not 0, of the first page of its span; nil if there is none
	meta  refsMeta  // of the target's page, or 0
	index uint32    // of the target in its span
	word  uintptr   // address of the target's word for the number of its node (mrefspage.go), or 0 if it has none

	vars *refsVarCache // of the P that follows the reference; may be nil until resolve is called
}

// edge returns e as the rules see it.
//
//go:nowritebarrierrec
func (e *refsEdge) edge() refs.Edge {
	return refs.Edge{From: e.from, Off: e.off, Slot: e.slot, Val: e.val, User: uintptr(unsafe.Pointer(e.vars))}
}

// target returns o as the rules see it.
//
//go:nowritebarrierrec
func (o *refsObject) target() refs.Target {
	return refs.Target{Base: o.base, Data: o.data, Size: o.size, Class: uint8(o.class)}
}

// resolve fills in key for the reference e to object o, and reports whether the
// key is exact.
//
//go:nowritebarrierrec
func (e *refsEdge) resolve(o *refsObject, key *refs.Key) (exact bool) {
	edge, t := e.edge(), o.target()
	exact = refsPaths.Resolve(&edge, &t, key)
	o.Hint = t.Hint
	return exact
}

// closure is resolve for func values that are not in an object or a frame.
//
//go:nowritebarrierrec
func (e *refsEdge) closure(o *refsObject, key *refs.Key) (exact bool) {
	edge, t := e.edge(), o.target()
	exact = refsPaths.Closure(&edge, &t, key)
	o.Hint = t.Hint
	return exact
}

// pointee is closure for pointers to type t. val is the pointer.
//
//go:nowritebarrierrec
func (o *refsObject) pointee(t *_type, val uintptr, key *refs.Key) (exact bool) {
	target := o.target()
	exact = refsPaths.Pointee(t, val, &target, key)
	o.Hint = target.Hint
	return exact
}

// unknown is closure for words that say nothing about o.
//
//go:nowritebarrierrec
func (o *refsObject) unknown(key *refs.Key) (exact bool) {
	t := o.target()
	exact = refsPaths.Unknown(&t, key)
	o.Extent = refs.Extent{}
	return exact
}

// refsFits reports whether an allocation of n bytes, with an allocation header
// of the given number of bytes, would have a slot of size bytes in a span of the
// class.
//
//go:nowritebarrierrec
func refsFits(n, header, size uintptr, class spanClass) bool {
	return refs.Fits((*refsProcess)(nil).Padded(n), header, size, uint8(class))
}

// headerWord returns o's allocation header, or 0 if it has none.
//
//go:nowritebarrierrec
func (o *refsObject) headerWord() uintptr {
	if o.data == o.base {
		return 0
	}
	return *(*uintptr)(unsafe.Pointer(o.base))
}
