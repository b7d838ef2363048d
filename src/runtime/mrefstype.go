// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Types: which reference is at an offset of a value.
//
// A type that the recorder has for an object may be wrong, because memory
// changes while the recorder reads it, and because a pointer may point to
// something other than its type says. The recorder therefore checks a type's
// address before it reads the type. The address must be in a module's types, or
// in an object of the heap, where package reflect makes types.

package runtime

import (
	"internal/abi"
	"internal/goarch"
	"internal/stringslite"
	"unsafe"
)

// refsSlot is the reference at an offset of a type.
type refsSlot struct {
	kind refsSlotKind
	off  uintptr // offset in the value, with the indices of arrays folded to 0
	typ  *_type  // type of the elements of a slice or string, or of the target of a pointer or of refsSlotPool; for the other kinds, the type of the reference itself, or nil
}

// A refsSlotKind is a kind of reference.
type refsSlotKind uint8

const (
	refsSlotNone refsSlotKind = iota // the type has no reference there
	refsSlotPointer
	refsSlotSlice
	refsSlotString
	refsSlotMap
	refsSlotChan
	refsSlotFunc
	refsSlotIface     // the data word of an interface
	refsSlotIfaceType // the first word of an interface
	refsSlotUnsafe    // an unsafe.Pointer
	refsSlotPool      // a pointer of a sync.Pool to poolLocals; off is where the pool begins
)

// refsSlotAt returns the reference at offset off of a value of type t.
//
//go:nowritebarrierrec
func refsSlotAt(t *_type, off uintptr) refsSlot {
	folded := uintptr(0)
	for depth := 0; depth < 100 && refsTypeOK(t) && off < t.Size_; depth++ {
		switch t.Kind() {
		case abi.Struct:
			f := refsFieldAt((*structtype)(unsafe.Pointer(t)), off)
			if f == nil {
				return refsSlot{}
			}
			if elem := refsPhantom((*structtype)(unsafe.Pointer(t)), f); elem != nil {
				if refsIsPool(t) {
					return refsSlot{refsSlotPool, folded, elem}
				}
				return refsSlot{refsSlotPointer, folded + off, elem}
			}
			if iface := refsPhantomIface((*structtype)(unsafe.Pointer(t))); iface != nil {
				return refsSlotOf(iface, off, folded)
			}
			folded += f.Offset
			off -= f.Offset
			t = f.Typ
		case abi.Array:
			t = (*arraytype)(unsafe.Pointer(t)).Elem
			if !refsTypeOK(t) || t.Size_ == 0 {
				return refsSlot{}
			}
			off %= t.Size_
		default:
			return refsSlotOf(t, off, folded)
		}
	}
	return refsSlot{}
}

// refsSlotOf is refsSlotAt for types other than structs and arrays. folded is
// the folded offset of the value of type t.
//
//go:nowritebarrierrec
func refsSlotOf(t *_type, off, folded uintptr) refsSlot {
	s := refsSlot{off: folded + off, typ: t}
	switch t.Kind() {
	case abi.Pointer:
		s.kind, s.typ = refsSlotPointer, (*ptrtype)(unsafe.Pointer(t)).Elem
	case abi.Slice:
		s.kind, s.typ = refsSlotSlice, (*slicetype)(unsafe.Pointer(t)).Elem
	case abi.String:
		s.kind, s.typ = refsSlotString, refsByteType()
	case abi.Map:
		s.kind = refsSlotMap
	case abi.Chan:
		s.kind = refsSlotChan
	case abi.Func:
		s.kind = refsSlotFunc
	case abi.UnsafePointer:
		s.kind = refsSlotUnsafe
	case abi.Interface:
		s.kind = refsSlotIfaceType
		if off == goarch.PtrSize {
			s.kind = refsSlotIface
			return s
		}
	}
	if off != 0 || s.kind == refsSlotNone {
		return refsSlot{}
	}
	return s
}

