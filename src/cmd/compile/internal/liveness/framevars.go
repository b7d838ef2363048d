// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Frame variables: the names and types of the variables that the pointers in a
// function's frame and closures belong to. The refs profile names the contents
// of stacks and closures by them. Package internal/vartable defines the format,
// and runtime/mrefsvars.go reads it. Compute calls emitFrameVars.
//
// Entries refer to types by weak references and do not request descriptors, so
// they add little to a binary. Structs and arrays are the exception: see
// writeType. The types serve to name the parts of objects on the heap, and the
// types of such objects have descriptors in any case.
//
// Variables in frames of the runtime's own functions, and of wrappers, have
// types only. Their names mean little to somebody who wants to know what is on
// the heap.
//
// SSA splits strings, slices and interfaces, and keeps in the frame only the
// parts that it needs. Each of these parts has the name of the whole variable
// (see frameslots.go).

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
	"internal/vartable"
)

// A frameVar is one entry.
type frameVar struct {
	vartable.FrameVar
	typ   *types.Type // type in the entry
	shape *types.Type // shape of the type argument from which typ comes; nil if typ comes from none, or if the variable may be of an inlined function
}

// emitFrameVars emits the function's frame variables as funcdata, if it has
// any.
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
	w := frameVarWriter{fn: lv.fn}
	w.add(captured, capturedDict(lv.fn))
	w.add(vars, lv.frameDict(live))
	w.write(x)

	p := pp.Prog(obj.AFUNCDATA)
	p.From.SetConst(rtabi.FUNCDATA_FrameVars)
	p.To.Type = obj.TYPE_MEM
	p.To.Name = obj.NAME_EXTERN
	p.To.Sym = x
}

// A frameVarWriter encodes entries.
type frameVarWriter struct {
	fn    *ir.Func
	bytes []byte
	types []frameVarType
}

// A frameVarType is a reference, still to be written, to the type of v. The
// field at is its offset in the bytes.
type frameVarType struct {
	v  *frameVar
	at int
}

// add adds vars. If the type in a variable's entry comes from a type argument
// that a word of the dictionary has, add first writes a record of that word.
// Before the first of these records, it writes a record of the place of dict,
// the dictionary. dict is nil if there is none.
func (w *frameVarWriter) add(vars []frameVar, dict *frameVar) {
	placed := false // whether the place of dict has been written
	for i := range vars {
		v := &vars[i]
		if word := w.fn.DictWord(v.shape); word >= 0 && dict != nil {
			if !placed {
				placed = true
				w.bytes = vartable.AppendDict(w.bytes, dict.Place, dict.Position, dict.Live)
			}
			w.bytes = vartable.AppendTypeArg(w.bytes, uint32(word))
		}
		var at int
		if w.bytes, at = v.Append(w.bytes); at >= 0 {
			w.types = append(w.types, frameVarType{v, at})
		}
	}
}

// write writes the entries to x.
func (w *frameVarWriter) write(x *obj.LSym) {
	x.WriteBytes(base.Ctxt, 0, vartable.AppendEnd(w.bytes))
	for _, t := range w.types {
		t.v.writeType(x, t.at)
	}
}

// capturedDict returns the dictionary in the function's closures, or nil.
func capturedDict(fn *ir.Func) *frameVar {
	it := typecheck.NewClosureStructIter(fn.ClosureVars)
	for n, _, offset := it.Next(); n != nil; n, _, offset = it.Next() {
		if n.Sym().Name == typecheck.LocalDictName {
			return newCaptured(offset)
		}
	}
	return nil
}

// newCaptured returns a variable at an offset in the function's closures.
func newCaptured(offset int64) *frameVar {
	return &frameVar{FrameVar: vartable.FrameVar{Place: vartable.PlaceCaptured, Position: frameWords(offset)}}
}

// frameWords converts a number of bytes to a number of words.
func frameWords(bytes int64) uint32 { return uint32(bytes / int64(types.PtrSize)) }

// frameDict returns the function's dictionary in the frame, or nil. It skips
// the dictionaries of inlined functions.
func (lv *Liveness) frameDict(live [][]int) *frameVar {
	for i, n := range lv.vars {
		if n.Sym().Name == typecheck.LocalDictName && !isInlined(n) {
			dict := new(frameVar)
			dict.Live = live[i]
			dict.Place, dict.Position = framePosition(n)
			return dict
		}
	}
	return nil
}

