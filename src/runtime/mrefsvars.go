// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Variables of frames and closures: which variable a word belongs to.
//
// The compiler writes an entry for each variable of a function
// (cmd/compile/internal/liveness/framevars.go). internal/abi/framevars.go
// defines the format. Entries are read in place, one after another. A variable
// that is one reference is a node below its frame's node. So is a struct or an
// array, and its references are below that node.
//
// The slot of a dead variable is never read: words come from the stack maps,
// and frames without a stack map at their PC are scanned conservatively and
// have no variables.
//
// The functions run while marking, on the system stack and without locks, for
// words of stacks, whose goroutines are stopped, and for words of closures,
// which may change meanwhile. They also run for the functions of specials, with
// a span's speciallock held, and for names when the profile is made.

package runtime

import (
	"internal/abi"
	"internal/goarch"
	"unsafe"
)

// A refsVar is a variable of a frame or closure.
type refsVar struct {
	entry uintptr // address of its entry
	tag   uint8   // first byte of the entry
	start uintptr // offset in bytes: in the closure; of arguments, above argp; of locals, below varp
	count uintptr // number of an array's elements, or 0
	typed uintptr // *_type, as abi.FrameVarTyped says, or 0
	text  uintptr // address of its name, or 0 for temporaries
	size  uintptr // length of the name in bytes
	depth uint8   // depth of inlining of the function that has the variable, or 0
	hash  uint8   // abi.FrameVarHash of that function's name
	itab  uintptr // of an interface's data word: offset in bytes, below varp, of the local that may have the type word, or 0
	dict  refsDict
}

// refsDict says where the dictionary is that has the type of a variable, if
// that is a type argument.
type refsDict struct {
	place uint8   // abi.FrameVarCaptured, abi.FrameVarArg or abi.FrameVarLocal
	start uintptr // offset in bytes, as of a refsVar
	live  bool    // the dictionary may be read
	word  uintptr // offset in bytes of the word in the dictionary
	known bool    // the type is a type argument, and word is set
	found bool    // the type has been read from the dictionary
}

// form returns the form of v: abi.FrameVarValue and others.
func (v *refsVar) form() uint8 { return v.tag & abi.FrameVarForm }

// typ returns the type in v's entry or dictionary, or nil.
func (v *refsVar) typ() *_type { return (*_type)(unsafe.Pointer(v.typed)) }

// place returns abi.FrameVarCaptured, abi.FrameVarArg or abi.FrameVarLocal.
func (v *refsVar) place() uint8 {
	if v.tag&abi.FrameVarPlace == abi.FrameVarArray {
		return abi.FrameVarLocal
	}
	return v.tag & abi.FrameVarPlace
}

// name returns the name of v, or "".
func (v *refsVar) name() string {
	return unsafe.String((*byte)(unsafe.Pointer(v.text)), v.size)
}

// slot returns the reference that v is, if it is one.
//
//go:nowritebarrierrec
func (v *refsVar) slot() refsSlot {
	s := refsSlot{typ: v.typ()}
	switch v.form() {
	case abi.FrameVarPointer, abi.FrameVarSliceData:
		s.kind = refsSlotPointer
	case abi.FrameVarSlice:
		s.kind = refsSlotSlice
	case abi.FrameVarString:
		s.kind, s.typ = refsSlotString, refsByteType()
	case abi.FrameVarStringData:
		s.kind, s.typ = refsSlotPointer, refsByteType()
	case abi.FrameVarMap:
		s.kind = refsSlotMap
	case abi.FrameVarChan:
		s.kind = refsSlotChan
	case abi.FrameVarFunc:
		return refsSlot{kind: refsSlotFunc}
	case abi.FrameVarEface, abi.FrameVarEfaceData:
		return refsSlot{kind: refsSlotIface, typ: refsPointee((*any)(nil))}
	case abi.FrameVarIface, abi.FrameVarIfaceData:
		return refsSlot{kind: refsSlotIface, typ: refsPointee((*error)(nil))} // any interface type with methods
	}
	if s.typ == nil {
		s.kind = refsSlotUnsafe
	} else if v.form() == abi.FrameVarUnsafe { // a type argument
		return refsSlotOf(s.typ, 0, 0)
	}
	return s
}

// setCapturedTypeArg sets the type of v, if that is a type argument, from the
// dictionary of the closure at p. The word at slot is part of the closure,
// which may have become something else by now.
//
//go:nowritebarrierrec
func (v *refsVar) setCapturedTypeArg(p, slot uintptr) {
	if !v.dict.known || v.dict.place != abi.FrameVarCaptured {
		return
	}
	dict := refsWord(p+v.dict.start, slot)
	if dict%goarch.PtrSize == 0 && isReadable(unsafe.Pointer(dict+v.dict.word), goarch.PtrSize) {
		v.setTypeArg(dict)
	}
}

