// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Guesses: types that are inferred, and those of what references in objects of
// these types lead to.
//
// An inferred type may be wrong: an object can be taken for a struct{p *T; n
// int} that is a struct{q *U; m int}, and then the object at q is no T. So
// below such a node, an object of up to Layout.MaxHeaderless bytes with pointers
// is of the type that a reference says only if the object has its pointers
// where the type has them. If not, the object is of unknown type. Larger objects
// have their type in their header, which is no guess. A wrong type of objects
// without pointers leads no further. All bytes of the objects count as used,
// because a wrong reference would say nothing about them.

package refs

import (
	"internal/abi"
	"internal/profilerecord"
	"internal/runtime/sys"
	"unsafe"
)

// isGuessed reports whether the type of a node with the key is inferred, or
// follows from one that is.
func (ps *Paths) isGuessed(key *Key) bool {
	return key.Variant&VariantInferred != 0 || ps.At(key.Parent).guessed && key.Variant&VariantHeaded == 0
}

// confirm removes the type from key, which Resolve has filled in for a reference
// to o below a node whose type is inferred, if o has its pointers elsewhere. It
// reports whether the key is exact.
func (ps *Paths) confirm(o *Target, key *Key, exact bool) bool {
	if o.Extent.Form != ExtentDoubtful {
		o.Extent = Extent{}
	}
	if key.Type == 0 {
		return exact
	}
	if !ps.hasBits(o) {
		ps.setHeaded(o, key)
		return exact
	}
	if !ps.hasPointersOf(o, key) {
		if key.Kind == profilerecord.RefsMapTable || key.Kind == profilerecord.RefsChanBuffer {
			key.Kind = profilerecord.RefsUnknown
		}
		return ps.Unknown(o, key)
	}
	if o.Check == CheckNone {
		o.Check, o.Seen = CheckBits, uintptr(ps.Heap.PointerBits(o.Base))
	} else {
		o.Check = CheckNever
	}
	return exact
}

// setHeaded notes in key whether its type is that in the header of o.
func (ps *Paths) setHeaded(o *Target, key *Key) {
	h := ps.Header(o)
	if h == nil || key.Role != profilerecord.RefsObject || key.Type != addressOf(ps.elemOf(h)) {
		return
	}
	alone := Key{Type: key.Type}
	ps.setArray(nil, o, &alone)
	key.Variant |= VariantHeaded
	if alone.Variant == VariantArray {
		key.Variant |= VariantHeadedArray
	}
}

// hasBits reports whether o has pointers, and nothing but Heap.PointerBits says
// where they are.
func (ps *Paths) hasBits(o *Target) bool { return !o.noscan() && o.Size <= ps.Layout.MaxHeaderless }

// hasPointersOf reports whether o, which hasBits, has its pointers where objects
// of the key have them. What a channel has beside its queues is not known. All
// others may be arrays, which may end before the slot does.
func (ps *Paths) hasPointersOf(o *Target, key *Key) bool {
	bits := ps.Heap.PointerBits(o.Base)
	size := ps.elementSize(key)
	if bits == 0 || size < ptrSize || size%ptrSize != 0 || size > o.Size {
		return false
	}
	words, length := size/ptrSize, uintptr(sys.Len64(bits))
	end := (length + words - 1) / words * words
	for w := range end {
		have, want := bits>>w&1 != 0, ps.isPointer(key, w%words*ptrSize)
		if want && !have || have && !want && key.Role != profilerecord.RefsChan {
			return false
		}
	}
	return end*ptrSize <= o.Size
}

// elementSize returns the size in bytes of an element of objects of the key, or
// 0 if it is not known.
func (ps *Paths) elementSize(key *Key) uintptr {
	l := &ps.Layout
	switch key.Role {
	case profilerecord.RefsObject:
		return typeAt(key.Type).Size_
	case profilerecord.RefsMap:
		return l.MapSize
	case RoleDirectory:
		return ptrSize
	case RoleTable:
		return l.TableSize
	case RoleGroups:
		return (*abi.MapType)(unsafe.Pointer(typeAt(key.Type))).GroupSize
	case profilerecord.RefsChan:
		return l.ChanSize
	case profilerecord.RefsBuffer:
		return ps.elemSize(key.Type)
	}
	return 0
}

// isPointer reports whether an element of objects of the key has a pointer at an
// offset.
func (ps *Paths) isPointer(key *Key, off uintptr) bool {
	l := &ps.Layout
	switch key.Role {
	case profilerecord.RefsObject:
		return ps.hasPointer(typeAt(key.Type), off)
	case profilerecord.RefsMap:
		return off == l.MapDir
	case RoleTable:
		return off == l.TableGroups
	case RoleGroups:
		return ps.isPointerInGroup((*abi.MapType)(unsafe.Pointer(typeAt(key.Type))), off)
	case profilerecord.RefsChan:
		return off == l.ChanBuffer || off-l.ChanReceivers < 2*ptrSize || off-l.ChanSenders < 2*ptrSize
	case profilerecord.RefsBuffer:
		return ps.hasPointer((*abi.ChanType)(unsafe.Pointer(typeAt(key.Type))).Elem, off)
	}
	return true // of a directory
}

// isPointerInGroup is isPointer for the groups of maps of type t.
func (ps *Paths) isPointerInGroup(t *abi.MapType, off uintptr) bool {
	g := GroupsOf(t)
	if off < g.Keys {
		return false
	}
	typ, indirect := t.Key, t.IndirectKey()
	isElem, in := g.Offset(off)
	if isElem {
		typ, indirect = t.Elem, t.IndirectElem()
	}
	if indirect {
		return in == 0
	}
	return ps.hasPointer(typ, in)
}

// hasPointer reports whether values of type t have a pointer at an offset. It
// says no for types that are not in a module, because what a wrong type leads to
// may only look like a type.
func (ps *Paths) hasPointer(t *abi.Type, off uintptr) bool {
	return ps.Heap.IsType(t) && ps.Heap.IsModuleType(t) && off < t.PtrBytes && t.TFlag&abi.TFlagGCMaskOnDemand == 0 && ps.isBitSet(t, off/ptrSize)
}

// isBitSet returns a bit of the pointer mask of t, which has one. It returns
// false if t only looks like a type, and its mask cannot be read.
func (ps *Paths) isBitSet(t *abi.Type, w uintptr) bool {
	at := unsafe.Add(unsafe.Pointer(t.GCData), w/8)
	return ps.Heap.IsReadable(uintptr(at), 1) && *(*uint8)(at)>>(w%8)&1 != 0
}
