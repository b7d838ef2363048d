// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Frame slots: the variables in the source to which a slot of a frame belongs.
// SSA splits variables, and register allocation spills values to slots that
// have other names. newFrameVar (framevars.go) looks up each slot.
//
// SSA has no copies of values: after b := a, the value of a belongs to both
// variables, and the compiler no longer knows when. A slot with such a value has
// both names, because only one of them would be wrong half of the time.

package liveness

import (
	"cmd/compile/internal/base"
	"cmd/compile/internal/ir"
	"cmd/compile/internal/ssa"
	"cmd/compile/internal/types"
	"cmd/internal/src"
	"cmp"
	"slices"
	"strings"
)

// frameSlots says how SSA has split variables, and which variables have the
// values that are spilled to slots.
type frameSlots struct {
	f         *ssa.Func
	byName    map[*ir.Name]*ssa.LocalSlot   // includes temporaries that have values of the same variables
	owners    map[*ir.Name][]*ssa.LocalSlot // by slot, the variables (see addOwner)
	typeWords map[ssa.LocalSlot]uint32      // for split interfaces: position of the type word, in words
	maps      map[src.XPos]*frameMap        // by position in the source
}

func newFrameSlots(f *ssa.Func) *frameSlots {
	slots := &frameSlots{
		f:         f,
		byName:    make(map[*ir.Name]*ssa.LocalSlot),
		owners:    make(map[*ir.Name][]*ssa.LocalSlot),
		typeWords: make(map[ssa.LocalSlot]uint32),
		maps:      make(map[src.XPos]*frameMap),
	}
	for _, s := range f.Names {
		if s.SplitOf != nil {
			slots.byName[s.N] = s
		}
		if s.SplitOf != nil && s.SplitOf.Type.IsInterface() && s.SplitOffset == 0 && s.N.Used() {
			slots.typeWords[*s.SplitOf] = frameWords(-s.N.FrameOffset())
		}
	}
	slots.findOwners()
	return slots
}

// findOwners finds the variables whose values are in slots. Register allocation
// spills a value of a variable to a temporary if the value's type differs from
// the variable's (results of generic functions are an example), if the value
// interferes with another value of the variable, or if the value was assigned to
// a parameter. A temporary has names only if all its values have the same ones.
func (slots *frameSlots) findOwners() {
	spills := pointerSpills(slots.f)
	if len(spills) == 0 {
		return
	}
	named := namedValues(slots.f, spills)
	for _, v := range spills {
		home := slots.f.RegAlloc[v.ID].(ssa.LocalSlot).N
		list := named[spilled(v).ID]
		if before, seen := slots.owners[home]; seen {
			list = slots.ownersOfBoth(home, before, list)
		}
		slots.owners[home] = list
	}
	for home, list := range slots.owners {
		if frameVarName(home.Sym().Name) != "" || slots.byName[home] != nil || len(list) == 0 {
			continue
		}
		if s := list[0]; s.Type.Size() == home.Type().Size() {
			slots.byName[home] = s
		} else {
			slots.owners[home] = nil
		}
	}
}

// ownersOfBoth returns the variables of a slot that has values of two lists.
func (slots *frameSlots) ownersOfBoth(home *ir.Name, a, b []*ssa.LocalSlot) []*ssa.LocalSlot {
	switch {
	case slices.EqualFunc(a, b, isSame):
		return a
	case frameVarName(home.Sym().Name) == "" && slots.byName[home] == nil:
		return nil
	case len(a) == 0 || len(b) == 0 || !slices.Equal(inlinedIn(root(a[0])), inlinedIn(root(b[0]))):
		return []*ssa.LocalSlot{cmp.Or(slots.byName[home], &ssa.LocalSlot{N: home, Type: home.Type()})}
	}
	a = slices.Clip(a)
	for _, s := range b {
		a = addOwner(a, s)
	}
	return a
}

// pointerSpills returns the values that are spilled to slots with pointers.
func pointerSpills(f *ssa.Func) (spills []*ssa.Value) {
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if int(v.ID) >= len(f.RegAlloc) {
				continue
			}
			if home, ok := f.RegAlloc[v.ID].(ssa.LocalSlot); ok && home.N.Type().HasPointers() {
				spills = append(spills, v)
			}
		}
	}
	return spills
}

