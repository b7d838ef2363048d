// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// From a reference, the object that it reaches, and what is known of the type of
// the object that holds it, to the key of the node for it.
//
// A key is exact if the type of the target is known: from the static type of the
// reference, if the size of the object fits that; from the interface's or
// closure's own words; or from the object's allocation header. Else the
// reference is followed after the exact ones, and its key has a type only if the
// object's pointers lie as they do in that type.

package runtime

import (
	"internal/abi"
	"internal/goarch"
	"internal/profilerecord"
	"internal/runtime/gc"
	"internal/runtime/maps"
	"unsafe"
)

// refsEdge is a reference that is being followed.
type refsEdge struct {
	from uint32  // node of the object that holds it
	off  uintptr // of the word in the object, folded by the node's stride
	slot uintptr // the word's address; it may change
	val  uintptr // what was read there

	page  *refsPage // of the target; of its span's first page if meta is not 0
	meta  uint32    // of the target's page
	index uint32    // of the target in its span
	word  uintptr   // address of the target's word, if it has one

	rp *refsP // whose P follows it; nil before it is known that this takes more than the cache
}

// resolve fills in key for the reference e to object o, and reports whether the
// key is exact.
//
//go:nowritebarrierrec
func (e *refsEdge) resolve(o *refsObject, key *refsKey) bool {
	o.check, o.seen = refsCheckNone, 0
	from := refs.nodes.at(e.from)
	*key = refsKey{parent: e.from, kind: profilerecord.RefsField, off: e.off}
	if e.from&refsLost != 0 {
		return o.unknown(key)
	}
	t := (*_type)(unsafe.Pointer(from.typ))
	switch from.role {
	case profilerecord.RefsObject:
		if t == nil {
			key.kind = profilerecord.RefsUnknown
			return o.untold(key)
		}
		t = refsElem(t)
	case profilerecord.RefsVariable:
		if t = refsElem(t); t == refsPointee((*maps.Iter)(nil)) {
			return e.mapIterator(o, key)
		}
	case refsRoleDirect:
		key.parent, key.kind, key.off = 0, from.kind, from.off
	case profilerecord.RefsMap, refsRoleDirectory, refsRoleMapTable:
		return e.mapStorage(from, o, key)
	case refsRoleGroups:
		key.parent = from.parent
		return e.mapGroup((*abi.MapType)(unsafe.Pointer(t)), o, key)
	case profilerecord.RefsChan:
		return e.chanStorage(from, o, key)
	case profilerecord.RefsBuffer:
		key.parent, key.kind = from.parent, profilerecord.RefsChanElem
		t = (*chantype)(unsafe.Pointer(t)).Elem
	case profilerecord.RefsClosure:
		return e.captured(from.fn, o, key)
	default:
		key.kind = profilerecord.RefsUnknown
		return o.unknown(key)
	}
	s := refsSlotAt(t, e.off)
	if key.kind != from.kind || from.role != refsRoleDirect {
		key.off = s.off
	}
	from.foldPool(&s, key)
	return e.target(s, o, key)
}

// target fills in what key says of o, which is reached through s, and reports
// whether that is exact.
//
//go:nowritebarrierrec
func (e *refsEdge) target(s refsSlot, o *refsObject, key *refsKey) bool {
	if s.kind == refsSlotIface {
		word := refsWord(e.slot-goarch.PtrSize, e.slot)
		o.check, o.seen = refsCheckIface, word
		d := refsDynamicType(s.typ, word)
		if d == nil {
			return o.unknown(key)
		}
		return e.dynamic(d, o, key)
	}
	switch s.kind {
	case refsSlotPointer:
		exact := o.pointee(s.typ, e.val, key)
		if s.typ == refsPointee((*_defer)(nil)) { // scanstack reaches each, at its own frame
			o.check = refsCheckUntold
			return false
		}
		return exact
	case refsSlotPool:
		refs.poolLocal.Store(uintptr(unsafe.Pointer(s.typ)))
		return o.pointee(s.typ, e.val, key)
	case refsSlotSlice:
		return e.array(s.typ, o, key)
	case refsSlotString:
		key.typ = uintptr(unsafe.Pointer(s.typ))
		return o.class.noscan() || o.unknown(key)
	case refsSlotMap:
		if e.val != o.data || o.size != roundupsize(maps.RefsMapSize, false) {
			return o.unknown(key)
		}
		key.role, key.typ = profilerecord.RefsMap, uintptr(unsafe.Pointer(s.typ))
		return true
	case refsSlotChan:
		if e.val != o.data || o.size < hchanSize {
			return o.unknown(key)
		}
		key.role, key.typ = profilerecord.RefsChan, uintptr(unsafe.Pointer(s.typ))
		return true
	case refsSlotFunc:
		return e.closure(o, key)
	case refsSlotIfaceType:
		key.role = profilerecord.RefsType
		return true
	case refsSlotUnsafe:
		return o.untold(key)
	}
	return o.unknown(key)
}