// setTypeArg sets the type of v, which is a type argument, from its dictionary.
//
//go:nowritebarrierrec
func (v *refsVar) setTypeArg(dict uintptr) {
	if t := *(**_type)(unsafe.Pointer(dict + v.dict.word)); refsTypeOK(t) {
		v.typed = uintptr(unsafe.Pointer(t))
		v.dict.found = true
	}
}

// refsFindVar returns the variable of f at pos, an offset in bytes: in the
// closure if place is abi.FrameVarCaptured, above argp if it is
// abi.FrameVarArg, and below varp if it is abi.FrameVarLocal. If several
// variables have one slot, it returns the one that stack map m has.
//
//go:nowritebarrierrec
func refsFindVar(f funcInfo, place uint8, pos uintptr, m int32) (v refsVar, ok bool) {
	if !f.valid() {
		return v, false
	}
	r := refsVarReader{datap: f.datap, p: uintptr(funcdata(f, abi.FUNCDATA_FrameVars))}
	if r.p == 0 {
		return v, false
	}
	for r.next(&v, m) {
		if v.place() != place || !r.live {
			continue
		}
		if place == abi.FrameVarLocal && v.start >= pos || place != abi.FrameVarLocal && v.start <= pos {
			return v, true
		}
	}
	return v, false
}

// refsVarAt returns the variable whose entry is at p.
func refsVarAt(p uintptr) (v refsVar) {
	r := refsVarReader{datap: refsModuleOf(p), p: p}
	if r.datap != nil {
		r.next(&v, -1)
	}
	return v
}

// refsModuleOf returns the module that has funcdata at p, or nil.
func refsModuleOf(p uintptr) *moduledata {
	for md := &firstmoduledata; md != nil; md = md.next {
		if p >= md.gofunc && p < md.epclntab {
			return md
		}
	}
	return nil
}

// refsVarReader reads entries.
type refsVarReader struct {
	datap *moduledata
	p     uintptr // address of the next byte
	live  bool    // the variable of the last entry is in the stack map
	dict  refsDict
}

// next reads an entry into v. It returns false at the end. m is the index of a
// stack map.
//
//go:nowritebarrierrec
func (r *refsVarReader) next(v *refsVar, m int32) bool {
	*v = refsVar{entry: r.p}
	r.dict.known = false
	v.tag = r.byte()
	for v.tag != 0 && v.form() == 0 {
		r.readDict(v.tag, m)
		v.tag = r.byte()
	}
	if v.tag == 0 {
		return false
	}
	v.dict = r.dict
	v.start = r.varint() * goarch.PtrSize
	if v.tag&abi.FrameVarPlace == abi.FrameVarArray {
		v.count = r.varint()
	}
	if abi.FrameVarTyped>>v.form()&1 != 0 {
		if off := readUnaligned32(unsafe.Pointer(r.p)); off != 0 {
			v.typed = r.datap.types + uintptr(off)
		}
		r.p += 4
	}
	if v.tag&abi.FrameVarNamed != 0 {
		r.readName(v)
	}
	r.live = true
	if v.tag&abi.FrameVarShared != 0 {
		r.readLive(m)
	}
	if v.form() == abi.FrameVarIfaceData || v.form() == abi.FrameVarEfaceData {
		v.itab = r.varint() * goarch.PtrSize
	}
	return true
}

// readDict reads a record about the dictionary, which precedes an entry.
//
//go:nowritebarrierrec
func (r *refsVarReader) readDict(tag uint8, m int32) {
	if tag&abi.FrameVarNamed != 0 {
		r.dict.word, r.dict.known = r.varint()*goarch.PtrSize, true
		return
	}
	r.dict.place = tag & abi.FrameVarPlace
	r.dict.start = r.varint() * goarch.PtrSize
	r.readLive(m)
	r.dict.live = r.live || r.dict.place == abi.FrameVarCaptured
}

// readName reads the name of v.
//
//go:nowritebarrierrec
func (r *refsVarReader) readName(v *refsVar) {
	n := r.varint()
	end := r.p + n
	if b := *(*byte)(unsafe.Pointer(r.p)); b < ' ' {
		v.depth, v.hash = b>>3+1, b&7
		r.p++
	}
	v.text, v.size = r.p, end-r.p
	r.p = end
}

// readLive reads the stack maps that have the variable, and sets r.live if m is
// among them.
//
//go:nowritebarrierrec
func (r *refsVarReader) readLive(m int32) {
	r.live = false
	at := uintptr(0)
	for n := r.varint(); n > 0; n-- {
		at += r.varint()
		r.live = r.live || at == uintptr(m)
	}
}

// byte reads a byte.
//
//go:nowritebarrierrec
func (r *refsVarReader) byte() byte {
	b := *(*byte)(unsafe.Pointer(r.p))
	r.p++
	return b
}

// varint reads a varint.
//
//go:nowritebarrierrec
func (r *refsVarReader) varint() (v uintptr) {
	for shift := 0; ; shift += 7 {
		b := r.byte()
		v |= uintptr(b&0x7f) << shift
		if b&0x80 == 0 {
			return v
		}
	}
}
