// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Types: which reference is at an offset of a value.
//
// A type that the recorder has for an object may be wrong, because memory
// changes while the recorder reads it, and because a pointer may point to
// something other than its type says. The recorder therefore checks a type
// (Heap.IsType) before it reads it.

package refs

import (
	"internal/abi"
	"internal/profilerecord"
	"internal/stringslite"
	"unsafe"
)

// A Slot is the reference at an offset of a type.
type Slot struct {
	Kind SlotKind
	Off  uintptr // offset in the value, with the indices of arrays folded to 0
	Type uintptr // *abi.Type of the elements of a slice or string, or of the target of a pointer or of SlotPool; for the other kinds, of the reference itself, or 0
}

// A SlotKind is a kind of reference.
type SlotKind uint8

const (
	SlotNone SlotKind = iota // the type has no reference there
	SlotPointer
	SlotSlice
	SlotString
	SlotMap
	SlotChan
	SlotFunc
	SlotIface     // the data word of an interface with methods
	SlotEface     // the data word of an interface without methods
	SlotIfaceType // the first word of an interface
	SlotUnsafe    // an unsafe.Pointer
	SlotPool      // a pointer of a sync.Pool to poolLocals; off is where the pool begins
)

// IsInterface reports whether k is that of an interface's data word.
func (k SlotKind) IsInterface() bool { return k == SlotIface || k == SlotEface }

// maxDepth is the greatest depth to which the fields and elements of a value
// are followed.
const maxDepth = 100

// typeAt returns the type at an address.
func typeAt(p uintptr) *abi.Type { return (*abi.Type)(unsafe.Pointer(p)) }

// addressOf is the inverse of typeAt.
func addressOf(t *abi.Type) uintptr { return uintptr(unsafe.Pointer(t)) }

// SlotAt returns the reference at offset off of a value of type t.
func (ps *Paths) SlotAt(t *abi.Type, off uintptr) Slot {
	folded := uintptr(0)
	for depth := 0; depth < maxDepth && ps.Heap.IsType(t) && off < t.Size_; depth++ {
		switch t.Kind() {
		case abi.Struct:
			st := (*abi.StructType)(unsafe.Pointer(t))
			f := ps.fieldAt(st, off)
			if f == nil {
				return Slot{}
			}
			if elem := ps.phantom(st, f); elem != nil {
				if ps.Heap.IsModuleType(t) && ps.isNamed(t, "sync", "sync.Pool", "") {
					return Slot{SlotPool, folded, addressOf(elem)}
				}
				return Slot{SlotPointer, folded + off, addressOf(elem)}
			}
			if iface := ps.phantomIface(st); iface != nil {
				return ps.slotOf(iface, off, folded)
			}
			folded += f.Offset
			off -= f.Offset
			t = f.Typ
		case abi.Array:
			t = (*abi.ArrayType)(unsafe.Pointer(t)).Elem
			if !ps.Heap.IsType(t) || t.Size_ == 0 {
				return Slot{}
			}
			off %= t.Size_
		default:
			return ps.slotOf(t, off, folded)
		}
	}
	return Slot{}
}

// slotOf is SlotAt for types other than structs and arrays. folded is the
// folded offset of the value of type t.
func (ps *Paths) slotOf(t *abi.Type, off, folded uintptr) Slot {
	s := Slot{Off: folded + off, Type: addressOf(t)}
	switch t.Kind() {
	case abi.Pointer:
		s.Kind, s.Type = SlotPointer, addressOf((*abi.PtrType)(unsafe.Pointer(t)).Elem)
	case abi.Slice:
		s.Kind, s.Type = SlotSlice, addressOf((*abi.SliceType)(unsafe.Pointer(t)).Elem)
	case abi.String:
		s.Kind, s.Type = SlotString, ps.Known.Byte
	case abi.Map:
		s.Kind = SlotMap
	case abi.Chan:
		s.Kind = SlotChan
	case abi.Func:
		s.Kind = SlotFunc
	case abi.UnsafePointer:
		s.Kind = SlotUnsafe
	case abi.Interface:
		s.Kind = SlotIfaceType
		if off == ptrSize {
			if s.Kind = SlotEface; len((*abi.InterfaceType)(unsafe.Pointer(t)).Methods) > 0 {
				s.Kind = SlotIface
			}
			return s
		}
	}
	if off != 0 || s.Kind == SlotNone {
		return Slot{}
	}
	return s
}