// dynamic is target for interfaces with a value of type d.
//
//go:nowritebarrierrec
func (e *refsEdge) dynamic(d *_type, o *refsObject, key *refsKey) bool {
	key.dyn = uintptr(unsafe.Pointer(d))
	if !d.IsDirectIface() {
		return o.pointee(d, e.val, key)
	}
	return e.target(refsDirect(d), o, key)
}

// captured is resolve for a reference in a closure of the function at pc.
//
//go:nowritebarrierrec
func (e *refsEdge) captured(pc uintptr, o *refsObject, key *refsKey) bool {
	key.kind = profilerecord.RefsCaptured
	v, ok := e.rp.stack.vars.findVar(findfunc(pc), abi.FrameVarCaptured, e.off, -1)
	if !ok {
		return o.unknown(key)
	}
	v.setCapturedTypeArg(e.slot-e.off, e.slot)
	key.off = v.start
	in := *e
	in.off -= v.start
	exact := in.resolveVariable(&v, o, key)
	if v.dict.known {
		o.check = refsCheckNever // depends on the closure's dictionary, too
	}
	return exact
}

// refsDynamicType returns the type of the value in an interface of static type t whose
// first word is word, or nil.
//
//go:nowritebarrierrec
func refsDynamicType(t *_type, word uintptr) *_type {
	if len((*interfacetype)(unsafe.Pointer(t)).Methods) > 0 {
		if !refsItabOK(word) {
			return nil
		}
		word = uintptr(unsafe.Pointer((*itab)(unsafe.Pointer(word)).Type))
	}
	if d := (*_type)(unsafe.Pointer(word)); refsTypeOK(d) {
		return d
	}
	return nil
}

// array is target for slices of elements of type t.
//
//go:nowritebarrierrec
func (e *refsEdge) array(t *_type, o *refsObject, key *refsKey) bool {
	if !refsTypeOK(t) {
		return o.unknown(key)
	}
	key.typ = uintptr(unsafe.Pointer(refsElem(t)))
	if o.class.noscan() {
		return t.PtrBytes == 0 || o.unknown(key)
	}
	if h := o.header(); h != nil {
		return o.headed(h, t, e.val, key)
	}
	n := refsWord(e.slot+2*goarch.PtrSize, e.slot) * t.Size_
	o.check, o.stride, o.seen = refsCheckSlice, uint32(t.Size_), uintptr(bool2int(o.fits(n)))
	n += e.val - o.data
	if t.PtrBytes != 0 && o.fits(n) && (e.val-o.data)%t.Size_ == 0 {
		return true
	}
	return o.guess(t, e.val, key)
}

// closure is target for func values.
//
//go:nowritebarrierrec
func (e *refsEdge) closure(o *refsObject, key *refsKey) bool {
	pc := *(*uintptr)(unsafe.Pointer(o.data))
	if e.val != o.data || !refsIsEntry(pc) {
		return o.unknown(key)
	}
	o.check, o.seen = refsCheckFunc, pc
	if key.dyn != 0 {
		o.check = refsCheckNever // depends on the interface's type, too
	}
	key.role, key.fn = profilerecord.RefsClosure, pc
	return true
}

// refsIsEntry reports whether pc is where a function starts, as the first word of a
// closure is.
//
//go:nowritebarrierrec
func refsIsEntry(pc uintptr) bool {
	f := findfunc(pc)
	return f.valid() && f.entry() == pc
}

// pointee is target for pointers to type t.
//
//go:nowritebarrierrec
func (o *refsObject) pointee(t *_type, val uintptr, key *refsKey) bool {
	if !refsTypeOK(t) {
		return o.unknown(key)
	}
	key.typ = uintptr(unsafe.Pointer(refsElem(t)))
	if h := o.header(); h != nil {
		return o.headed(h, t, val, key)
	}
	if whole := o.whole(t, val); whole != nil && val == o.data && o.fits(whole.Size_) && o.class.noscan() == (whole.PtrBytes == 0) {
		key.typ = uintptr(unsafe.Pointer(whole))
		return true
	}
	if o.class.noscan() != (t.PtrBytes == 0) {
		return o.unknown(key)
	}
	if val == o.data && o.fits(t.Size_) || o.class == tinySpanClass && t.Size_ < maxTinySize {
		return true
	}
	return o.guess(t, val, key)
}

// headed makes key say of o what its header h tells. It reports whether val points to
// an element of that type, as a reference to t must, and not into a larger object.
//
//go:nowritebarrierrec
func (o *refsObject) headed(h, t *_type, val uintptr, key *refsKey) bool {
	h = refsElem(h)
	key.typ = uintptr(unsafe.Pointer(h))
	return h == refsElem(t) && (val-o.data)%h.Size_ == 0
}

