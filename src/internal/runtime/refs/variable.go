// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Variables of frames and closures: to which variable a word belongs.
//
// The compiler writes an entry for each captured variable that has pointers or
// is captured by reference, and for each argument and local that a stack map
// has or that is a stack object (package internal/vartable). The dictionaries
// of generic code have no entries. A variable that is one reference has a node
// below the node of its frame or closure. So has a struct, an array, or a
// closure on the stack, and its references have nodes below that node.

package refs

import (
	"internal/abi"
	"internal/profilerecord"
	"internal/vartable"
)

// A Variable is a variable of a frame or closure.
type Variable struct {
	vartable.FrameEntry
	Entry    uintptr // address of the entry
	Type     uintptr // *abi.Type, as vartable's forms say, or 0
	Argument bool    // Type is a type argument from the dictionary
}

// Start returns the position of v in bytes: from the beginning of the closure
// for captured variables, above argp for arguments, and below varp for locals.
func (v *Variable) Start() uintptr { return uintptr(v.Position) * ptrSize }

// Reaches reports whether the variable that starts at a position may have the
// word at pos, an offset in bytes: in the closure if place is
// vartable.PlaceCaptured, above argp if it is vartable.PlaceArg, and below varp
// if it is vartable.PlaceLocal. The first such variable of a function has the
// word.
func Reaches(place uint8, start, pos uintptr) bool {
	if place == vartable.PlaceLocal {
		return start >= pos
	}
	return start <= pos
}

// Has reports whether v, an entry of a function, is live and may have the word
// at pos of a place (see Reaches).
func (v *Variable) Has(place uint8, pos uintptr) bool {
	return v.Place == place && v.Live && Reaches(place, v.Start(), pos)
}

// VariableSlot returns the reference that v is, if it is one.
func (ps *Paths) VariableSlot(v *Variable) Slot {
	s := Slot{Type: v.Type}
	switch v.Form {
	case vartable.FormPointer, vartable.FormSliceData:
		s.Kind = SlotPointer
	case vartable.FormSlice:
		s.Kind = SlotSlice
	case vartable.FormString:
		s.Kind, s.Type = SlotString, ps.Known.Byte
	case vartable.FormStringData:
		s.Kind, s.Type = SlotPointer, ps.Known.Byte
	case vartable.FormMap:
		s.Kind = SlotMap
	case vartable.FormChan:
		s.Kind = SlotChan
	case vartable.FormFunc:
		return Slot{Kind: SlotFunc}
	case vartable.FormEface, vartable.FormEfaceData:
		return Slot{Kind: SlotEface}
	case vartable.FormIface, vartable.FormIfaceData:
		return Slot{Kind: SlotIface}
	}
	if s.Type == 0 {
		s.Kind = SlotUnsafe
	} else if v.Form == vartable.FormUnsafe { // the type is a type argument
		return ps.slotOf(typeAt(s.Type), 0, 0)
	}
	return s
}

// variable is Resolve for a reference in variable v of a frame or closure. On
// entry key.Parent is the node of the frame or closure, key.Kind and key.Place
// identify the variable, and e.Off is the offset in the variable.
func (ps *Paths) variable(e *Edge, v *Variable, o *Target, key *Key) bool {
	switch v.Form {
	case vartable.FormValue:
		if !ps.Heap.IsType(typeAt(v.Type)) {
			return ps.Unknown(o, key)
		}
		key.Role, key.Type = profilerecord.RefsVariable, v.Type
		return ps.in(e, key, o)
	case vartable.FormClosure:
		pc := ps.Heap.Word(e.Slot-e.Off, e.Slot)
		if !ps.Heap.IsEntry(pc) {
			return ps.Unknown(o, key)
		}
		key.Role, key.Func = profilerecord.RefsClosure, pc
		return ps.in(e, key, o)
	case vartable.FormIfaceData, vartable.FormEfaceData:
		return ps.splitInterface(e, v, o, key)
	case vartable.FormMapHeader, vartable.FormMapGroup:
		if !ps.isKind(v.Type, abi.Map) {
			return ps.Unknown(o, key)
		}
		key.Role, key.Type = profilerecord.RefsMap, v.Type
		if v.Form == vartable.FormMapGroup {
			*key = Key{Parent: ps.Find(key), Kind: profilerecord.RefsMapTable, Role: RoleGroups, Type: v.Type}
		}
		return ps.in(e, key, o)
	}
	exact := ps.target(e, ps.VariableSlot(v), o, key)
	if v.Form == vartable.FormSliceData || v.Form == vartable.FormStringData || v.Argument || !v.Named && v.Form != vartable.FormChan {
		o.Extent = Extent{} // the length, if there is one, is elsewhere; without a name, there may be one
	}
	if v.Form == vartable.FormSliceData {
		key.Variant = 0 // as any slice's array
	}
	if v.Argument && key.Role == profilerecord.RefsObject {
		key.Arg = v.Type
	}
	return exact
}