// capturedVars returns the variables that fn captures if it is the function of
// closures, except the dictionary. A variable without pointers is among them
// only if it is captured by reference.
func capturedVars(fn *ir.Func) []frameVar {
	var vars []frameVar
	it := typecheck.NewClosureStructIter(fn.ClosureVars)
	for n, typ, offset := it.Next(); n != nil; n, typ, offset = it.Next() {
		if typ.HasPointers() && n.Sym().Name != typecheck.LocalDictName {
			v := newCaptured(offset)
			v.Name = frameVarName(capturedName(n))
			v.setType(typ)
			vars = append(vars, *v)
		}
	}
	slices.Reverse(vars) // descending offsets
	return vars
}

// capturedName returns the name of a captured variable. A deferred call, or one
// of a go statement, captures a copy of each argument: this has the name of the
// argument if that is a variable.
func capturedName(n *ir.Name) string {
	if as, ok := n.Canonical().Defn.(*ir.AssignListStmt); ok && ir.IsAutoTmp(n.Canonical()) {
		if i := slices.Index(as.Lhs, ir.Node(n.Canonical())); i >= 0 && i < len(as.Rhs) && as.Rhs[i] != nil && as.Rhs[i].Op() == ir.ONAME {
			return as.Rhs[i].Sym().Name
		}
	}
	return n.Sym().Name
}

// frameVars returns the variables of the frame that have entries, in the order
// of the entries. live has, for each variable of lv.vars, the stack maps that
// have it.
func (lv *Liveness) frameVars(live [][]int) []frameVar {
	slots := newFrameSlots(lv.f)
	slots.findMaps(lv.vars)
	var vars []frameVar
	for i, n := range lv.vars {
		isObject := n.Addrtaken() && n.Esc() != ir.EscHeap
		if (live[i] != nil || isObject) && n.Sym().Name != typecheck.LocalDictName {
			v := slots.newFrameVar(n)
			v.Live = live[i]
			vars = append(vars, v)
		}
	}
	slices.SortStableFunc(vars, func(a, b frameVar) int {
		if a.Place != b.Place || a.Place == vartable.PlaceLocal {
			return cmp.Or(cmp.Compare(a.Place, b.Place), cmp.Compare(a.Position, b.Position))
		}
		return cmp.Compare(b.Position, a.Position)
	})
	for i := range vars[:max(len(vars), 1)-1] {
		if a, b := &vars[i], &vars[i+1]; a.Place == b.Place && a.Position == b.Position {
			a.Shared, b.Shared = true, true
		}
	}
	return vars
}

// liveMaps returns, for each variable of lv.vars, the stack maps that have it.
func (lv *Liveness) liveMaps() [][]int {
	live := make([][]int, len(lv.vars))
	for m, vars := range lv.stackMaps {
		for i := vars.Next(0); i >= 0; i = vars.Next(i + 1) {
			live[i] = append(live[i], m)
		}
	}
	return live
}

// newFrameVar returns the entry for n without Live and Shared, which frameVars
// sets.
func (slots *frameSlots) newFrameVar(n *ir.Name) frameVar {
	s := slots.byName[n]
	if s == nil {
		s = &ssa.LocalSlot{N: n, Type: n.Type()}
	}
	v := frameVar{}
	v.Place, v.Position = framePosition(n)
	whole := s.SplitOf
	if whole == nil {
		whole = s
	}
	switch t := whole.Type; {
	case s.Type == t:
		v.setType(t)
	case t.IsString():
		v.Form = vartable.FormStringData
	case t.IsSlice():
		v.Form = vartable.FormSliceData
		v.setElem(t.Elem())
	case t.IsInterface():
		v.Form, v.typ = vartable.FormIfaceData, t
		if t.IsEmptyInterface() {
			v.Form = vartable.FormEfaceData
		}
		v.Itab = slots.typeWords[*whole]
	default:
		v.setType(s.Type)
		whole = s
	}
	slots.setMap(&v, n)
	owner, name := slots.nameOf(n, whole)
	if name == "" || owner != root(whole) || isInlined(owner) {
		v.shape = nil // the variable may be of an inlined function, which has other type arguments
	}
	if name != "" && !base.Flag.CompilingRuntime && (!n.Curfn.Wrapper() || isInlined(owner)) {
		v.setName(name, owner, n.Curfn)
	}
	return v
}

// isInlined reports whether n is a variable of an inlined function.
func isInlined(n *ir.Name) bool { return n.InlFormal() || n.InlLocal() }

