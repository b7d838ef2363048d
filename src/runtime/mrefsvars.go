// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Variables of frames and closures: to which variable a word belongs.
//
// The compiler writes an entry for each captured variable that has pointers or
// is captured by reference, and for each argument and local that a stack map
// has or that is a stack object (cmd/compile/internal/liveness/framevars.go).
// The dictionaries of generic code have no entries. Package internal/vartable
// defines the format. Entries are read in place, one after another. A variable
// that is one reference has a node below the node of its frame or closure. So
// has a struct, an array, or a closure on the stack, and its references have
// nodes below that node.
//
// No dead variable is looked up. Words of frames come from the stack maps, or
// from stack objects to which pointers lead. Frames without a stack map at
// their PC are scanned conservatively and have no variables.
//
// While marking, the functions run on the system stack, and take no locks. They
// run for words of stacks, whose goroutines are stopped, and for words of
// closures, which may change at the same time. They also run for the functions
// of cleanups. For a cleanup that is not queued, a span's speciallock is held.
// When the profile is made, they run for names.

package runtime

import (
	"internal/abi"
	"internal/goarch"
	"internal/profilerecord"
	"internal/vartable"
	"unsafe"
)

// A refsVar is a variable of a frame or closure.
type refsVar struct {
	vartable.FrameEntry
	entry    uintptr // address of the entry
	typed    uintptr // *_type, as vartable's forms say, or 0
	argument bool    // typed is a type argument from the dictionary
}

// typ returns the type in v's entry or dictionary, or nil.
func (v *refsVar) typ() *_type { return (*_type)(unsafe.Pointer(v.typed)) }

// start returns the position of v in bytes: from the beginning of the closure
// for captured variables, above argp for arguments, and below varp for locals.
func (v *refsVar) start() uintptr { return uintptr(v.Position) * goarch.PtrSize }

// dictStart returns the position of the dictionary in bytes, as start does.
func (v *refsVar) dictStart() uintptr { return uintptr(v.Dict.Position) * goarch.PtrSize }

// itab returns the position in bytes, below varp, of the local that may have
// the type word of the interface whose data word v is. It returns 0 if there is
// none.
func (v *refsVar) itab() uintptr { return uintptr(v.Itab) * goarch.PtrSize }

// name returns the name of v, or "" if v has none. Temporaries have no names,
// and variables in frames of the runtime's functions and of wrappers have none
// either. v must not be from a table (mrefsvarcache.go).
func (v *refsVar) name() string {
	return unsafe.String((*byte)(unsafe.Pointer(v.entry+uintptr(v.NameAt-v.At))), v.NameSize)
}

// slot returns the reference that v is, if it is one.
//
//go:nowritebarrierrec
func (v *refsVar) slot() refsSlot {
	s := refsSlot{typ: v.typ()}
	switch v.Form {
	case vartable.FormPointer, vartable.FormSliceData:
		s.kind = refsSlotPointer
	case vartable.FormSlice:
		s.kind = refsSlotSlice
	case vartable.FormString:
		s.kind, s.typ = refsSlotString, refsByteType()
	case vartable.FormStringData:
		s.kind, s.typ = refsSlotPointer, refsByteType()
	case vartable.FormMap:
		s.kind = refsSlotMap
	case vartable.FormChan:
		s.kind = refsSlotChan
	case vartable.FormFunc:
		return refsSlot{kind: refsSlotFunc}
	case vartable.FormEface, vartable.FormEfaceData:
		return refsSlot{kind: refsSlotIface, typ: refsPointee((*any)(nil))}
	case vartable.FormIface, vartable.FormIfaceData:
		return refsSlot{kind: refsSlotIface, typ: refsPointee((*error)(nil))} // stands for any interface type with methods
	}
	if s.typ == nil {
		s.kind = refsSlotUnsafe
	} else if v.Form == vartable.FormUnsafe { // the type is a type argument
		return refsSlotOf(s.typ, 0, 0)
	}
	return s
}