// namedValues returns, for each value that has been spilled, the variables to
// which it belongs. It also returns variables of some other values.
func namedValues(f *ssa.Func, spills []*ssa.Value) map[ssa.ID][]*ssa.LocalSlot {
	wanted := make([]bool, f.NumValues())
	named := make(map[ssa.ID][]*ssa.LocalSlot)
	for _, v := range spills {
		v = spilled(v)
		wanted[v.ID] = true
		if aux, ok := v.Aux.(*ssa.AuxNameOffset); ok && frameVarName(aux.Name.Sym().Name) != "" && named[v.ID] == nil {
			named[v.ID] = []*ssa.LocalSlot{partOf(aux.Name, v.Type, aux.Offset)}
		}
	}
	for _, s := range f.Names {
		if sourceName(s) == "" {
			continue
		}
		for _, v := range f.NamedValues[*s] {
			if wanted[v.ID] {
				named[v.ID] = addOwner(named[v.ID], s)
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

// addOwner adds s to the variables of a value. A variable of an inlined function
// counts only if no function around that one has a variable with the value, and
// of two functions at the same depth the later one counts, because that may
// still run: a result of the first is often an argument of the second.
func addOwner(list []*ssa.LocalSlot, s *ssa.LocalSlot) []*ssa.LocalSlot {
	if len(list) == 0 {
		return append(list, s)
	}
	a, b := inlinedIn(root(list[0])), inlinedIn(root(s))
	switch c := cmp.Compare(len(b), len(a)); {
	case c > 0:
		return list
	case c < 0 || !slices.Equal(a, b):
		return []*ssa.LocalSlot{s}
	}
	if slices.ContainsFunc(list, func(o *ssa.LocalSlot) bool { return sourceName(o) == sourceName(s) }) {
		return list
	}
	return append(list, s)
}

// inlinedIn returns the inlined calls in which n is a variable, innermost first.
func inlinedIn(n *ir.Name) (calls []int) {
	if !isInlined(n) {
		return nil
	}
	b := base.Ctxt.PosTable.Pos(n.Pos()).Base()
	if b == nil {
		return nil
	}
	for i := b.InliningIndex(); i >= 0; i = base.Ctxt.InlTree.Parent(i) {
		calls = append(calls, i)
	}
	return calls
}

// partOf returns the part of n with a type at an offset.
func partOf(n *ir.Name, t *types.Type, off int64) *ssa.LocalSlot {
	s := &ssa.LocalSlot{N: n, Type: n.Type()}
	for {
		switch in := s.Type; {
		case in.IsStruct():
			i := slices.IndexFunc(in.Fields(), func(f *types.Field) bool { return f.Offset <= off && off < f.Offset+f.Type.Size() })
			if i < 0 {
				return s
			}
			f := in.Field(i)
			off -= f.Offset
			s = &ssa.LocalSlot{N: n, Type: f.Type, Off: s.Off + f.Offset, SplitOf: s, SplitOffset: f.Offset}
		case in.IsArray() && in.NumElem() == 1:
			s = &ssa.LocalSlot{N: n, Type: in.Elem(), Off: s.Off, SplitOf: s}
		case in.Size() != t.Size(): // of a string, a slice or an interface
			return &ssa.LocalSlot{N: n, Type: t, Off: s.Off + off, SplitOf: s, SplitOffset: off}
		default:
			return s
		}
	}
}

// isSame reports whether a and b are the same part of a variable.
func isSame(a, b *ssa.LocalSlot) bool {
	return a.Type == b.Type && root(a) == root(b) && sourceName(a) == sourceName(b)
}

// root returns the variable of which s is the whole or a part.
func root(s *ssa.LocalSlot) *ir.Name {
	for s.SplitOf != nil {
		s = s.SplitOf
	}
	return s.N
}

// sourceName returns what s is in the source: a variable x, or a part of it such
// as x.field, or "" if the compiler has made the variable.
func sourceName(s *ssa.LocalSlot) string {
	if s.SplitOf == nil {
		return frameVarName(s.N.Sym().Name)
	}
	name, t := sourceName(s.SplitOf), s.SplitOf.Type
	switch {
	case name == "":
		return ""
	case t.IsArray():
		return name + "[0]"
	case t.IsStruct():
		for _, f := range t.Fields() {
			if f.Offset == s.SplitOffset && f.Sym != nil && types.Identical(f.Type, s.Type) {
				return name + "." + f.Sym.Name
			}
		}
	}
	return name // the part of a string, a slice or an interface
}

// mostNames is the greatest number of names that a slot has.
const mostNames = 3

// nameOf returns the names of a slot, separated by commas, and the variable that
// has the first. whole is the variable that newFrameVar has found.
func (slots *frameSlots) nameOf(n *ir.Name, whole *ssa.LocalSlot) (owner *ir.Name, name string) {
	var names []string
	if objects := slots.f.FrameObjects[n]; objects != nil {
		owner = objects[0]
		for _, o := range objects {
			names = append(names, frameVarName(o.Sym().Name))
		}
	} else {
		list := slots.owners[n]
		if list == nil {
			list = []*ssa.LocalSlot{whole}
		}
		owner = root(list[0])
		for _, s := range list {
			names = append(names, sourceName(s))
		}
	}
	if len(names) > mostNames {
		return owner, ""
	}
	return owner, strings.Join(names, ",")
}

// nameResults adds to named the values that are returned in registers, because
// SSA does not track which values belong to named results.
func nameResults(aux *ssa.AuxCall, args []*ssa.Value, named map[ssa.ID][]*ssa.LocalSlot) {
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
			if named[v.ID] == nil && result.Name != nil && frameVarName(result.Name.Sym().Name) != "" {
				named[v.ID] = []*ssa.LocalSlot{partOf(result.Name, t, offsets[j])}
			}
		}
		args = args[len(ts):]
	}
}

// spilled returns the value of which v is a copy, or v if it is no copy.
func spilled(v *ssa.Value) *ssa.Value {
	for v.Op == ssa.OpStoreReg || v.Op == ssa.OpLoadReg || v.Op == ssa.OpCopy {
		v = v.Args[0]
	}
	return v
}
