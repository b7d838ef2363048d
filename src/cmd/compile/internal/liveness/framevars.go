// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Frame variables: names and types of what stack maps, stack objects and closures
// of a function refer to. The refs profile shows stacks by them. The format is in
// internal/abi/framevars.go, its reader runtime/mrefsvars.go. Compute emits them.
//
// Types are referred to weakly but for those of structs, and their descriptors not
// asked for, so that little is in a binary for this but the entries themselves. What a
// type is needed for is to name the parts of objects on the heap, which have one at
// any rate.
//
// Variables in frames of the runtime's own functions, and of wrappers, have types only:
// their names mean little to whoever looks for what fills a heap.
//
// SSA splits strings, slices and interfaces, and keeps in the frame what it needs
// of them. The pointers of these go by the name of the variable they are part of; see
// frameslots.go.

package liveness

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cmd/compile/internal/base"
	"cmd/compile/internal/ir"
	"cmd/compile/internal/objw"
	"cmd/compile/internal/reflectdata"
	"cmd/compile/internal/ssa"
	"cmd/compile/internal/typecheck"
	"cmd/compile/internal/types"
	"cmd/internal/obj"

	rtabi "internal/abi"
)

// A frameVar is one entry.
type frameVar struct {
	place    uint8
	form     uint8
	position int64 // in bytes
	count    int64 // of an array's elements, or 0
	typ      *types.Type
	name     string
	shape    *types.Type // typ as a type argument's shape, or nil
	live     []int       // indices of stack maps
	shared   bool
	itab     int64 // position of the type word, in bytes
}

// emitFrameVars emits the frame variables, if there are any, as funcdata.
func (lv *Liveness) emitFrameVars(pp *objw.Progs) {
	if base.Debug.FrameVars == 0 {
		return
	}
	live := lv.liveMaps()
	captured, vars := capturedVars(lv.fn), lv.frameVars(live)
	if len(captured)+len(vars) == 0 {
		return
	}
	x := base.Ctxt.Lookup(fmt.Sprintf("%s.framevars%d", lv.fn.LSym.Name, lv.fn.ABI))
	x.Set(obj.AttrContentAddressable, true)
	x.Align = 1
	lv.fn.LSym.Func().FrameVars = x
	off := lv.writeVars(x, 0, captured, capturedDict(lv.fn))
	off = lv.writeVars(x, off, vars, lv.frameDict(live))
	objw.Uint8(x, off, 0)

	p := pp.Prog(obj.AFUNCDATA)
	p.From.SetConst(rtabi.FUNCDATA_FrameVars)
	p.To.Type = obj.TYPE_MEM
	p.To.Name = obj.NAME_EXTERN
	p.To.Sym = x
}

// writeVars writes entries, with those for dict, the dictionary, if that tells types.
func (lv *Liveness) writeVars(x *obj.LSym, off int, vars []frameVar, dict *frameVar) int {
	written := false // dict
	for i := range vars {
		v := &vars[i]
		if word := lv.fn.DictWord(v.shape); word >= 0 && dict != nil {
			if !written {
				written = true
				off = dict.writeDict(x, off)
			}
			off = objw.Uint8(x, off, rtabi.FrameVarNamed)
			off = objw.Uvarint(x, off, uint64(word))
		}
		off = v.write(x, off)
	}
	return off
}

// capturedDict returns the dictionary in the function's closures, or nil.
func capturedDict(fn *ir.Func) *frameVar {
	it := typecheck.NewClosureStructIter(fn.ClosureVars)
	for n, _, offset := it.Next(); n != nil; n, _, offset = it.Next() {
		if n.Sym().Name == typecheck.LocalDictName {
			return &frameVar{place: rtabi.FrameVarCaptured, position: offset}
		}
	}
	return nil
}

// frameDict returns the function's dictionary in the frame, or nil. Those of inlined
// functions are others.
func (lv *Liveness) frameDict(live [][]int) *frameVar {
	for i, n := range lv.vars {
		if n.Sym().Name == typecheck.LocalDictName && !isInlined(n) {
			dict := &frameVar{live: live[i]}
			dict.place, dict.position = framePosition(n)
			return dict
		}
	}
	return nil
}

// capturedVars returns what the function's closures have captured.
func capturedVars(fn *ir.Func) []frameVar {
	var vars []frameVar
	it := typecheck.NewClosureStructIter(fn.ClosureVars)
	for n, typ, offset := it.Next(); n != nil; n, typ, offset = it.Next() {
		if typ.HasPointers() && n.Sym().Name != typecheck.LocalDictName {
			v := frameVar{place: rtabi.FrameVarCaptured, position: offset, name: frameVarName(n.Sym().Name)}
			v.setType(typ)
			vars = append(vars, v)
		}
	}
	slices.Reverse(vars) // to descending offsets
	return vars
}

