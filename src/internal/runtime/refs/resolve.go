// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Resolving a reference: the recorder finds the key of the target's node from
// the reference, the object that it reaches, and the type of the object or
// variable that holds the reference.
//
// A key is exact if the type of the target is known: from the static type of
// the reference, if the object can be of this type; from the words of an
// interface, a closure or a map iterator; or from the object's allocation
// header, unless the reference is a pointer or a slice of another static type.
// The key is not exact if the recorder knows that the word may be no pointer,
// or if the type word of an interface may be out of date. Nor is it exact if an
// object or a variable refers to a defer record: the record belongs to the
// frame that made it, so this reference should not be the first to claim it.
// References whose keys are not exact are followed after the others. If only
// the static type of such a reference suggests a type, the key has this type
// only if the object has no pointers where the type has none.

package refs

import (
	"internal/abi"
	"internal/profilerecord"
	"unsafe"
)

// Resolve fills in key for the reference e to object o, and reports whether the
// key is exact.
//
//go:nowritebarrierrec
func (ps *Paths) Resolve(e *Edge, o *Target, key *Key) bool {
	exact := ps.resolve(e, o, key)
	if ps.At(e.From).guessed {
		exact = ps.confirm(o, key, exact)
	}
	if o.Check == CheckTypeless {
		o.Stride = ps.evidence.in
	}
	if !exact && ps.evidence.in != 0 {
		return ps.infer(o, key)
	}
	return exact
}

// resolve is Resolve without what is inferred.
func (ps *Paths) resolve(e *Edge, o *Target, key *Key) bool {
	o.Check, o.Seen, o.Extent = CheckNone, 0, Extent{}
	from := ps.At(e.From)
	*key = Key{Parent: e.From, Kind: profilerecord.RefsField, Place: e.Off}
	if e.From&Lost != 0 {
		return ps.Unknown(o, key)
	}
	t := typeAt(from.Type)
	switch from.Role {
	case profilerecord.RefsObject:
		if t == nil {
			key.Kind = profilerecord.RefsUnknown
			exact := ps.typeless(o, key)
			if from.Kind == profilerecord.RefsLocal || from.Kind == profilerecord.RefsSlot {
				return o.orDoubtful(exact) // as if the frame had the word: it may be a sudog's
			}
			return exact
		}
		t = ps.elem(t)
	case profilerecord.RefsVariable:
		if t = ps.elem(t); t != nil && addressOf(t) == ps.Known.Iter {
			return ps.mapIterator(e, o, key)
		}
	case RoleDirect:
		key.Parent, key.Kind, key.Place = 0, from.Kind, from.Place
	case profilerecord.RefsMap, RoleDirectory, RoleTable:
		return ps.mapStorage(e, from, o, key)
	case RoleGroups:
		key.Parent = from.Parent
		return ps.mapGroup(e, (*abi.MapType)(unsafe.Pointer(t)), o, key)
	case profilerecord.RefsChan:
		return ps.chanStorage(e, from, o, key)
	case profilerecord.RefsBuffer:
		key.Parent, key.Kind = from.Parent, profilerecord.RefsChanElem
		t = (*abi.ChanType)(unsafe.Pointer(t)).Elem
	case profilerecord.RefsClosure:
		return ps.captured(e, from.Func, o, key)
	default:
		key.Kind = profilerecord.RefsUnknown
		return ps.Unknown(o, key)
	}
	s := ps.SlotAt(t, e.Off)
	if from.Role != RoleDirect {
		key.Place = s.Off
	}
	ps.foldPool(from, &s, key)
	exact := ps.target(e, s, o, key)
	if from.Type != 0 && from.Type == ps.Known.Sudog { // it has its channel as an unsafe.Pointer
		return o.orDoubtful(exact)
	}
	return exact
}

// target fills in the fields of key that describe o, the target of the
// reference e, and reports whether the key is exact. s says which kind of
// reference e is, and of which type.
func (ps *Paths) target(e *Edge, s Slot, o *Target, key *Key) bool {
	switch s.Kind {
	case SlotIface, SlotEface:
		word := ps.Heap.Word(e.Slot-ptrSize, e.Slot)
		o.Check, o.Seen = CheckIface, word
		return ps.dynamic(e, ps.DynamicType(s.Kind, word), o, key)
	case SlotPointer:
		exact := ps.Pointee(typeAt(s.Type), e.Val, o, key)
		if s.Type != 0 && s.Type == ps.Known.Defer { // the stack reaches each record, which then belongs to the frame that made it
			o.Check, o.Extent = CheckTypeless, Extent{}
			return false
		}
		return exact
	case SlotPool:
		ps.Pool.Store(s.Type)
		exact := ps.Pointee(typeAt(s.Type), e.Val, o, key)
		o.Extent, key.Variant = Extent{}, 0 // an array with an element for each P
		return exact
	case SlotSlice:
		return ps.array(e, typeAt(s.Type), o, key)
	case SlotString:
		key.Type, o.Extent = s.Type, Extent{ExtentMany, 1}
		return o.noscan() || ps.within(o, key)
	case SlotMap:
		if e.Val != o.Data || o.Data != o.Base || !ps.fits(o, ps.Layout.MapSize) || !ps.isKind(s.Type, abi.Map) {
			return ps.Unknown(o, key)
		}
		key.Role, key.Type, o.Extent = profilerecord.RefsMap, s.Type, Extent{ExtentOne, ps.Layout.MapSize}
		return true
	case SlotChan:
		if e.Val != o.Data || o.Size < ps.Layout.ChanSize || !ps.isKind(s.Type, abi.Chan) {
			return ps.Unknown(o, key)
		}
		key.Role, key.Type, o.Extent = profilerecord.RefsChan, s.Type, Extent{ExtentOne, ps.Layout.ChanSize}
		if o.noscan() {
			o.Extent = Extent{ExtentChan, ps.elemSize(s.Type)}
		}
		return true
	case SlotFunc:
		return ps.Closure(e, o, key)
	case SlotIfaceType:
		key.Role = profilerecord.RefsType
		return true
	case SlotUnsafe:
		return ps.typeless(o, key)
	}
	return ps.Unknown(o, key)
}