// fieldAt returns the last field of t that begins at or before off, or nil. If
// padding follows the field, off may be in the padding.
func (ps *Paths) fieldAt(t *abi.StructType, off uintptr) *abi.StructField {
	if len(t.Fields) > 1<<16 ||
		!ps.Heap.IsReadable(uintptr(unsafe.Pointer(unsafe.SliceData(t.Fields))), uintptr(len(t.Fields))*unsafe.Sizeof(abi.StructField{})) {
		return nil
	}
	lo, hi := 0, len(t.Fields)
	for lo+1 < hi {
		mid := int(uint(lo+hi) / 2)
		if t.Fields[mid].Offset <= off {
			lo = mid
		} else {
			hi = mid
		}
	}
	// If several fields are at one offset, all but the last have size 0.
	if lo >= len(t.Fields) || t.Fields[lo].Offset > off {
		return nil
	}
	return &t.Fields[lo]
}

// phantom returns T if field f of t is an unsafe.Pointer, and t says by a field
// of type [0]*T that f points to a T, as sync/atomic.Pointer and sync.Pool do.
// The field of type [0]*T is the first of t, or the one before f. In all other
// cases, phantom returns nil.
func (ps *Paths) phantom(t *abi.StructType, f *abi.StructField) *abi.Type {
	if !ps.Heap.IsType(f.Typ) || f.Typ.Kind() != abi.UnsafePointer || f == &t.Fields[0] {
		return nil
	}
	if elem := ps.phantomType(t.Fields[0].Typ); elem != nil {
		return elem
	}
	before := (*abi.StructField)(unsafe.Pointer(uintptr(unsafe.Pointer(f)) - unsafe.Sizeof(*f)))
	return ps.phantomType(before.Typ)
}

// phantomType returns T if t is [0]*T, or nil.
func (ps *Paths) phantomType(t *abi.Type) *abi.Type {
	if e := ps.phantomElem(t, abi.Pointer); e != nil {
		return (*abi.PtrType)(unsafe.Pointer(e)).Elem
	}
	return nil
}

// phantomIface returns the interface type I if t has three fields and says by
// the first one, of type [0]I, that it has the layout of an I, as the elements
// of sync.Pool's queues do. It returns nil for other types.
func (ps *Paths) phantomIface(t *abi.StructType) *abi.Type {
	if len(t.Fields) != 3 {
		return nil
	}
	return ps.phantomElem(t.Fields[0].Typ, abi.Interface)
}

// phantomElem returns E if t is [0]E and E is of a kind, or nil.
func (ps *Paths) phantomElem(t *abi.Type, kind abi.Kind) *abi.Type {
	if !ps.Heap.IsType(t) || t.Kind() != abi.Array {
		return nil
	}
	a := (*abi.ArrayType)(unsafe.Pointer(t))
	if a.Len != 0 || !ps.Heap.IsType(a.Elem) || a.Elem.Kind() != kind {
		return nil
	}
	return a.Elem
}

// IsOneReference reports whether a variable of type t, which has pointers, is
// itself one reference, and not a value that has references. It returns false
// if t is nil.
func (ps *Paths) IsOneReference(t *abi.Type) bool {
	if t == nil {
		return false
	}
	if t.Kind() == abi.Struct {
		st := (*abi.StructType)(unsafe.Pointer(t))
		n := len(st.Fields)
		return n > 0 && ps.phantom(st, &st.Fields[n-1]) != nil && st.Fields[n-1].Offset == 0
	}
	return t.Kind() != abi.Array
}

