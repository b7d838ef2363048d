// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds the variables of frames and closures by the entries that the
// compiler has written (internal/vartable).

package core

import (
	"internal/abi"
	"internal/vartable"
)

// A variable is a variable of a frame or closure.
type variable struct {
	vartable.FrameEntry
	entry    uint64 // address of the entry
	name     string
	typ      *Type // as vartable's forms describe it, or nil
	argument bool  // typ is a type argument from the dictionary
}

// start returns the position of v in bytes: from the start of the closure,
// above argp for an argument, or below varp for a local variable.
func (v *variable) start() uint64 { return uint64(v.Position) * wordSize }

// slot returns the slot of v if v is itself a reference.
func (v *variable) slot(p *process) slot {
	s := slot{typ: v.typ}
	switch v.Form {
	case vartable.FormPointer, vartable.FormSliceData:
		s.kind = slotPointer
	case vartable.FormSlice:
		s.kind = slotSlice
	case vartable.FormString:
		return slot{kind: slotString, typ: p.known.bytes}
	case vartable.FormStringData:
		s.kind, s.typ = slotPointer, p.known.bytes
	case vartable.FormMap:
		s.kind = slotMap
	case vartable.FormChan:
		s.kind = slotChan
	case vartable.FormFunc:
		return slot{kind: slotFunc}
	case vartable.FormEface, vartable.FormEfaceData:
		return slot{kind: slotIface}
	case vartable.FormIface, vartable.FormIfaceData:
		return slot{kind: slotIface, methods: true}
	}
	if s.typ == nil {
		s.kind = slotUnsafe
	} else if v.Form == vartable.FormUnsafe { // the type is a type argument
		return s.typ.slotOf(0, 0)
	}
	return s
}

// variables returns the variables of f. It leaves out variables that share a
// slot with others and are not in the stack map with the index.
func (p *process) variables(f *function, index int32) []variable {
	key := variablesKey{f, index}
	if vs, ok := p.variableTables[key]; ok {
		return vs
	}
	var vs []variable
	if at := f.funcData(abi.FUNCDATA_FrameVars); at != 0 && at < f.m.funcEnd {
		data := p.at(at)
		data = data[:min(uint64(len(data)), f.m.funcEnd-at)]
		r := vartable.NewFrameReader(data)
		for {
			var v variable
			if !r.Next(&v.FrameEntry, index) {
				break
			}
			if !v.Live {
				continue
			}
			v.entry = at + uint64(v.At)
			v.name = string(data[v.NameAt : v.NameAt+v.NameSize])
			if v.Type != 0 {
				v.typ = p.typeAt(f.m.types + uint64(v.Type))
			}
			vs = append(vs, v)
		}
	}
	p.variableTables[key] = vs
	return vs
}

// A variablesKey identifies the variables of a stack map.
type variablesKey struct {
	f     *function
	index int32
}

// findVariable returns the variable of f that has the word at position pos. The
// place determines from where pos counts, as in start.
func (p *process) findVariable(f *function, place uint8, pos uint64, index int32) (v variable, ok bool) {
	if f == nil {
		return v, false
	}
	for _, v := range p.variables(f, index) {
		if v.Place == place && (place == vartable.PlaceLocal && v.start() >= pos || place != vartable.PlaceLocal && v.start() <= pos) {
			return v, true
		}
	}
	return v, false
}

// frameVariable returns the variable of a frame that has the word at an
// address, and the offset of the word in it.
func (p *process) frameVariable(fr *frame, at uint64, arg bool) (v variable, off uint64, ok bool) {
	if arg {
		v, ok = p.findVariable(fr.f, vartable.PlaceArg, at-fr.argp, fr.stackMapIndex())
		off = at - fr.argp - v.start()
	} else {
		v, ok = p.findVariable(fr.f, vartable.PlaceLocal, fr.varp-at, fr.stackMapIndex())
		off = v.start() - (fr.varp - at)
	}
	if ok && v.Dict.Known && v.Dict.Live {
		switch dict := uint64(v.Dict.Position) * wordSize; v.Dict.Place {
		case vartable.PlaceArg:
			p.setTypeArg(&v, p.word(fr.argp+dict))
		case vartable.PlaceLocal:
			p.setTypeArg(&v, p.word(fr.varp-dict))
		}
	}
	return v, off, ok
}

// setTypeArg sets the type of v, which is a type argument, from its dictionary.
func (p *process) setTypeArg(v *variable, dict uint64) {
	if t := p.typeAt(p.word(dict + uint64(v.Dict.Word)*wordSize)); t != nil {
		v.typ, v.argument = t, true
	}
}

// variableAt returns the variable whose entry is at an address.
func (p *process) variableAt(at uint64) (v variable, ok bool) {
	for _, m := range p.modules {
		if at < m.goFunc || at >= m.funcEnd {
			continue
		}
		data := p.at(at)
		r := vartable.NewFrameReader(data[:min(uint64(len(data)), m.funcEnd-at)])
		if !r.Next(&v.FrameEntry, -1) {
			return v, false
		}
		v.name = string(data[v.NameAt : v.NameAt+v.NameSize])
		if v.Type != 0 {
			v.typ = p.typeAt(m.types + uint64(v.Type))
		}
		return v, true
	}
	return v, false
}