// header returns the type in o's allocation header, or nil. It is the type of the
// elements if o is an array.
//
//go:nowritebarrierrec
func (o *refsObject) header() *_type {
	if o.class.noscan() || heapBitsInSpan(o.size) {
		return nil
	}
	var t *_type
	if o.class.sizeclass() != 0 {
		t = *(**_type)(unsafe.Pointer(o.base))
	} else {
		t = o.mspan().largeType
	}
	if !refsTypeOK(t) || t.Size_ == 0 || t.PtrBytes == 0 {
		return nil
	}
	return t
}

// waits reports whether the objects that key stands for wait for the runtime's stage:
// its Gs, Ms and Ps. Stacks and channels refer to them, and they to nearly all that
// the runtime has, and to what other goroutines have deferred.
//
//go:nowritebarrierrec
func (k *refsKey) waits() bool {
	if refs.stage >= refsStageRuntime {
		return false
	}
	switch (*_type)(unsafe.Pointer(k.typ)) {
	case refsPointee((*g)(nil)), refsPointee((*m)(nil)), refsPointee((*mPadded)(nil)), refsPointee((*p)(nil)):
		return true
	}
	return false
}

// fits reports whether an allocation of n bytes would have o's size.
//
//go:nowritebarrierrec
func (o *refsObject) fits(n uintptr) bool {
	n += o.data - o.base
	if c := o.class.sizeclass(); c != 0 {
		return n <= o.size && n > uintptr(gc.SizeClassToSize[c-1])
	}
	return n <= o.size && o.size-n < pageSize
}

// fitsRow reports whether an allocation of n bytes times a power of two would have
// o's size.
//
//go:nowritebarrierrec
func (o *refsObject) fitsRow(n uintptr) bool {
	for ; n != 0 && n <= o.size; n *= 2 {
		if o.fits(n) {
			return true
		}
	}
	return false
}

// guess keeps the type t in key if o's pointers lie as those of an array of t would.
// It returns false, for the key is not exact.
//
//go:nowritebarrierrec
func (o *refsObject) guess(t *_type, val uintptr, key *refsKey) bool {
	t = refsElem(t)
	if !refsTypeOK(t) || t.PtrBytes == 0 || t.Size_ < goarch.PtrSize || t.TFlag&abi.TFlagGCMaskOnDemand != 0 ||
		!heapBitsInSpan(o.size) || (val-o.data)%t.Size_ != 0 || !refsModuleType(uintptr(unsafe.Pointer(t))) {
		return o.unknown(key)
	}
	bits := o.mspan().heapBitsSmallForAddr(o.base)
	for w := uintptr(0); w < o.size/goarch.PtrSize; w++ {
		in := w % (t.Size_ / goarch.PtrSize)
		want := in < t.PtrBytes/goarch.PtrSize && *addb(t.GCData, in/8)>>(in%8)&1 != 0
		if (w+1)*goarch.PtrSize > o.size/t.Size_*t.Size_ {
			want = false
		}
		if have := bits>>w&1 != 0; have && !want {
			return o.unknown(key)
		}
	}
	key.untyped = false
	return false
}

// headerWord returns o's allocation header, or 0 if objects of its class have none.
//
//go:nowritebarrierrec
func (o *refsObject) headerWord() uintptr {
	if o.data == o.base {
		return 0
	}
	return *(*uintptr)(unsafe.Pointer(o.base))
}

// unknown makes key say of o what its allocation header tells, and reports whether
// that is the type.
//
//go:nowritebarrierrec
func (o *refsObject) unknown(key *refsKey) bool {
	key.role, key.typ, key.dyn, key.fn, key.untyped = profilerecord.RefsObject, 0, 0, 0, true
	if h := o.header(); h != nil {
		key.typ = uintptr(unsafe.Pointer(refsElem(h)))
		return true
	}
	return false
}

// untold is unknown for references that say nothing of their target, whatever it is.
//
//go:nowritebarrierrec
func (o *refsObject) untold(key *refsKey) bool {
	if o.unknown(key) {
		return true
	}
	o.check = refsCheckUntold
	return false
}

// refsWord returns the word at p, which belongs to the value that the slot is part
// of if the type is right. If it may not be, and p is on another page, which may
// not be mapped, refsWord returns 0.
//
//go:nowritebarrierrec
func refsWord(p, slot uintptr) uintptr {
	if p/minPhysPageSize != slot/minPhysPageSize && spanOfHeap(slot) != nil && spanOfHeap(p) == nil {
		return 0
	}
	return *(*uintptr)(unsafe.Pointer(p))
}