// frameVars returns the variables of the frame, in the order of the entries. live has
// the stack maps of each.
func (lv *Liveness) frameVars(live [][]int) []frameVar {
	slots := newFrameSlots(lv.f)
	var vars []frameVar
	for i, n := range lv.vars {
		isObject := n.Addrtaken() && n.Esc() != ir.EscHeap
		if (live[i] != nil || isObject) && n.Sym().Name != typecheck.LocalDictName {
			v := slots.newFrameVar(n)
			v.live = live[i]
			vars = append(vars, v)
		}
	}
	slices.SortStableFunc(vars, func(a, b frameVar) int {
		if a.place != b.place || a.place == rtabi.FrameVarLocal {
			return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.position, b.position))
		}
		return cmp.Compare(b.position, a.position)
	})
	for i := range vars[:max(len(vars), 1)-1] {
		if a, b := &vars[i], &vars[i+1]; a.place == b.place && a.position == b.position {
			a.shared, b.shared = true, true
		}
	}
	return vars
}

// liveMaps returns for each variable of lv.vars the stack maps that have it.
func (lv *Liveness) liveMaps() [][]int {
	live := make([][]int, len(lv.vars))
	for m, vars := range lv.stackMaps {
		for i := vars.Next(0); i >= 0; i = vars.Next(i + 1) {
			live[i] = append(live[i], m)
		}
	}
	return live
}

// newFrameVar returns the entry for n, but for where it is live.
func (slots *frameSlots) newFrameVar(n *ir.Name) frameVar {
	s := slots.byName[n]
	if s == nil {
		s = &ssa.LocalSlot{N: n, Type: n.Type()}
	}
	v := frameVar{}
	v.place, v.position = framePosition(n)
	whole := s.SplitOf
	if whole == nil {
		whole = &ssa.LocalSlot{N: s.N, Type: s.N.Type()} // s may be a part of an argument
	}
	switch t := whole.Type; {
	case s.Type == t:
		v.setType(t)
	case t.IsString():
		v.form = rtabi.FrameVarStringData
	case t.IsSlice():
		v.form = rtabi.FrameVarSliceData
		v.setElem(t.Elem())
	case t.IsInterface():
		v.form, v.typ = rtabi.FrameVarIfaceData, t
		if t.IsEmptyInterface() {
			v.form = rtabi.FrameVarEfaceData
		}
		v.itab = slots.typeWords[*whole]
	default:
		v.setType(s.Type)
		whole = s
	}
	name := frameVarName(whole.N.Sym().Name)
	if name == "" || isInlined(whole.N) {
		v.shape = nil // may be that of another function's type argument
	}
	if name != "" && !base.Flag.CompilingRuntime && !n.Curfn.Wrapper() {
		v.name = inlinedFrom(whole.N) + name
	}
	return v
}

// isInlined reports whether n is a variable of an inlined function.
func isInlined(n *ir.Name) bool { return n.InlFormal() || n.InlLocal() }

// inlinedFrom returns what precedes the name of n if that is a variable of an inlined
// function.
func inlinedFrom(n *ir.Name) string {
	if !isInlined(n) {
		return ""
	}
	b := base.Ctxt.PosTable.Pos(n.Pos()).Base()
	if b == nil || b.InliningIndex() < 0 {
		return ""
	}
	depth := byte(0)
	for i := base.Ctxt.InlTree.Parent(b.InliningIndex()); i >= 0; i = base.Ctxt.InlTree.Parent(i) {
		if depth++; depth == rtabi.FrameVarMaxDepth {
			return ""
		}
	}
	return string([]byte{depth<<3 | rtabi.FrameVarHash(base.Ctxt.InlTree.InlinedFunction(b.InliningIndex()).Name)})
}

// framePosition returns where in the frame n is. Results in registers are locals.
func framePosition(n *ir.Name) (place uint8, position int64) {
	if n.Class == ir.PAUTO || n.IsOutputParamInRegisters() {
		return rtabi.FrameVarLocal, -n.FrameOffset()
	}
	return rtabi.FrameVarArg, n.FrameOffset()
}

// frameVarName returns the name of a variable in the source, or "" for results without
// a name and for what the compiler has made. The pointer to a variable that was moved
// to the heap has the name of that. Method values have a receiver.
func frameVarName(name string) string {
	name = strings.TrimPrefix(name, "&")
	switch {
	case name == ".this":
		return rtabi.FrameVarReceiver
	case name == "" || strings.Contains(".~#", name[:1]):
		return ""
	}
	return name
}

