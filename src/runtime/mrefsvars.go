// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Entries of variables: the variables of frames and closures, as the compiler
// has written them (cmd/compile/internal/liveness/framevars.go). Package
// internal/vartable defines the format, and internal/runtime/refs says what they
// are to a recording. Entries are read in place, one after another.
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
	"internal/profilerecord"
	"internal/runtime/refs"
	"internal/vartable"
	"unsafe"
)

// refsVarName returns the name of v, or "" if v has none. Temporaries have no
// names, and variables in frames of the runtime's functions and of wrappers have
// none either. v must not be from a table (mrefsvarcache.go).
func refsVarName(v *refs.Variable) string {
	return unsafe.String((*byte)(unsafe.Pointer(v.Entry+uintptr(v.NameAt-v.At))), v.NameSize)
}

// refsFindVar returns the variable of f that has the word at pos of a place, as
// in refs.Reaches. Of several variables that have one slot, only the one that
// stack map m has counts. If m is -1, none of them does.
//
//go:nowritebarrierrec
func refsFindVar(f funcInfo, place uint8, pos uintptr, m int32) (v refs.Variable, ok bool) {
	if !f.valid() {
		return v, false
	}
	p := uintptr(funcdata(f, abi.FUNCDATA_FrameVars))
	if p == 0 {
		return v, false
	}
	r := newRefsVarReader(f.datap, p)
	for r.next(&v, m) {
		if v.Has(place, pos) {
			return v, true
		}
	}
	return v, false
}

// refsVarAt returns the variable whose entry is at p.
func refsVarAt(p uintptr) (v refs.Variable) {
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
func (r *refsVarReader) next(v *refs.Variable, m int32) bool {
	ok := r.Next(&v.FrameEntry, m)
	v.Entry, v.Type, v.Argument = r.p+uintptr(v.At), 0, false
	if t := v.FrameEntry.Type; t != 0 {
		v.Type = r.types + uintptr(t)
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
	var v refs.Variable
	for r.next(&v, -1) {
		if v.Place != vartable.PlaceCaptured || !v.Live {
			continue
		}
		n := profilerecord.RefsNode{Kind: profilerecord.RefsCaptured, Name: refsVarName(&v), Form: v.Form, Count: uintptr(v.Count), Offset: v.Start()}
		if !v.Dict.Known {
			n.Static = refsRealType(v.Type)
		}
		vars = append(vars, n)
	}
	return vars
}
