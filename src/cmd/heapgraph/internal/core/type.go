// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file reads type descriptors. A Type implements those methods of
// reflect.Type that package internal/refpath calls.

package core

import (
	"encoding/binary"
	"internal/abi"
	"reflect"
	"unsafe"
)

// A Type is a type of the program.
type Type struct {
	reflect.Type // nil; provides the methods that nothing calls

	p        *process
	m        *module // nil if package reflect has made the type
	addr     uint64
	size     uint64
	ptrBytes uint64
	flags    abi.TFlag
	kind     abi.Kind
	copied   *abi.Type // see typecopy.go

	elem, key *Type // cached by child
	fields    []field
	hasFields bool
	str       string
	named     string
	pkgPath   string
	hasName   bool
	masked    bool

	finiteValue bool
	textLen     int // see measure; 0 if it is not known yet
	bits        []byte
}

// A field is a field of a struct.
type field struct {
	name     string
	typ      *Type
	off      uint64
	tag      string
	embedded bool
}

// Offsets in descriptors, by the layout of package internal/abi.
const (
	typePtrBytes  = 8
	typeFlags     = 20
	typeKind      = 23
	typeGCData    = 32
	typeStr       = 40
	typePtrToThis = 44
	typeEnd       = 48
	typeElem      = typeEnd      // for pointers, slices, arrays, channels; key for maps
	typeArrayLen  = typeEnd + 16 //
	typeChanDir   = typeEnd + 8  //
	typeMapElem   = typeEnd + 8  //
	typeMethods   = typeEnd + 8  // for interfaces
	typeFields    = typeEnd + 8  // for structs
	fieldSize     = 24

	uncommonSize    = 16
	uncommonMethods = 4
	methodSize      = 16
)

// typeSizes has the sizes of descriptors by kind, if they are larger than
// typeEnd.
var typeSizes = map[abi.Kind]uint64{
	abi.Pointer:   56,
	abi.Slice:     56,
	abi.Array:     72,
	abi.Chan:      64,
	abi.Struct:    80,
	abi.Map:       uint64(unsafe.Sizeof(abi.MapType{})),
	abi.Interface: 80,
	abi.Func:      56,
}

// maxSize is a size that no type reaches.
const maxSize = 1 << 48

// typeAt returns the type whose descriptor is at an address. It returns nil if
// the address is neither in a module's types nor in a span of objects with
// pointers, where package reflect makes types. It also returns nil if the
// memory there is not a descriptor, or is one that checkType refuses.
func (p *process) typeAt(addr uint64) *Type {
	if addr == 0 || addr%wordSize != 0 {
		return nil
	}
	t, ok := p.types[addr]
	if !ok {
		t = p.readType(addr)
		p.types[addr] = t
		if t != nil {
			p.checkType(t)
			t = p.types[addr]
		}
	}
	return t
}

// maxTypeDepth is the greatest depth to which the parts of a type are followed.
const maxTypeDepth = 100

// valueIsFinite reports whether no value of t contains a value of t, and the
// fields of structs are in order, do not overlap, and are within the struct.
// Damaged types can lack these properties. valueIsFinite also returns false if
// the parts of t are deeper than maxTypeDepth.
func (t *Type) valueIsFinite(depth int) bool {
	if t.finiteValue || depth > maxTypeDepth {
		return t.finiteValue
	}
	switch t.kind {
	case abi.Array:
		if e := t.elemType(); e == nil || t.arrayLen() > 0 && e.size > t.size || !e.valueIsFinite(depth+1) {
			return false
		}
	case abi.Struct:
		last := uint64(0)
		for _, f := range t.structFields() {
			if f.off < last || f.off > t.size || f.typ.size > t.size-f.off || !f.typ.valueIsFinite(depth+1) {
				return false
			}
			last = f.off + f.typ.size
		}
	}
	t.finiteValue = true
	return true
}

func (p *process) readType(addr uint64) *Type {
	var in *module
	for _, m := range p.modules {
		if addr >= m.types && addr+typeEnd <= m.typesEnd {
			in = m
		}
	}
	if in == nil {
		if s := p.spanOf(addr); s == nil || s.noscan {
			return nil
		}
	}
	b := p.bytes(addr, typeEnd)
	if b == nil {
		return nil
	}
	t := &Type{
		p: p, m: in, addr: addr,
		size:     binary.LittleEndian.Uint64(b),
		ptrBytes: binary.LittleEndian.Uint64(b[typePtrBytes:]),
		flags:    abi.TFlag(b[typeFlags]),
		kind:     abi.Kind(b[typeKind]),
	}
	if t.kind == 0 || t.kind > abi.UnsafePointer || t.ptrBytes > t.size || t.size >= maxSize {
		return nil
	}
	p.newCopy(t)
	return t
}

// descriptorSize returns the size of the descriptor, which depends on the kind,
// without the methods, fields and parameters that follow it.
func (t *Type) descriptorSize() uint64 {
	if n := typeSizes[t.kind]; n != 0 {
		return n
	}
	return typeEnd
}