// setCapturedTypeArg sets the type of v, if that is a type argument, from the
// dictionary of the closure at p. The word at slot is part of the closure. The
// memory at p may be another object by now.
//
//go:nowritebarrierrec
func (v *refsVar) setCapturedTypeArg(p, slot uintptr) {
	if !v.Dict.Known || v.Dict.Place != vartable.PlaceCaptured {
		return
	}
	dict := refsWord(p+v.dictStart(), slot)
	if dict%goarch.PtrSize == 0 && isReadable(unsafe.Pointer(v.typeArgWord(dict)), goarch.PtrSize) {
		v.setTypeArg(dict)
	}
}

// setTypeArg sets the type of v, which is a type argument, from its dictionary.
//
//go:nowritebarrierrec
func (v *refsVar) setTypeArg(dict uintptr) {
	if t := *(**_type)(unsafe.Pointer(v.typeArgWord(dict))); refsTypeOK(t) {
		v.typed = uintptr(unsafe.Pointer(t))
		v.argument = true
	}
}

// typeArgWord returns the address of the word of the dictionary that has the
// type of v.
func (v *refsVar) typeArgWord(dict uintptr) uintptr {
	return dict + uintptr(v.Dict.Word)*goarch.PtrSize
}

// refsFindVar returns the variable of f at pos, an offset in bytes: in the
// closure if place is vartable.PlaceCaptured, above argp if it is
// vartable.PlaceArg, and below varp if it is vartable.PlaceLocal. Of several
// variables that have one slot, only the one that stack map m has counts. If m
// is -1, none of them does.
//
//go:nowritebarrierrec
func refsFindVar(f funcInfo, place uint8, pos uintptr, m int32) (v refsVar, ok bool) {
	if !f.valid() {
		return v, false
	}
	p := uintptr(funcdata(f, abi.FUNCDATA_FrameVars))
	if p == 0 {
		return v, false
	}
	r := newRefsVarReader(f.datap, p)
	for r.next(&v, m) {
		if v.Place != place || !v.Live {
			continue
		}
		if place == vartable.PlaceLocal && v.start() >= pos || place != vartable.PlaceLocal && v.start() <= pos {
			return v, true
		}
	}
	return v, false
}

// refsVarAt returns the variable whose entry is at p.
func refsVarAt(p uintptr) (v refsVar) {
	if md := refsModuleOf(p); md != nil {
		r := newRefsVarReader(md, p)
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

// refsVarReader reads the entries of a function.
type refsVarReader struct {
	vartable.FrameReader
	p     uintptr // address of the entries
	types uintptr // address of the types of the function's module
}

// newRefsVarReader returns a reader of the entries at p, an address in md.
//
//go:nowritebarrierrec
func newRefsVarReader(md *moduledata, p uintptr) refsVarReader {
	data := unsafe.Slice((*byte)(unsafe.Pointer(p)), max(p, md.epclntab)-p)
	return refsVarReader{FrameReader: vartable.NewFrameReader(data), p: p, types: md.types}
}

// next reads an entry into v. It returns false at the end. m is the index of a
// stack map, or -1.
//
//go:nowritebarrierrec
func (r *refsVarReader) next(v *refsVar, m int32) bool {
	ok := r.Next(&v.FrameEntry, m)
	v.entry, v.typed, v.argument = r.p+uintptr(v.At), 0, false
	if v.Type != 0 {
		v.typed = r.types + uintptr(v.Type)
	}
	return ok
}

// refpath_captured returns the variables that closures of the function at pc
// have captured. Each is described as in a node for a reference to it, whose
// Offset is that of the variable in the closure.
//
//go:linkname refpath_captured
func refpath_captured(pc uintptr) (vars []profilerecord.RefsNode) {
	f := findfunc(pc)
	if !f.valid() {
		return nil
	}
	p := uintptr(funcdata(f, abi.FUNCDATA_FrameVars))
	if p == 0 {
		return nil
	}
	r := newRefsVarReader(f.datap, p)
	var v refsVar
	for r.next(&v, -1) {
		if v.Place != vartable.PlaceCaptured || !v.Live {
			continue
		}
		n := profilerecord.RefsNode{Kind: profilerecord.RefsCaptured, Name: v.name(), Form: v.Form, Count: uintptr(v.Count), Offset: v.start()}
		if !v.Dict.Known {
			n.Static = refsRealType(v.typed)
		}
		vars = append(vars, n)
	}
	return vars
}