// isKind reports whether the type at an address is of a kind. In a damaged core
// file, the entry of a map or a channel can have any type.
func (ps *Paths) isKind(typ uintptr, kind abi.Kind) bool {
	t := typeAt(typ)
	return ps.Heap.IsType(t) && t.Kind() == kind
}

// DynamicType returns the type of the value in an interface of a kind, or nil
// if the type is not known. The parameter word is the first word of the
// interface.
func (ps *Paths) DynamicType(kind SlotKind, word uintptr) *abi.Type {
	if kind == SlotIface {
		return ps.Heap.ItabTypeIn(word)
	}
	return ps.Heap.TypeIn(word)
}

// dynamic is target for interfaces that have a value of type d.
func (ps *Paths) dynamic(e *Edge, d *abi.Type, o *Target, key *Key) bool {
	if d == nil {
		return ps.Unknown(o, key)
	}
	key.Dynamic = addressOf(d)
	if !d.IsDirectIface() {
		return ps.Pointee(d, e.Val, o, key)
	}
	return ps.target(e, ps.SlotAt(d, 0), o, key)
}

// array is target for slices with elements of type t.
func (ps *Paths) array(e *Edge, t *abi.Type, o *Target, key *Key) bool {
	if !ps.Heap.IsType(t) {
		return ps.Unknown(o, key)
	}
	key.Type, o.Extent = addressOf(ps.elemOf(t)), Extent{ExtentMany, t.Size_}
	if o.noscan() {
		return t.PtrBytes == 0 || ps.Unknown(o, key)
	}
	if h := ps.Header(o); h != nil {
		return ps.headed(h, t, e.Val, o, key)
	}
	n := ps.Heap.Word(e.Slot+2*ptrSize, e.Slot) * t.Size_
	o.Check, o.Stride, o.Seen = CheckSlice, uint32(t.Size_), 0
	if ps.fits(o, n) {
		o.Seen = 1
	}
	n += e.Val - o.Data
	if t.PtrBytes != 0 && ps.fits(o, n) && (e.Val-o.Data)%t.Size_ == 0 {
		return true
	}
	return ps.guess(t, e.Val, o, key)
}

// Closure is target for func values.
//
//go:nowritebarrierrec
func (ps *Paths) Closure(e *Edge, o *Target, key *Key) bool {
	pc := ps.Heap.Word(o.Data, o.Data)
	if e.Val != o.Data || !ps.Heap.IsEntry(pc) {
		return ps.Unknown(o, key)
	}
	o.Check, o.Seen = CheckFunc, pc
	if key.Dynamic != 0 {
		o.Check = CheckNever // the key depends on the interface's type, too
	}
	key.Role, key.Func = profilerecord.RefsClosure, pc
	return true
}

// Pointee is target for pointers to type t. val is the pointer.
//
//go:nowritebarrierrec
func (ps *Paths) Pointee(t *abi.Type, val uintptr, o *Target, key *Key) bool {
	if !ps.Heap.IsType(t) {
		return ps.Unknown(o, key)
	}
	key.Type, o.Extent = addressOf(ps.elemOf(t)), Extent{ExtentOne, t.Size_}
	if h := ps.Header(o); h != nil {
		exact := ps.headed(h, t, val, o, key)
		ps.setArray(t, o, key)
		return exact
	}
	if enclosing := ps.enclosing(t, val, o); enclosing != nil && val == o.Data && ps.fits(o, enclosing.Size_) && o.noscan() == (enclosing.PtrBytes == 0) {
		key.Type, o.Extent = addressOf(enclosing), Extent{ExtentOne, enclosing.Size_}
		return true
	}
	switch {
	case o.noscan() && t.PtrBytes != 0:
		return ps.Unknown(o, key)
	case o.noscan() != (t.PtrBytes == 0):
		return ps.within(o, key)
	}
	if val == o.Data && ps.fits(o, t.Size_) || ps.isTiny(o) && t.Size_ < ps.Layout.TinySize {
		return true
	}
	exact := ps.guess(t, val, o, key)
	ps.setArray(t, o, key)
	return exact
}

