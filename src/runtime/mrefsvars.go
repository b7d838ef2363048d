// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Frame variables: which variable a word of a frame, or of a closure, belongs to.
//
// The compiler writes them for each function (cmd/compile/internal/liveness/
// framevars.go); the format is in internal/abi/framevars.go. They are read where
// they lie, entry by entry. A variable that is one reference is a node below its
// frame's, as is one of a struct or array, below which its references are.
//
// What a dead variable has left in its slot is never looked at: the words come from
// the stack maps, and frames that have none at their PC are scanned conservatively
// and have no variables.
//
// Called by mrefsstack.go for words of stacks, whose goroutines are stopped, by
// mrefsresolve.go for words of closures, which may change meanwhile, both while marking
// on the system stack and without locks; by mrefsspecial.go, which holds a span's
// speciallock, for functions; and by mrefsprofile.go for names.

package runtime

import (
	"internal/abi"
	"internal/goarch"
	"internal/profilerecord"
	"unsafe"
)

// A refsVar is a variable of a frame or closure.
type refsVar struct {
	entry uintptr // address of its entry
	tag   uint8
	start uintptr // in the closure; of arguments, above argp; of locals, below varp
	count uintptr // of an array's elements, or 0
	typed uintptr // *_type: see abi.FrameVarTyped
	text  uintptr // address of its name, or 0 for temporaries
	size  uintptr // of the name
	depth uint8   // of the inlined function that has it, or 0
	hash  uint8   // abi.FrameVarHash of that function's name
	itab  uintptr // of the local that may have the interface's type word, below varp, or 0
	dict  refsDict
}

// refsDict tells where the dictionary is that has the type of a variable, if that is a
// type argument.
type refsDict struct {
	place uint8
	start uintptr
	live  bool
	word  uintptr // of the dictionary
	known bool    // word is set
	told  bool    // the dictionary has told the type
}

func (v *refsVar) form() uint8 { return v.tag & abi.FrameVarForm }
func (v *refsVar) typ() *_type { return (*_type)(unsafe.Pointer(v.typed)) }

func (v *refsVar) place() uint8 {
	if v.tag&abi.FrameVarPlace == abi.FrameVarArray {
		return abi.FrameVarLocal
	}
	return v.tag & abi.FrameVarPlace
}

func (v *refsVar) name() string {
	return unsafe.String((*byte)(unsafe.Pointer(v.text)), v.size)
}

// refsFindVar returns the variable of f at pos, which is counted as place tells.
// Of variables in one slot it returns that which stack map m has.
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

// refsModuleOf returns the module whose funcdata p is in, or nil.
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
	p     uintptr
	live  bool // the last entry's variable is in the stack map
	dict  refsDict
}

// next reads an entry. It returns false at the end. m is a stack map's index.
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

// readDict reads what precedes an entry, about the dictionary.
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

// readLive reads in which stack maps the variable is.
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

//go:nowritebarrierrec
func (r *refsVarReader) byte() byte {
	b := *(*byte)(unsafe.Pointer(r.p))
	r.p++
	return b
}

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

// variable returns the variable that the word at p of f belongs to, which is among f's
// arguments if arg is set, and the word's offset in that.
//
//go:nowritebarrierrec
func (f *refsFrame) variable(c *refsVarCache, p uintptr, arg bool) (v refsVar, off uintptr, ok bool) {
	if arg {
		v, ok = f.findVar(c, abi.FrameVarArg, p-f.argp)
		off = p - f.argp - v.start
	} else {
		v, ok = f.findVar(c, abi.FrameVarLocal, f.varp-p)
		off = v.start - (f.varp - p)
	}
	switch {
	case !ok || !v.dict.known || !v.dict.live:
	case v.dict.place == abi.FrameVarArg:
		v.setTypeArg(*(*uintptr)(unsafe.Pointer(f.argp + v.dict.start)))
	case v.dict.place == abi.FrameVarLocal:
		v.setTypeArg(*(*uintptr)(unsafe.Pointer(f.varp - v.dict.start)))
	}
	return v, off, ok
}

