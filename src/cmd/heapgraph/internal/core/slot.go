// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds the reference at an offset of a type, as the recorder does
// (runtime/mrefstype.go).

package core

import (
	"internal/abi"
	"sort"
)

// A slot is the reference at an offset of a type.
type slot struct {
	kind    slotKind
	methods bool   // for slotIface: the interface has methods
	off     uint64 // offset in the value, with the indices of arrays folded to 0
	typ     *Type  // type of a pointer's target, or type of the elements of a slice or string; for other kinds, the type of the reference itself
}

type slotKind uint8

const (
	slotNone slotKind = iota
	slotPointer
	slotSlice
	slotString
	slotMap
	slotChan
	slotFunc
	slotIface     // the data word of an interface
	slotIfaceType // the first word of an interface
	slotUnsafe
	slotPool // a pointer of a sync.Pool to poolLocals; off is where the pool begins
)

// slotAt returns the reference at an offset of a value of type t, or a slot of
// kind slotNone.
func (t *Type) slotAt(off uint64) slot {
	folded := uint64(0)
	for depth := 0; depth < maxTypeDepth && t != nil && off < t.size; depth++ {
		switch t.kind {
		case abi.Struct:
			i := t.fieldAt(off)
			if i < 0 {
				return slot{}
			}
			if elem := t.phantom(i); elem != nil {
				if t.is("sync", "Pool") {
					return slot{kind: slotPool, off: folded, typ: elem}
				}
				return slot{kind: slotPointer, off: folded + off, typ: elem}
			}
			if iface := t.phantomIface(); iface != nil {
				return iface.slotOf(off, folded)
			}
			f := &t.structFields()[i]
			folded += f.off
			off -= f.off
			t = f.typ
		case abi.Array:
			if t = t.elemType(); t == nil || t.size == 0 {
				return slot{}
			}
			off %= t.size
		default:
			return t.slotOf(off, folded)
		}
	}
	return slot{}
}

// slotOf is slotAt for types other than structs and arrays. folded is the
// folded offset of the value of type t.
func (t *Type) slotOf(off, folded uint64) slot {
	s := slot{off: folded + off, typ: t}
	switch t.kind {
	case abi.Pointer:
		s.kind, s.typ = slotPointer, t.elemType()
	case abi.Slice:
		s.kind, s.typ = slotSlice, t.elemType()
	case abi.String:
		s.kind, s.typ = slotString, t.p.known.bytes
	case abi.Map:
		s.kind = slotMap
	case abi.Chan:
		s.kind = slotChan
	case abi.Func:
		s.kind = slotFunc
	case abi.UnsafePointer:
		s.kind = slotUnsafe
	case abi.Interface:
		s.kind = slotIfaceType
		if off == wordSize {
			s.kind, s.methods = slotIface, t.hasMethods()
			return s
		}
	}
	if off != 0 || s.kind == slotNone {
		return slot{}
	}
	return s
}

// hasMethods reports whether the interface type t has methods.
func (t *Type) hasMethods() bool { return t.p.word(t.addr+typeMethods+wordSize) != 0 }

// fieldAt returns the index of the last field that begins at an offset or
// before it, or -1.
func (t *Type) fieldAt(off uint64) int {
	fields := t.structFields()
	// If several fields are at one offset, all but the last have size 0.
	return sort.Search(len(fields), func(i int) bool { return fields[i].off > off }) - 1
}

// phantom returns T if field i of the struct t is an unsafe.Pointer to a T. A
// field of type [0]*T shows this. It is the first field of t, or the one before
// field i.
func (t *Type) phantom(i int) *Type {
	fields := t.structFields()
	if i == 0 || fields[i].typ.kind != abi.UnsafePointer {
		return nil
	}
	if elem := fields[0].typ.phantomType(); elem != nil {
		return elem
	}
	return fields[i-1].typ.phantomType()
}

// phantomType returns T if t is [0]*T, or nil.
func (t *Type) phantomType() *Type {
	if t.kind != abi.Array || t.arrayLen() != 0 {
		return nil
	}
	if e := t.elemType(); e != nil && e.kind == abi.Pointer {
		return e.elemType()
	}
	return nil
}

// phantomIface returns the interface type I if the struct t has three fields,
// of which the first has type [0]I. It shows that t has the layout of an I, as
// the elements of sync.Pool's queues do. phantomIface returns nil for other
// types.
func (t *Type) phantomIface() *Type {
	fields := t.structFields()
	if len(fields) != 3 || fields[0].typ.kind != abi.Array || fields[0].typ.arrayLen() != 0 {
		return nil
	}
	if e := fields[0].typ.elemType(); e != nil && e.kind == abi.Interface {
		return e
	}
	return nil
}

// element returns the innermost type of elements if t is an array or an array
// of arrays. It returns t if t is not an array, or is an array without
// elements.
func element(t *Type) *Type {
	for depth := 0; depth < maxTypeDepth && t != nil && t.kind == abi.Array && t.arrayLen() != 0; depth++ {
		e := t.elemType()
		if e == nil {
			break
		}
		t = e
	}
	return t
}
