// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file makes copies of type descriptors in this process, which the rules of
// a recording read (internal/runtime/refs).
//
// A copy refers to copies. Names and methods are not copied, and Hash is the
// index of the Type. The copies of all types to which a type leads are made with
// its own, so that reading them needs no check.

package core

import (
	"internal/abi"
	"unsafe"
)

// native returns the copy of t, or nil if t is nil.
func (t *Type) native() *abi.Type {
	if t == nil {
		return nil
	}
	return t.copied
}

// addressOf returns the address of a copy, as keys of nodes have it, or 0.
func addressOf(t *abi.Type) uintptr { return uintptr(unsafe.Pointer(t)) }

// ofNative returns the type of which t is the copy.
func (p *process) ofNative(t *abi.Type) *Type { return p.copies[t.Hash] }

// typeOfKey returns the type of which the copy is at an address, as keys of
// nodes have it. It returns nil if the address is 0.
func (p *process) typeOfKey(at uintptr) *Type { return p.copyAt[at] }

// newCopy makes the copy of t, which does not refer to others yet.
func (p *process) newCopy(t *Type) {
	switch t.kind {
	case abi.Pointer:
		t.copied = &new(abi.PtrType).Type
	case abi.Slice:
		t.copied = &new(abi.SliceType).Type
	case abi.Array:
		t.copied = &new(abi.ArrayType).Type
	case abi.Chan:
		t.copied = &new(abi.ChanType).Type
	case abi.Map:
		t.copied = &new(abi.MapType).Type
	case abi.Struct:
		t.copied = &new(abi.StructType).Type
	case abi.Interface:
		t.copied = &new(abi.InterfaceType).Type
	default:
		t.copied = new(abi.Type)
	}
	*t.copied = abi.Type{Size_: uintptr(t.size), PtrBytes: uintptr(t.ptrBytes), TFlag: t.flags, Kind_: t.kind, Hash: uint32(len(p.copies))}
	p.copies = append(p.copies, t)
	p.copyAt[addressOf(t.copied)] = t
}

// fillCopy makes the copy of t refer to other copies.
func (t *Type) fillCopy() {
	c := unsafe.Pointer(t.copied)
	switch t.kind {
	case abi.Pointer:
		(*abi.PtrType)(c).Elem = t.elemType().native()
	case abi.Slice:
		(*abi.SliceType)(c).Elem = t.elemType().native()
	case abi.Array:
		a := (*abi.ArrayType)(c)
		a.Elem, a.Len = t.elemType().native(), uintptr(t.arrayLen())
	case abi.Chan:
		(*abi.ChanType)(c).Elem = t.elemType().native()
	case abi.Map:
		t.fillMap((*abi.MapType)(c))
	case abi.Struct:
		s := (*abi.StructType)(c)
		s.Fields = make([]abi.StructField, len(t.structFields()))
		for i, f := range t.structFields() {
			s.Fields[i] = abi.StructField{Typ: f.typ.native(), Offset: uintptr(f.off)}
		}
	case abi.Interface:
		(*abi.InterfaceType)(c).Methods = make([]abi.Imethod, min(t.p.word(t.addr+typeMethods+wordSize), 1)) // only whether there are methods matters
	}
	if t.ptrBytes == 0 || t.flags&abi.TFlagGCMaskOnDemand != 0 {
		return
	}
	if mask := t.mask(); len(mask) > 0 {
		t.copied.GCData = &mask[0]
	} else {
		t.copied.TFlag |= abi.TFlagGCMaskOnDemand // there is no mask to read
	}
}

// fillMap fills in m, the copy of t.
func (t *Type) fillMap(m *abi.MapType) {
	m.Key, m.Elem = t.keyType().native(), t.elemType().native()
	from, to := unsafe.Offsetof(m.GroupSize), unsafe.Sizeof(*m)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(m)), to)[from:], t.p.bytes(t.addr+uint64(from), uint64(to-from)))
}