// findVar returns the variable of f at pos. It keeps the number of f's table in f.
//
//go:nowritebarrierrec
func (f *refsFrame) findVar(c *refsVarCache, place uint8, pos uintptr) (v refsVar, ok bool) {
	if f.gen == 0 || f.gen != c.gen {
		fn := findfunc(f.pc - 1)
		f.table = c.table(fn, f.stackMap(fn))
		f.gen = c.gen
	}
	if f.table != 0 {
		return c.search(f.table, place, pos)
	}
	fn := findfunc(f.pc - 1)
	return refsFindVar(fn, place, pos, f.stackMap(fn))
}

// setCapturedTypeArg sets the type of v, if that is a type argument, by the dictionary
// that the closure at p has, of which the word at slot is part. The closure may be
// something else by now.
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

// setTypeArg sets the type of v, which is a type argument, by its dictionary.
//
//go:nowritebarrierrec
func (v *refsVar) setTypeArg(dict uintptr) {
	if t := *(**_type)(unsafe.Pointer(dict + v.dict.word)); refsTypeOK(t) {
		v.typed = uintptr(unsafe.Pointer(t))
		v.dict.told = true
	}
}

// noteTypeArg notes in key, that of a reference in v, which type argument it is, for
// when the profile is made (refsNode.recordVariable).
//
//go:nowritebarrierrec
func (v *refsVar) noteTypeArg(key *refsKey) {
	if v.dict.told && key.role == profilerecord.RefsObject {
		key.fn = v.typed
	}
}

// stackMap returns the index of the stack maps by which f is scanned, as getStackMap
// finds it.
//
//go:nowritebarrierrec
func (f *refsFrame) stackMap(fn funcInfo) int32 {
	pc := f.continpc
	if pc == 0 {
		return 0 // is not scanned
	}
	m := int32(-1)
	if pc != fn.entry() {
		m = pcdatavalue(fn, abi.PCDATA_StackMapIndex, pc-1)
	}
	return max(m, 0)
}

// resolveVariable fills in key for the reference e, which is in variable v of what
// key.parent stands for, to object o, and reports whether the key is exact. e.off is
// the offset in the variable. key.kind and key.off tell the variable.
//
//go:nowritebarrierrec
func (e *refsEdge) resolveVariable(v *refsVar, o *refsObject, key *refsKey) bool {
	switch v.form() {
	case abi.FrameVarValue:
		if !refsTypeOK(v.typ()) {
			return o.unknown(key)
		}
		key.role, key.typ = profilerecord.RefsVariable, v.typed
		return e.resolveIn(key, o)
	case abi.FrameVarClosure:
		pc := *(*uintptr)(unsafe.Pointer(e.slot - e.off))
		if !refsIsEntry(pc) {
			return o.unknown(key)
		}
		key.role, key.fn = profilerecord.RefsClosure, pc
		return e.resolveIn(key, o)
	case abi.FrameVarIfaceData, abi.FrameVarEfaceData:
		return e.splitInterface(v, o, key)
	}
	exact := e.target(v.slot(), o, key)
	v.noteTypeArg(key)
	return exact
}

// resolveIn is resolve for a reference in the variable that key stands for, and makes
// key that of the reference.
//
//go:nowritebarrierrec
func (e *refsEdge) resolveIn(key *refsKey, o *refsObject) bool {
	in := *e
	in.from = refs.nodes.find(key)
	if stride := refs.nodes.strideOf(in.from); stride != 0 {
		in.off %= stride
	}
	return in.resolve(o, key)
}

// splitInterface is resolveVariable for the data word of an interface, whose type word
// is elsewhere in the frame, if anywhere, and may be that of a former value.
//
//go:nowritebarrierrec
func (e *refsEdge) splitInterface(v *refsVar, o *refsObject, key *refsKey) bool {
	if v.itab == 0 {
		return o.unknown(key)
	}
	typeWord := e.slot + v.start - v.itab // both are locals
	d := refsDynamicType(v.slot().typ, *(*uintptr)(unsafe.Pointer(typeWord)))
	if d == nil {
		return o.unknown(key)
	}
	e.dynamic(d, o, key)
	return false
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
		return refsSlot{kind: refsSlotIface, typ: refsPointee((*error)(nil))} // any one with methods
	}
	if s.typ == nil {
		s.kind = refsSlotUnsafe
	} else if v.form() == abi.FrameVarUnsafe { // a type argument
		return refsSlotOf(s.typ, 0, 0)
	}
	return s
}