// IsContext reports whether the type at an address is a defined type of package
// context that is not an interface, as the types of its contexts are.
//
//go:nowritebarrierrec
func (ps *Paths) IsContext(typ uintptr) bool {
	t := typeAt(typ)
	return t != nil && t.Kind() != abi.Interface && t.TFlag&(abi.TFlagNamed|abi.TFlagUncommon) == abi.TFlagNamed|abi.TFlagUncommon &&
		ps.Heap.IsModuleType(t) && ps.Heap.PkgPath(t) == "context"
}

// IsGMP reports whether the type at an address is that of Gs, Ms or Ps.
//
//go:nowritebarrierrec
func (ps *Paths) IsGMP(typ uintptr) bool {
	k := &ps.Known
	return typ != 0 && (typ == k.G || typ == k.M || typ == k.PaddedM || typ == k.P)
}

// elem returns the innermost type of elements if t is an array or an array of
// arrays. It returns t if t is not an array, or is an array without elements.
func (ps *Paths) elem(t *abi.Type) *abi.Type {
	if !ps.Heap.IsType(t) {
		return t
	}
	return ps.elemOf(t)
}

// elemOf is elem for a type that IsType has checked.
func (ps *Paths) elemOf(t *abi.Type) *abi.Type {
	for depth := 0; t.Kind() == abi.Array && depth < maxDepth; depth++ {
		a := (*abi.ArrayType)(unsafe.Pointer(t))
		if a.Len == 0 || !ps.Heap.IsType(a.Elem) {
			break
		}
		t = a.Elem
	}
	return t
}

// Element is elem for the type at an address.
//
//go:nowritebarrierrec
func (ps *Paths) Element(t *abi.Type) uintptr { return addressOf(ps.elem(t)) }

// isShapeOf reports whether shape is a type that generic code uses in place of
// several types, and t may be one of them. Generic code allocates objects with
// such types.
func (ps *Paths) isShapeOf(shape, t *abi.Type) bool {
	return ps.Heap.IsType(t) && shape.Size_ == t.Size_ && shape.PtrBytes == t.PtrBytes && shape.Kind() == t.Kind() &&
		ps.hasShapeName(shape) && !ps.hasShapeName(t)
}

// hasShapeName reports whether t is in a module and its name contains that of a
// shape.
func (ps *Paths) hasShapeName(t *abi.Type) bool {
	return ps.Heap.IsModuleType(t) && stringslite.Index(ps.Heap.Name(t), "go.shape.") >= 0
}

// isNamed reports whether t, which is in a module, is one of two defined types
// of the package at a path.
func (ps *Paths) isNamed(t *abi.Type, path, name, other string) bool {
	if t.TFlag&abi.TFlagNamed == 0 {
		return false
	}
	n := ps.Heap.Name(t)
	return (n == name || n == other) && ps.Heap.PkgPath(t) == path
}

// strideOf returns the stride, in bytes, of objects or of the variable of a
// node with the key. Offsets in them that differ by a multiple of the stride
// fold: they count as one offset. The stride is 0 if offsets do not fold. It is
// 1 if the type that it depends on is not known or has size 0. All words of the
// objects then count as one reference.
func (ps *Paths) strideOf(k *Key) uintptr {
	t := typeAt(k.Type)
	switch k.Role {
	case RoleGroups:
		return (*abi.MapType)(unsafe.Pointer(t)).GroupSize
	case RoleDirectory:
		return ptrSize
	case profilerecord.RefsBuffer:
		t = (*abi.ChanType)(unsafe.Pointer(t)).Elem
	case profilerecord.RefsObject, profilerecord.RefsVariable:
	default:
		return 0
	}
	if t = ps.elem(t); !ps.Heap.IsType(t) || t.Size_ == 0 {
		return 1
	}
	return t.Size_
}