// setName sets the name of v, whose variable is owner. If that is of an inlined
// function, the name is of use only with the depth of that function and the hash
// of its name, so a variable below MaxInlineDepth has no name. Depths do not
// count fn, the function that has the frame, if that is a wrapper: stacks do not
// show wrappers that call another function.
func (v *frameVar) setName(name string, owner *ir.Name, fn *ir.Func) {
	calls := inlinedIn(owner)
	depth := len(calls)
	if fn.Wrapper() {
		depth--
	}
	if depth > vartable.MaxInlineDepth {
		return
	}
	v.Name = name
	if depth > 0 {
		v.InlineDepth = uint8(depth)
		v.InlineHash = vartable.FunctionHash(base.Ctxt.InlTree.InlinedFunction(calls[0]).Name)
	}
}

// framePosition returns where n is in the frame. Results in registers are
// locals.
func framePosition(n *ir.Name) (place uint8, position uint32) {
	if n.Class == ir.PAUTO || n.IsOutputParamInRegisters() {
		return vartable.PlaceLocal, frameWords(-n.FrameOffset())
	}
	return vartable.PlaceArg, frameWords(n.FrameOffset())
}

// frameVarName returns the name that a variable has in the source. It returns
// vartable.Receiver for the receiver that a method value captures, and "" for
// results without a name and for other variables that the compiler has made.
// The name "&x", of the pointer to a variable x that was moved to the heap,
// becomes "x".
func frameVarName(name string) string {
	name = strings.TrimPrefix(name, "&")
	switch {
	case name == ".this":
		return vartable.Receiver
	case name == "" || strings.Contains(".~#", name[:1]):
		return ""
	}
	return name
}

// setType makes v a variable of type t. The caller has set v's place.
func (v *frameVar) setType(t *types.Type) {
	if t = unpadded(t); v.Place == vartable.PlaceLocal && t.IsArray() {
		v.Count = uint32(t.NumElem())
		for t = t.Elem(); t.IsArray(); t = t.Elem() {
			v.Count *= uint32(t.NumElem())
		}
	}
	v.setElem(t)
	t = v.typ
	switch t.Kind() {
	case types.TPTR:
		v.Form = vartable.FormPointer
		v.setElem(t.Elem())
	case types.TSLICE:
		v.Form = vartable.FormSlice
		v.setElem(t.Elem())
	case types.TSTRING:
		v.Form = vartable.FormString
	case types.TMAP:
		v.Form = vartable.FormMap
	case types.TCHAN:
		v.Form = vartable.FormChan
	case types.TFUNC:
		v.Form = vartable.FormFunc
	case types.TUNSAFEPTR:
		v.Form = vartable.FormUnsafe
	case types.TINTER:
		v.Form = vartable.FormIface
		if t.IsEmptyInterface() {
			v.Form = vartable.FormEface
		}
	default:
		v.Form = vartable.FormValue
		if isClosureType(t) {
			v.Form = vartable.FormClosure
		}
	}
}

// setElem sets the type of the entry. If t is a shape, it sets the underlying
// type that all type arguments of this shape have. If that is a pointer type,
// it sets unsafe.Pointer, because most pointer types share one shape.
func (v *frameVar) setElem(t *types.Type) {
	v.typ, v.shape = t, nil
	if t.IsShape() {
		v.typ, v.shape = t.Underlying(), t
		if v.typ.IsPtr() {
			v.typ = types.Types[types.TUNSAFEPTR]
		}
	}
}

// unpadded returns the array in t if t is the type of a buffer on the stack. In
// such a type, walk puts an empty array before the buffer to align it.
func unpadded(t *types.Type) *types.Type {
	if t.IsStruct() && t.Noalg() && t.NumFields() == 2 && t.Field(0).Sym.IsBlank() && t.Field(1).Type.IsArray() {
		return t.Field(1).Type
	}
	return t
}

// isClosureType reports whether t is the type of a closure or of a method
// value, as typecheck.ClosureType and typecheck.MethodValueType make it.
func isClosureType(t *types.Type) bool {
	return t.IsStruct() && t.Sym() == nil && t.Noalg() && t.NumFields() > 0 &&
		t.Field(0).Sym.Name == "F" && t.Field(0).Type == types.Types[types.TUINTPTR]
}

// writeType writes the reference to v's type to x, at offset off. For a struct
// or array (FormValue) it requests the descriptor, because the heap may have no
// object of the type. It does not do so in the runtime's packages. PlainShape
// replaces a type whose descriptor would refer to wrappers that the compiler
// does not make.
func (v *frameVar) writeType(x *obj.LSym, off int) {
	if v.Form == vartable.FormValue && !base.Flag.CompilingRuntime {
		objw.SymPtrOff(x, off, reflectdata.TypeLinksym(reflectdata.PlainShape(v.typ)))
	} else {
		objw.SymPtrWeakOff(x, off, reflectdata.WeakTypeSym(v.typ))
	}
}
