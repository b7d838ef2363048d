// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Frame slots: the variable in the source to which a slot of a frame belongs.
// SSA splits variables, and register allocation spills values to slots that
// have other names. newFrameVar (framevars.go) looks up each slot.

package liveness

import (
	"cmd/compile/internal/ir"
	"cmd/compile/internal/ssa"
	"cmd/internal/src"
	"slices"
)

// frameSlots says how SSA has split variables, and which variables have slots
// with another name.
type frameSlots struct {
	f         *ssa.Func
	byName    map[*ir.Name]*ssa.LocalSlot // includes temporaries that have values of only one variable
	typeWords map[ssa.LocalSlot]uint32    // for split interfaces: position of the type word, in words
	maps      map[src.XPos]*frameMap      // by position in the source
}

func newFrameSlots(f *ssa.Func) *frameSlots {
	slots := &frameSlots{f, make(map[*ir.Name]*ssa.LocalSlot), make(map[ssa.LocalSlot]uint32), make(map[src.XPos]*frameMap)}
	for _, s := range f.Names {
		if s.SplitOf != nil {
			slots.byName[s.N] = s
		}
		if s.SplitOf != nil && s.SplitOf.Type.IsInterface() && s.SplitOffset == 0 && s.N.Used() {
			slots.typeWords[*s.SplitOf] = frameWords(-s.N.FrameOffset())
		}
	}
	slots.nameTemporaries(f)
	return slots
}

// nameTemporaries finds the variables whose values are in temporaries. Register
// allocation spills a value of a variable to a temporary if the value's type
// differs from the variable's (results of generic functions are an example), if
// the value interferes with another value of the variable, or if the value was
// assigned to a parameter.
func (slots *frameSlots) nameTemporaries(f *ssa.Func) {
	spills := temporarySpills(f)
	if len(spills) == 0 {
		return
	}
	named := namedValues(f, spills)
	variables := make(map[*ir.Name]ssa.LocalSlot) // N is nil if there are several
	for _, v := range spills {
		temporary := f.RegAlloc[v.ID].(ssa.LocalSlot).N
		s := named[spilled(v).ID]
		if before, seen := variables[temporary]; seen && before != s {
			s = ssa.LocalSlot{}
		}
		variables[temporary] = s
	}
	for temporary, s := range variables {
		if s.N != nil && s.Type.Size() == temporary.Type().Size() {
			slots.byName[temporary] = &s
		}
	}
}

// temporarySpills returns the values whose home is a temporary.
func temporarySpills(f *ssa.Func) (spills []*ssa.Value) {
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if int(v.ID) >= len(f.RegAlloc) {
				continue
			}
			if home, ok := f.RegAlloc[v.ID].(ssa.LocalSlot); ok && frameVarName(home.N.Sym().Name) == "" {
				spills = append(spills, v)
			}
		}
	}
	return spills
}

// namedValues returns, for each value that has been spilled to a temporary and
// belongs to one or more variables, one of these variables. It also returns
// variables of some other values.
func namedValues(f *ssa.Func, spills []*ssa.Value) map[ssa.ID]ssa.LocalSlot {
	wanted := make([]bool, f.NumValues())
	named := make(map[ssa.ID]ssa.LocalSlot)
	for _, v := range spills {
		v = spilled(v)
		wanted[v.ID] = true
		if aux, ok := v.Aux.(*ssa.AuxNameOffset); ok && frameVarName(aux.Name.Sym().Name) != "" {
			named[v.ID] = ssa.LocalSlot{N: aux.Name, Type: v.Type, Off: aux.Offset} // a part of an argument
		}
	}
	phis := wantedPhis(f, wanted)
	for _, s := range f.Names {
		if frameVarName(s.N.Sym().Name) == "" {
			continue
		}
		for _, v := range f.NamedValues[*s] {
			if wanted[v.ID] && named[v.ID].N == nil {
				named[v.ID] = *s
			}
		}
	}
	for _, b := range f.Blocks {
		if b.Kind == ssa.BlockRet && b.Controls[0].Op == ssa.OpMakeResult {
			nameResults(f.OwnAux, b.Controls[0].Args, named)
		}
	}
	for _, v := range phis {
		for _, a := range v.Args {
			a = spilled(a)
			if s := named[v.ID]; s.N != nil && named[a.ID].N == nil {
				named[a.ID] = s
			}
		}
	}
	return named
}

// wantedPhis returns the phis that merge wanted values, and makes them wanted. A
// value that a phi merges into a variable is assigned to the variable, although
// only the phi may have its name.
func wantedPhis(f *ssa.Func, wanted []bool) (phis []*ssa.Value) {
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == ssa.OpPhi && slices.ContainsFunc(v.Args, func(a *ssa.Value) bool { return wanted[spilled(a).ID] }) {
				wanted[v.ID] = true
				phis = append(phis, v)
			}
		}
	}
	return phis
}

// nameResults adds to named the values that are returned in registers, because
// SSA does not track which values belong to named results.
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

// spilled returns the value of which v is a copy, or v if it is no copy.
func spilled(v *ssa.Value) *ssa.Value {
	for v.Op == ssa.OpStoreReg || v.Op == ssa.OpLoadReg || v.Op == ssa.OpCopy {
		v = v.Args[0]
	}
	return v
}
