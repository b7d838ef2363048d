// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Objects in frames: the variable that has what the compiler puts into a frame
// in place of the heap, because it does not escape. In s := &T{} and s :=
// make([]T, 3), a temporary has the T or the array, and s has its address. The
// temporary then has the name s.
//
// A map consists of two temporaries, the header and the first group. walk makes
// both at one position in the source. Their types do not say which map it is;
// the variable's type says it, and the group's.

package liveness

import (
	"cmd/compile/internal/base"
	"cmd/compile/internal/ir"
	"cmd/compile/internal/ssa"
	"cmd/compile/internal/types"
	"internal/vartable"
	"strings"
)

// FindObjects finds the variables to which f assigns addresses of temporaries.
// It runs before the passes that merge equal addresses, because these forget
// the variables.
func FindObjects(f *ssa.Func) {
	if base.Debug.FrameVars == 0 {
		return
	}
	for _, s := range f.Names {
		if frameVarName(s.N.Sym().Name) == "" {
			continue
		}
		for _, v := range f.NamedValues[*s] {
			if n := objectAt(v); n != nil && isReferenceTo(s.Type, n.Type()) {
				addObject(f, n, s.N)
			}
		}
	}
}

// addObject notes that variable has the address of n. Of several variables, those
// of the outermost functions have the object (see addOwner).
func addObject(f *ssa.Func, n, variable *ir.Name) {
	if f.FrameObjects == nil {
		f.FrameObjects = make(map[*ir.Name][]*ir.Name)
	}
	var owners []*ssa.LocalSlot
	for _, before := range f.FrameObjects[n] {
		owners = append(owners, &ssa.LocalSlot{N: before})
	}
	var names []*ir.Name
	for _, s := range addOwner(owners, &ssa.LocalSlot{N: variable}) {
		names = append(names, s.N)
	}
	f.FrameObjects[n] = names
}

// objectAt returns the temporary to whose beginning v refers, or nil.
func objectAt(v *ssa.Value) *ir.Name {
	for {
		switch v.Op {
		case ssa.OpCopy, ssa.OpNilCheck, ssa.OpSliceMake:
			v = v.Args[0]
		case ssa.OpIMake:
			v = v.Args[1]
		case ssa.OpSelectN: // makemap returns the header that it is given
			call := v.Args[0]
			if !isMakeMap(call) {
				return nil
			}
			v = call.Args[len(call.Args)-2]
		case ssa.OpLocalAddr:
			if n := v.Aux.(*ir.Name); ir.IsAutoTmp(n) {
				return n
			}
			return nil
		default:
			return nil
		}
	}
}

// isMakeMap reports whether v is a call of runtime.makemap. Its last argument
// but the memory is the header or nil.
func isMakeMap(v *ssa.Value) bool {
	aux, ok := v.Aux.(*ssa.AuxCall)
	return ok && aux.Fn != nil && strings.HasPrefix(aux.Fn.Name, "runtime.makemap") && len(v.Args) > 2
}

// isReferenceTo reports whether a variable of type v that has the address of an
// object of type t refers to the object, and not to its first field.
func isReferenceTo(v, t *types.Type) bool {
	switch v.Kind() {
	case types.TPTR:
		return types.Identical(v.Elem(), t)
	case types.TSLICE:
		t = unpadded(t)
		return t.IsArray() && types.Identical(v.Elem(), t.Elem())
	case types.TMAP:
		return isMapHeader(t)
	case types.TFUNC:
		return isClosureType(t)
	case types.TINTER:
		return true
	}
	return false
}

// A frameMap is a map in the frame.
type frameMap struct {
	header, group *ir.Name
	several       bool // the columns of a long line do not tell maps apart
}

// findMaps finds the maps among vars.
func (slots *frameSlots) findMaps(vars []*ir.Name) {
	for _, n := range vars {
		if !ir.IsAutoTmp(n) || !isMapHeader(n.Type()) && mapOfGroup(n.Type()) == nil {
			continue
		}
		m := slots.maps[n.Pos()]
		if m == nil {
			m = new(frameMap)
			slots.maps[n.Pos()] = m
		}
		part := &m.group
		if isMapHeader(n.Type()) {
			part = &m.header
		}
		m.several = m.several || *part != nil
		*part = n
	}
}

// setMap makes v a part of a map if n is one and the type of the map is known.
func (slots *frameSlots) setMap(v *frameVar, n *ir.Name) {
	t, form := mapOfGroup(n.Type()), uint8(vartable.FormMapGroup)
	m := slots.maps[n.Pos()]
	if m == nil || m.several {
		m = new(frameMap)
	}
	if isMapHeader(n.Type()) {
		form = vartable.FormMapHeader
		if s := slots.f.FrameObjects[n]; s != nil && s[0].Type().IsMap() {
			t = s[0].Type()
		} else if m.group != nil {
			t = mapOfGroup(m.group.Type())
		}
	}
	if t == nil || t.HasShape() || !ir.IsAutoTmp(n) {
		return
	}
	v.setElem(t)
	v.Form = form
	if form == vartable.FormMapGroup && m.header != nil {
		_, v.Itab = framePosition(m.header)
	}
}

// isMapHeader reports whether t is the type of the headers of maps.
func isMapHeader(t *types.Type) bool {
	sym := t.Sym()
	return sym != nil && sym.Name == "Map" && sym.Pkg == ir.Pkgs.InternalMaps
}

// mapOfGroup returns the type of the map if t is the type of a map's groups.
func mapOfGroup(t *types.Type) *types.Type {
	if !t.IsStruct() {
		return nil
	}
	return t.StructType().Map
}