// in is Resolve for a reference in the variable that key describes. It replaces
// key with the key of the reference.
func (ps *Paths) in(e *Edge, key *Key, o *Target) bool {
	in := *e
	in.From = ps.Find(key)
	if stride := ps.Stride(in.From); stride != 0 {
		in.Off %= stride
	}
	return ps.Resolve(&in, o, key)
}

// splitInterface is variable for a variable that is only the data word of an
// interface. The type word is another local, or is not in the frame. A local
// may still have the type word of an earlier value of the interface.
func (ps *Paths) splitInterface(e *Edge, v *Variable, o *Target, key *Key) bool {
	if v.Itab == 0 {
		return ps.Unknown(o, key)
	}
	typeWord := e.Slot + v.Start() - uintptr(v.Itab)*ptrSize // both are locals
	s := ps.VariableSlot(v)
	ps.dynamic(e, ps.DynamicType(s.Kind, ps.Heap.Word(typeWord, e.Slot)), o, key)
	o.Extent = Extent{}
	return false
}

// captured is Resolve for a reference in a closure of the function at pc.
func (ps *Paths) captured(e *Edge, pc uintptr, o *Target, key *Key) bool {
	key.Kind = profilerecord.RefsCaptured
	v, ok := ps.Heap.Captured(e.User, pc, e.Off)
	if !ok {
		return ps.Unknown(o, key)
	}
	ps.SetCapturedArgument(&v, e.Slot-e.Off, e.Slot)
	key.Place = v.Start()
	in := *e
	in.Off -= v.Start()
	exact := ps.variable(&in, &v, o, key)
	if v.Dict.Known {
		o.Check = CheckNever // the key depends on the closure's dictionary, too
	}
	return exact
}

// SetCapturedArgument sets the type of v, if that is a type argument, from the
// dictionary of the closure at p. The word at near is part of the closure. The
// memory at p may be another object by now.
func (ps *Paths) SetCapturedArgument(v *Variable, p, near uintptr) {
	if !v.Dict.Known || v.Dict.Place != vartable.PlaceCaptured {
		return
	}
	dict := ps.Heap.Word(p+uintptr(v.Dict.Position)*ptrSize, near)
	if dict%ptrSize == 0 && ps.Heap.IsReadable(dict+uintptr(v.Dict.Word)*ptrSize, ptrSize) {
		ps.setArgument(v, dict)
	}
}

// setArgument sets the type of v, which is a type argument, from the dictionary
// at an address.
func (ps *Paths) setArgument(v *Variable, dict uintptr) {
	at := dict + uintptr(v.Dict.Word)*ptrSize
	if t := ps.Heap.TypeIn(ps.Heap.Word(at, at)); t != nil {
		v.Type, v.Argument = addressOf(t), true
	}
}

// Describe fills in those fields of r, the record of a node with the key, that
// describe the node's variable v. It returns the type that describes v in the
// form that r has. If v's type is a type argument, the type comes from the key,
// because v does not have it.
func (k *Key) Describe(v *Variable, r *profilerecord.RefsNode) (static *abi.Type) {
	r.Form, r.Count, r.Offset = v.Form, uintptr(v.Count), 0
	r.InlineDepth, r.InlineHash = v.InlineDepth, v.InlineHash
	switch {
	case !v.Dict.Known:
	case k.Role == profilerecord.RefsVariable:
		return typeAt(k.Type)
	case k.Role == profilerecord.RefsObject && k.Arg != 0:
		return typeAt(k.Arg)
	}
	return typeAt(v.Type)
}
