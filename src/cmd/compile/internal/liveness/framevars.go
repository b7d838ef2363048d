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
// Variables of the runtime's own functions have types only: their names mean little
// to whoever looks for what fills a heap.
//
// SSA splits strings, slices and interfaces, and keeps in the frame what it needs
// of them. The pointers of these go by the name of the variable they are part of.

package liveness

import (
	"cmp"
	"encoding/binary"
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
	live     []int // indices of stack maps
	shared   bool
	itab     int64 // position of the type word, in bytes
}

// emitFrameVars emits the frame variables, if there are any, as funcdata.
func (lv *Liveness) emitFrameVars(pp *objw.Progs) {
	if base.Debug.FrameVars == 0 {
		return
	}
	vars := append(capturedVars(lv.fn), lv.frameVars()...)
	if len(vars) == 0 {
		return
	}
	x := base.Ctxt.Lookup(fmt.Sprintf("%s.framevars%d", lv.fn.LSym.Name, lv.fn.ABI))
	x.Set(obj.AttrContentAddressable, true)
	x.Align = 1
	lv.fn.LSym.Func().FrameVars = x
	off := objw.Uint8(x, 0, rtabi.FrameVarsVersion)
	for i := range vars {
		off = vars[i].write(x, off)
	}
	objw.Uint8(x, off, 0)

	p := pp.Prog(obj.AFUNCDATA)
	p.From.SetConst(rtabi.FUNCDATA_FrameVars)
	p.To.Type = obj.TYPE_MEM
	p.To.Name = obj.NAME_EXTERN
	p.To.Sym = x
}

// capturedVars returns what the function's closures have captured.
func capturedVars(fn *ir.Func) []frameVar {
	var vars []frameVar
	it := typecheck.NewClosureStructIter(fn.ClosureVars)
	for n, typ, offset := it.Next(); n != nil; n, typ, offset = it.Next() {
		if typ.HasPointers() {
			v := frameVar{place: rtabi.FrameVarCaptured, position: offset, name: frameVarName(n.Sym().Name)}
			v.setType(typ)
			vars = append(vars, v)
		}
	}
	slices.Reverse(vars) // to descending offsets
	return vars
}

// frameVars returns the variables of the frame, in the order of the entries.
func (lv *Liveness) frameVars() []frameVar {
	slots := newFrameSlots(lv.f)
	live := make([][]int, len(lv.vars))
	for m, vars := range lv.stackMaps {
		for i := vars.Next(0); i >= 0; i = vars.Next(i + 1) {
			live[i] = append(live[i], m)
		}
	}
	var vars []frameVar
	for i, n := range lv.vars {
		if (live[i] != nil || n.Addrtaken()) && n.Sym().Name != typecheck.LocalDictName {
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

// frameSlots tells how SSA has split variables, and which have got slots of another
// name.
type frameSlots struct {
	byName    map[*ir.Name]*ssa.LocalSlot // also of temporaries that have one variable's values only
	typeWords map[ssa.LocalSlot]int64     // of interfaces that were split: position of the type word
}

func newFrameSlots(f *ssa.Func) *frameSlots {
	slots := &frameSlots{make(map[*ir.Name]*ssa.LocalSlot), make(map[ssa.LocalSlot]int64)}
	for _, s := range f.Names {
		if s.SplitOf != nil {
			slots.byName[s.N] = s
		}
		if s.SplitOf != nil && s.SplitOf.Type.IsInterface() && s.SplitOffset == 0 && s.N.Used() {
			slots.typeWords[*s.SplitOf] = -s.N.FrameOffset()
		}
	}
	slots.nameTemporaries(f)
	return slots
}

// nameTemporaries finds the variables whose values are in temporaries: register
// allocation spills to these what differs in type from the variable, as results of
// generic functions do, or interferes with another value of it.
func (slots *frameSlots) nameTemporaries(f *ssa.Func) {
	named := namedValues(f)
	variables := make(map[*ir.Name]ssa.LocalSlot) // N is nil if there is no one variable
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if int(v.ID) >= len(f.RegAlloc) {
				continue
			}
			home, ok := f.RegAlloc[v.ID].(ssa.LocalSlot)
			if !ok || frameVarName(home.N.Sym().Name) != "" {
				continue
			}
			s := named[spilled(v).ID]
			if before, seen := variables[home.N]; seen && before != s {
				s = ssa.LocalSlot{}
			}
			variables[home.N] = s
		}
	}
	for temporary, s := range variables {
		if s.N != nil && s.Type.Size() == temporary.Type().Size() {
			slots.byName[temporary] = &s
		}
	}
}

// namedValues returns a variable of each value that is one's.
func namedValues(f *ssa.Func) map[ssa.ID]ssa.LocalSlot {
	named := make(map[ssa.ID]ssa.LocalSlot)
	for _, s := range f.Names {
		if frameVarName(s.N.Sym().Name) == "" {
			continue
		}
		for _, v := range f.NamedValues[*s] {
			if named[v.ID].N == nil {
				named[v.ID] = *s
			}
		}
	}
	for _, b := range f.Blocks {
		if b.Kind == ssa.BlockRet && b.Controls[0].Op == ssa.OpMakeResult {
			nameResults(f.OwnAux, b.Controls[0].Args, named)
		}
	}
	return named
}

// nameResults adds to named the values that are returned in registers. SSA does not
// track which values are those of results with a name.
func nameResults(aux *ssa.AuxCall, args []*ssa.Value, named map[ssa.ID]ssa.LocalSlot) {
	for i := range aux.NResults() {
		result := aux.ParamAssignmentForResult(i)
		if len(result.Registers) == 0 {
			continue
		}
		ts, offsets := result.RegisterTypesAndOffsets()
		if len(args) < len(ts) {
			return
		}
		for j, t := range ts {
			v := spilled(args[j])
			if named[v.ID].N == nil && result.Name != nil && frameVarName(result.Name.Sym().Name) != "" {
				named[v.ID] = ssa.LocalSlot{N: result.Name, Type: t, Off: offsets[j]}
			}
		}
		args = args[len(ts):]
	}
}

// spilled returns the value that v is a copy of.
func spilled(v *ssa.Value) *ssa.Value {
	for v.Op == ssa.OpStoreReg || v.Op == ssa.OpLoadReg || v.Op == ssa.OpCopy {
		v = v.Args[0]
	}
	return v
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
		v.form, v.typ = rtabi.FrameVarSliceData, unshaped(t.Elem())
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
	if name := frameVarName(whole.N.Sym().Name); name != "" && !base.Flag.CompilingRuntime {
		v.name = inlinedFrom(whole.N) + name
	}
	return v
}

// inlinedFrom returns what precedes the name of n if that is a variable of an inlined
// function.
func inlinedFrom(n *ir.Name) string {
	if !n.InlFormal() && !n.InlLocal() {
		return ""
	}
	b := base.Ctxt.PosTable.Pos(n.Pos()).Base()
	if b == nil || b.InliningIndex() < 0 {
		return ""
	}
	depth := byte(0)
	for i := b.InliningIndex(); i >= 0; i = base.Ctxt.InlTree.Parent(i) {
		if depth++; depth == rtabi.FrameVarMaxDepth {
			return ""
		}
	}
	return string([]byte{depth, rtabi.FrameVarHash(base.Ctxt.InlTree.InlinedFunction(b.InliningIndex()).Name)})
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
		return "(receiver)"
	case name == "" || strings.Contains(".~#", name[:1]):
		return ""
	}
	return name
}