// setArray makes key say that o is an array, if it has room for two or more
// values of the type in key, and is too large for one. t is the type that the
// reference gives, or nil.
func (ps *Paths) setArray(t *abi.Type, o *Target, key *Key) {
	one := typeAt(key.Type)
	if one == nil {
		return
	}
	if t != nil && ps.elemOf(t) == one {
		one = t
	}
	if 2*one.Size_ <= o.Size-(o.Data-o.Base) && !ps.fits(o, one.Size_) {
		key.Variant = VariantArray
	}
}

// isTiny reports whether o may be a block of tiny objects.
func (ps *Paths) isTiny(o *Target) bool {
	return o.noscan() && o.Class>>1 != 0 && o.Size == ps.Layout.TinySize
}

// enclosing returns the type of the objects to which a pointer to t leads, if
// they are known to be of a larger type that begins with t. Otherwise it
// returns nil.
func (ps *Paths) enclosing(t *abi.Type, val uintptr, o *Target) *abi.Type {
	if t.Kind() != abi.Struct {
		return nil
	}
	switch st := (*abi.StructType)(unsafe.Pointer(t)); len(st.Fields) {
	case 2:
		if ps.Heap.IsModuleType(t) && ps.isNamed(t, "time", "time.Timer", "time.Ticker") {
			return typeAt(ps.Known.TimeTimer)
		}
	case 3:
		if ps.Heap.IsModuleType(t) {
			return ps.variant(st, val, o)
		}
	}
	return nil
}

// variant returns the type of the object that begins with a t, if t is of this
// form: two fields of types [0]*T and [0]*U, followed by a byte that is 0 if
// the type is T, and 1 if it is U. The nodes of internal/sync.HashTrieMap are
// such objects. variant returns nil for other types, and for other values of
// the byte.
func (ps *Paths) variant(t *abi.StructType, val uintptr, o *Target) *abi.Type {
	if t.Fields[2].Typ.Size_ != 1 {
		return nil
	}
	i := ps.Heap.Byte(val)
	if i > 1 {
		return nil
	}
	typ := ps.phantomType(t.Fields[i].Typ)
	if typ != nil {
		o.Check = CheckNever // the key depends on the byte
	}
	return typ
}

// headed sets the type in key to h, the type in the header of o. If generic
// code has allocated o, h may be a shape of t (see isShapeOf); headed then sets
// the type to t. It reports whether the type is t and val points to the
// beginning of an element of o.
func (ps *Paths) headed(h, t *abi.Type, val uintptr, o *Target, key *Key) bool {
	h, t = ps.elemOf(h), ps.elemOf(t)
	if h != t && ps.isShapeOf(h, t) {
		h = t
	}
	key.Type = addressOf(h)
	return h == t && h.Size_ != 0 && (val-o.Data)%h.Size_ == 0 // the type of an array's elements may be mistaken
}

// guess removes the type t from key unless it finds that o has pointers only
// where an array of t has pointers. It always returns false, because the key is
// not exact.
func (ps *Paths) guess(t *abi.Type, val uintptr, o *Target, key *Key) bool {
	t = ps.elemOf(t)
	if t.PtrBytes == 0 || t.Size_ < ptrSize || t.TFlag&abi.TFlagGCMaskOnDemand != 0 ||
		o.Size > ps.Layout.MaxHeaderless || (val-o.Data)%t.Size_ != 0 || !ps.Heap.IsModuleType(t) {
		return ps.within(o, key)
	}
	bits := ps.Heap.PointerBits(o.Base)
	for w := uintptr(0); w < o.Size/ptrSize; w++ {
		in := w % (t.Size_ / ptrSize)
		want := in < t.PtrBytes/ptrSize && ps.isBitSet(t, in)
		if (w+1)*ptrSize > o.Size/t.Size_*t.Size_ {
			want = false
		}
		if have := bits>>w&1 != 0; have && !want {
			return ps.within(o, key)
		}
	}
	key.Untyped = false
	return false
}

// Unknown makes key say that o has the type that Header returns, and reports
// whether there is one. If there is none, key has no type.
//
//go:nowritebarrierrec
func (ps *Paths) Unknown(o *Target, key *Key) bool {
	key.Role, key.Type, key.Dynamic, key.Func, key.Arg, key.Untyped = profilerecord.RefsObject, 0, 0, 0, 0, true
	o.Extent, key.Variant = Extent{}, 0
	if h := ps.Header(o); h != nil {
		key.Type = addressOf(ps.elemOf(h))
		ps.setArray(nil, o, key)
		return true
	}
	return false
}

// within is Unknown for a reference whose type says what it refers to, but not
// what the whole object is, such as a pointer to an element.
func (ps *Paths) within(o *Target, key *Key) bool {
	x := o.Extent
	known := ps.Unknown(o, key)
	o.Extent = x
	return known
}

// typeless does what Unknown does, but for references that never say anything
// about their targets, such as an unsafe.Pointer. The results may be kept.
func (ps *Paths) typeless(o *Target, key *Key) bool {
	if ps.Unknown(o, key) {
		return true
	}
	o.Check = CheckTypeless
	return false
}