// refsFieldAt returns the last field of t that begins at or before off, or nil.
// If padding follows the field, off may be in the padding.
//
//go:nowritebarrierrec
func refsFieldAt(t *structtype, off uintptr) *abi.StructField {
	if len(t.Fields) > 1<<16 ||
		!isReadable(unsafe.Pointer(unsafe.SliceData(t.Fields)), uintptr(len(t.Fields))*unsafe.Sizeof(abi.StructField{})) {
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

// refsDirect returns the reference in a pointer-shaped value of type t.
//
//go:nowritebarrierrec
func refsDirect(t *_type) refsSlot {
	return refsSlotAt(t, 0)
}

// refsIsOneReference reports whether a variable of type t, which has pointers,
// is itself one reference, and not a value that has references. It returns
// false if t is nil.
//
//go:nowritebarrierrec
func refsIsOneReference(t *_type) bool {
	if t == nil {
		return false
	}
	if t.Kind() == abi.Struct {
		st := (*structtype)(unsafe.Pointer(t))
		n := len(st.Fields)
		return n > 0 && refsPhantom(st, &st.Fields[n-1]) != nil && st.Fields[n-1].Offset == 0
	}
	return t.Kind() != abi.Array
}

// refsElem returns the innermost type of elements if t is an array or an array
// of arrays. It returns t if t is not an array, or is an array without
// elements.
//
//go:nowritebarrierrec
func refsElem(t *_type) *_type {
	for refsTypeOK(t) && t.Kind() == abi.Array && (*arraytype)(unsafe.Pointer(t)).Len != 0 {
		elem := (*arraytype)(unsafe.Pointer(t)).Elem
		if !refsTypeOK(elem) {
			break
		}
		t = elem
	}
	return t
}

// refsIsShapeOf reports whether shape is a type that generic code uses in place
// of several types, and t may be one of them. Generic code allocates objects
// with such types.
//
//go:nowritebarrierrec
func refsIsShapeOf(shape, t *_type) bool {
	return refsTypeOK(t) && shape.Size_ == t.Size_ && shape.PtrBytes == t.PtrBytes && shape.Kind() == t.Kind() &&
		refsHasShapeName(shape) && !refsHasShapeName(t)
}

// refsHasShapeName reports whether t is in a module and its name contains that
// of a shape.
//
//go:nowritebarrierrec
func refsHasShapeName(t *_type) bool {
	return refsModuleType(uintptr(unsafe.Pointer(t))) && stringslite.Index(toRType(t).string(), "go.shape.") >= 0
}

// refsPhantom returns T if field f of t is an unsafe.Pointer, and t says by a
// field of type [0]*T that f points to a T, as sync/atomic.Pointer and
// sync.Pool do. The field of type [0]*T is the first of t, or the one before f.
// In all other cases, refsPhantom returns nil.
//
//go:nowritebarrierrec
func refsPhantom(t *structtype, f *abi.StructField) *_type {
	if !refsTypeOK(f.Typ) || f.Typ.Kind() != abi.UnsafePointer || f == &t.Fields[0] {
		return nil
	}
	if elem := refsPhantomType(t.Fields[0].Typ); elem != nil {
		return elem
	}
	before := (*abi.StructField)(unsafe.Pointer(uintptr(unsafe.Pointer(f)) - unsafe.Sizeof(*f)))
	return refsPhantomType(before.Typ)
}

// refsPhantomType returns T if t is [0]*T, or nil.
//
//go:nowritebarrierrec
func refsPhantomType(t *_type) *_type {
	if !refsTypeOK(t) || t.Kind() != abi.Array {
		return nil
	}
	a := (*arraytype)(unsafe.Pointer(t))
	if a.Len != 0 || !refsTypeOK(a.Elem) || a.Elem.Kind() != abi.Pointer {
		return nil
	}
	return (*ptrtype)(unsafe.Pointer(a.Elem)).Elem
}

// refsPhantomIface returns the interface type I if t has three fields and says
// by the first one, of type [0]I, that it has the layout of an I, as the
// elements of sync.Pool's queues do. It returns nil for other types.
//
//go:nowritebarrierrec
func refsPhantomIface(t *structtype) *_type {
	if len(t.Fields) != 3 {
		return nil
	}
	first := t.Fields[0].Typ
	if !refsTypeOK(first) || first.Kind() != abi.Array {
		return nil
	}
	a := (*arraytype)(unsafe.Pointer(first))
	if a.Len != 0 || !refsTypeOK(a.Elem) || a.Elem.Kind() != abi.Interface {
		return nil
	}
	return a.Elem
}

// refsIsPool reports whether t is sync.Pool.
//
//go:nowritebarrierrec
func refsIsPool(t *_type) bool {
	return t.TFlag&abi.TFlagNamed != 0 && refsModuleType(uintptr(unsafe.Pointer(t))) && toRType(t).string() == "sync.Pool"
}

// refsTypeOK reports whether t may be read as a type.
//
//go:nowritebarrierrec
func refsTypeOK(t *_type) bool {
	p := uintptr(unsafe.Pointer(t))
	return p != 0 && p%goarch.PtrSize == 0 && (refsModuleType(p) || refsHeapTypeOK(t))
}

// refsModuleType reports whether the aligned address p is among the type
// descriptors of a module, and the memory there could be a descriptor. Names
// lie among the descriptors, so the address alone does not decide.
//
//go:nowritebarrierrec
func refsModuleType(p uintptr) bool {
	for md := &firstmoduledata; md != nil; md = md.next {
		if p >= md.types && p+unsafe.Sizeof(_type{}) <= md.etypes {
			return refsSaneType((*_type)(unsafe.Pointer(p)))
		}
	}
	return false
}

// refsSaneType reports whether the kind and sizes of t could be those of a
// type.
//
//go:nowritebarrierrec
func refsSaneType(t *_type) bool {
	return t.Kind() != 0 && t.Kind() <= abi.UnsafePointer && t.PtrBytes <= t.Size_ && t.Size_ < maxAlloc
}

// refsItabOK reports whether p may be read as an itab: it is in a module's
// itabs, or in memory in which the runtime makes itabs.
//
//go:nowritebarrierrec
func refsItabOK(p uintptr) bool {
	if p%goarch.PtrSize != 0 {
		return false
	}
	for md := &firstmoduledata; md != nil; md = md.next {
		if itabs := md.types + md.itaboffset; p >= itabs && p < itabs+md.itabsize {
			return true
		}
	}
	return inPersistentAlloc(p) && inPersistentAlloc(p+unsafe.Sizeof(itab{})-1)
}

// refsHeapTypeOK reports whether t may be a type that package reflect has made.
//
//go:nowritebarrierrec
func refsHeapTypeOK(t *_type) bool {
	if !isReadable(unsafe.Pointer(t), unsafe.Sizeof(*t)) {
		return false
	}
	p := uintptr(unsafe.Pointer(t))
	s := spanOfHeap(p)
	return s != nil && !s.spanclass.noscan() && refsSaneType(t) && isReadable(unsafe.Pointer(t), refsTypeSize(t.Kind()))
}

// refsTypeSize returns the size in bytes of the descriptors of types of a kind.
func refsTypeSize(k abi.Kind) uintptr {
	switch k {
	case abi.Pointer:
		return unsafe.Sizeof(ptrtype{})
	case abi.Slice:
		return unsafe.Sizeof(slicetype{})
	case abi.Array:
		return unsafe.Sizeof(arraytype{})
	case abi.Chan:
		return unsafe.Sizeof(chantype{})
	case abi.Struct:
		return unsafe.Sizeof(structtype{})
	case abi.Map:
		return unsafe.Sizeof(abi.MapType{})
	case abi.Interface:
		return unsafe.Sizeof(interfacetype{})
	case abi.Func:
		return unsafe.Sizeof(functype{})
	}
	return unsafe.Sizeof(_type{})
}

// refsByteType returns the type of the bytes of strings.
func refsByteType() *_type {
	return refsTypeOf(uint8(0))
}

// refsPointee returns the type that v, a nil pointer, points to.
func refsPointee(v any) *_type {
	return (*ptrtype)(unsafe.Pointer(refsTypeOf(v))).Elem
}

// refsTypeOf returns the dynamic type of v. v must be a constant or a nil
// pointer, so that its conversion to an interface allocates nothing.
func refsTypeOf(v any) *_type {
	return efaceOf(&v)._type
}

// refsTimeTimer returns the type of the objects in which package time has its
// timers.
func refsTimeTimer() *_type {
	return refsPointee((*timeTimer)(nil))
}

// refsIsContext reports whether the type at p is a named type of package
// context that is not an interface, as the types of its contexts are.
//
//go:nowritebarrierrec
func refsIsContext(p uintptr) bool {
	t := (*_type)(unsafe.Pointer(p))
	if t == nil || t.Kind() == abi.Interface || t.TFlag&(abi.TFlagNamed|abi.TFlagUncommon) != abi.TFlagNamed|abi.TFlagUncommon || !refsModuleType(p) {
		return false
	}
	return toRType(t).nameOff(t.Uncommon().PkgPath).Name() == "context"
}

// refsWord returns the word at p. If the recorder has the right type, the words
// at p and slot belong to the same value. If not, p may be on another page,
// which may not be mapped. refsWord therefore returns 0 if slot is in the heap,
// and p is on another page and not in the heap.
//
//go:nowritebarrierrec
func refsWord(p, slot uintptr) uintptr {
	if p/minPhysPageSize != slot/minPhysPageSize && spanOfHeap(slot) != nil && spanOfHeap(p) == nil {
		return 0
	}
	return *(*uintptr)(unsafe.Pointer(p))
}