// setType makes v a variable of type t. Its place is set.
func (v *frameVar) setType(t *types.Type) {
	if t = unpadded(t); v.place == rtabi.FrameVarLocal && t.IsArray() {
		v.count = t.NumElem()
		for t = t.Elem(); t.IsArray(); t = t.Elem() {
			v.count *= t.NumElem()
		}
	}
	v.setElem(t)
	t = v.typ
	switch t.Kind() {
	case types.TPTR:
		v.form = rtabi.FrameVarPointer
		v.setElem(t.Elem())
	case types.TSLICE:
		v.form = rtabi.FrameVarSlice
		v.setElem(t.Elem())
	case types.TSTRING:
		v.form = rtabi.FrameVarString
	case types.TMAP:
		v.form = rtabi.FrameVarMap
	case types.TCHAN:
		v.form = rtabi.FrameVarChan
	case types.TFUNC:
		v.form = rtabi.FrameVarFunc
	case types.TUNSAFEPTR:
		v.form = rtabi.FrameVarUnsafe
	case types.TINTER:
		v.form = rtabi.FrameVarIface
		if t.IsEmptyInterface() {
			v.form = rtabi.FrameVarEface
		}
	default:
		v.form = rtabi.FrameVarValue
		if isClosureType(t) {
			v.form = rtabi.FrameVarClosure
		}
	}
}

// setElem sets the type of the entry. If that is the shape of a type argument, it is the
// type that all arguments of the shape have as underlying one, but for pointers, which
// share one shape.
func (v *frameVar) setElem(t *types.Type) {
	v.typ, v.shape = t, nil
	if t.IsShape() {
		v.typ, v.shape = t.Underlying(), t
		if v.typ.IsPtr() {
			v.typ = types.Types[types.TUNSAFEPTR]
		}
	}
}

// unpadded returns the array in t if that is the type of a buffer on the stack, in
// which walk puts an empty array before it for its alignment.
func unpadded(t *types.Type) *types.Type {
	if t.IsStruct() && t.Noalg() && t.NumFields() == 2 && t.Field(0).Sym.IsBlank() && t.Field(1).Type.IsArray() {
		return t.Field(1).Type
	}
	return t
}

// isClosureType reports whether t is the type of a closure or method value, as
// typecheck.ClosureType and MethodValueType make them.
func isClosureType(t *types.Type) bool {
	return t.IsStruct() && t.Sym() == nil && t.Noalg() && t.NumFields() > 0 &&
		t.Field(0).Sym.Name == "F" && t.Field(0).Type == types.Types[types.TUINTPTR]
}

// writeType writes the type. Of a struct on the stack there need be none on the heap,
// therefore its descriptor is asked for. The runtime's own are not worth it. Asking for a
// descriptor is right only if there are wrappers of its methods: see PlainShape.
func (v *frameVar) writeType(x *obj.LSym, off int) int {
	if v.form == rtabi.FrameVarValue && !base.Flag.CompilingRuntime {
		return objw.SymPtrOff(x, off, reflectdata.TypeLinksym(reflectdata.PlainShape(v.typ)))
	}
	return objw.SymPtrWeakOff(x, off, reflectdata.WeakTypeSym(v.typ))
}

// write writes the entry at offset off of x and returns the offset behind it.
func (v *frameVar) write(x *obj.LSym, off int) int {
	tag := v.form | v.place
	if v.count != 0 {
		tag |= rtabi.FrameVarArray
	}
	if v.name != "" {
		tag |= rtabi.FrameVarNamed
	}
	if v.shared {
		tag |= rtabi.FrameVarShared
	}
	off = objw.Uint8(x, off, tag)
	off = objw.Uvarint(x, off, uint64(v.position)/uint64(types.PtrSize))
	if v.count != 0 {
		off = objw.Uvarint(x, off, uint64(v.count))
	}
	if rtabi.FrameVarTyped>>v.form&1 != 0 {
		off = v.writeType(x, off)
	}
	if v.name != "" {
		off = objw.Uvarint(x, off, uint64(len(v.name)))
		off = int(x.WriteBytes(base.Ctxt, int64(off), []byte(v.name)))
	}
	if v.shared {
		off = v.writeLive(x, off)
	}
	if v.form == rtabi.FrameVarIfaceData || v.form == rtabi.FrameVarEfaceData {
		off = objw.Uvarint(x, off, uint64(v.itab)/uint64(types.PtrSize))
	}
	return off
}

// writeLive writes which stack maps have v.
func (v *frameVar) writeLive(x *obj.LSym, off int) int {
	off = objw.Uvarint(x, off, uint64(len(v.live)))
	last := 0
	for _, m := range v.live {
		off = objw.Uvarint(x, off, uint64(m-last))
		last = m
	}
	return off
}

// writeDict writes where v is, which is the dictionary.
func (v *frameVar) writeDict(x *obj.LSym, off int) int {
	off = objw.Uint8(x, off, rtabi.FrameVarShared|v.place)
	off = objw.Uvarint(x, off, uint64(v.position)/uint64(types.PtrSize))
	return v.writeLive(x, off)
}