// setType makes v a variable of type t. Its place is set.
func (v *frameVar) setType(t *types.Type) {
	if t = unpadded(unshaped(t)); v.place == rtabi.FrameVarLocal && t.IsArray() {
		v.count = t.NumElem()
		for t = t.Elem(); t.IsArray(); t = t.Elem() {
			v.count *= t.NumElem()
		}
		t = unshaped(t)
	}
	v.typ = t
	switch t.Kind() {
	case types.TPTR:
		v.form, v.typ = rtabi.FrameVarPointer, unshaped(t.Elem())
	case types.TSLICE:
		v.form, v.typ = rtabi.FrameVarSlice, unshaped(t.Elem())
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

// unshaped returns what type t is if that is the shape of a type argument: the type
// that all arguments of the shape have as underlying one.
func unshaped(t *types.Type) *types.Type {
	if t.IsShape() {
		return t.Underlying()
	}
	return t
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
// therefore its descriptor is asked for. The runtime's own are not worth it.
func (v *frameVar) writeType(x *obj.LSym, off int) int {
	if v.form == rtabi.FrameVarValue && !base.Flag.CompilingRuntime {
		return objw.SymPtrOff(x, off, reflectdata.TypeLinksym(v.typ))
	}
	return objw.SymPtrWeakOff(x, off, typeSymbol(v.typ))
}

// typeSymbol returns the symbol of t's descriptor. types.TypeSym would ask for the
// size of t, which this package may never have computed.
func typeSymbol(t *types.Type) *obj.LSym {
	name := t.LinkString()
	if t.Noalg() {
		name = "noalg." + name
	}
	return types.TypeSymLookup(name).Linksym()
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
		text := binary.AppendUvarint(nil, uint64(len(v.name)))
		off = int(x.WriteBytes(base.Ctxt, int64(off), append(text, v.name...)))
	}
	if v.shared {
		off = objw.Uvarint(x, off, uint64(len(v.live)))
		last := 0
		for _, m := range v.live {
			off = objw.Uvarint(x, off, uint64(m-last))
			last = m
		}
	}
	if v.form == rtabi.FrameVarIfaceData || v.form == rtabi.FrameVarEfaceData {
		off = objw.Uvarint(x, off, uint64(v.itab)/uint64(types.PtrSize))
	}
	return off
}