// child returns the type to which the word at an offset of the descriptor
// refers.
func (t *Type) child(off uint64, cache **Type) *Type {
	if *cache == nil {
		*cache = t.p.typeAt(t.p.word(t.addr + off))
	}
	return *cache
}

// elemType returns the type of the elements of a pointer, slice, array, channel
// or map, or nil.
func (t *Type) elemType() *Type {
	switch t.kind {
	case abi.Pointer, abi.Slice, abi.Array, abi.Chan:
		return t.child(typeElem, &t.elem)
	case abi.Map:
		return t.child(typeMapElem, &t.elem)
	}
	return nil
}

// keyType returns the type of the keys of a map, or nil.
func (t *Type) keyType() *Type {
	if t.kind != abi.Map {
		return nil
	}
	return t.child(typeElem, &t.key)
}

func (t *Type) arrayLen() uint64 { return t.p.word(t.addr + typeArrayLen) }

// isDirect reports whether interfaces have values of type t in their data word.
func (t *Type) isDirect() bool { return t.flags&abi.TFlagDirectIface != 0 }

// structFields returns the fields of a struct.
func (t *Type) structFields() []field {
	if t.kind != abi.Struct || t.hasFields {
		return t.fields
	}
	t.hasFields = true
	b := t.p.slice(t.addr+typeFields, fieldSize)
	if len(b) > 1<<16*fieldSize {
		return nil
	}
	for ; len(b) >= fieldSize; b = b[fieldSize:] {
		f := field{typ: t.p.typeAt(binary.LittleEndian.Uint64(b[8:])), off: binary.LittleEndian.Uint64(b[16:])}
		if f.typ == nil {
			t.fields = nil
			return nil
		}
		f.name, f.tag, f.embedded = t.p.typeName(binary.LittleEndian.Uint64(b))
		t.fields = append(t.fields, f)
	}
	return t.fields
}

// typeName reads a name in the format of package internal/abi.
func (p *process) typeName(at uint64) (name, tag string, embedded bool) {
	flags := p.uint8(at)
	text := func(at uint64) (string, uint64) {
		n, size := uint64(0), uint64(0)
		for shift := 0; shift < 28; shift += 7 {
			b := p.uint8(at + size)
			n |= uint64(b&0x7f) << shift
			size++
			if b < 0x80 {
				break
			}
		}
		if n > maxText {
			return "", at + size + n
		}
		return string(p.bytes(at+size, n)), at + size + n
	}
	name, at = text(at + 1)
	if flags&2 != 0 {
		tag, _ = text(at)
	}
	return name, tag, flags&8 != 0
}

// The methods of reflect.Type.

func (t *Type) Size() uintptr      { return uintptr(t.size) }
func (t *Type) Kind() reflect.Kind { return reflect.Kind(t.kind) }
func (t *Type) Len() int           { return int(t.arrayLen()) }
func (t *Type) NumField() int      { return len(t.structFields()) }

func (t *Type) Elem() reflect.Type { return t.asReflect(t.elemType()) }
func (t *Type) Key() reflect.Type  { return t.asReflect(t.keyType()) }

// asReflect returns c, a type to which t refers. If c is nil, because it is
// damaged, asReflect returns a type without properties.
func (t *Type) asReflect(c *Type) reflect.Type {
	if c == nil {
		c = &Type{p: t.p}
		c.reject()
	}
	return c
}

func (t *Type) Field(i int) reflect.StructField {
	f := &t.structFields()[i]
	return reflect.StructField{Name: f.name, Type: f.typ, Offset: uintptr(f.off), Anonymous: f.embedded, Tag: reflect.StructTag(f.tag)}
}

func (t *Type) ChanDir() reflect.ChanDir { return reflect.ChanDir(t.p.word(t.addr + typeChanDir)) }

// In the descriptor of a function, the highest bit of the number of results is
// the variadic flag.

func (t *Type) NumIn() int       { return int(t.p.uint16(t.addr + typeEnd)) }
func (t *Type) NumOut() int      { return int(t.p.uint16(t.addr+typeEnd+2) &^ (1 << 15)) }
func (t *Type) IsVariadic() bool { return t.p.uint16(t.addr+typeEnd+2)>>15 != 0 && t.NumIn() > 0 }

func (t *Type) In(i int) reflect.Type  { return t.parameter(i) }
func (t *Type) Out(i int) reflect.Type { return t.parameter(t.NumIn() + i) }

// parameter returns the type of parameter i. Results follow the parameters.
func (t *Type) parameter(i int) reflect.Type {
	return t.asReflect(t.p.typeAt(t.p.word(t.parameterAt(i))))
}

// parameterAt returns the address of the word that refers to the type of
// parameter i.
func (t *Type) parameterAt(i int) uint64 {
	at := t.addr + t.descriptorSize()
	if t.flags&abi.TFlagUncommon != 0 {
		at += uncommonSize
	}
	return at + uint64(i)*wordSize
}

// itabType returns the concrete type in the itab at an address, or nil.
func (p *process) itabType(at uint64) *Type {
	if at%wordSize != 0 || at == 0 {
		return nil
	}
	return p.typeAt(p.word(at + wordSize))
}
