// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds the variables of frames and closures by the entries that the
// compiler has written (internal/vartable).

package core

import (
	"internal/abi"
	"internal/runtime/refs"
	"internal/vartable"
)

// A variable is a variable of a frame or closure.
type variable struct {
	refs.Variable
	name string
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
			v.Entry = uintptr(at) + uintptr(v.At)
			v.name = string(data[v.NameAt : v.NameAt+v.NameSize])
			p.setType(&v, f.m)
			vs = append(vs, v)
		}
	}
	p.variableTables[key] = vs
	return vs
}

// setType sets the type of v by its entry, which is in m.
func (p *process) setType(v *variable, m *module) {
	if t := v.FrameEntry.Type; t != 0 {
		v.Type = addressOf(p.typeAt(m.types + uint64(t)).native())
	}
}

// A variablesKey identifies the variables of a stack map.
type variablesKey struct {
	f     *function
	index int32
}

// findVariable returns the variable of f that has the word at pos of a place, as
// in refs.Reaches.
func (p *process) findVariable(f *function, place uint8, pos uintptr, index int32) (v *variable, ok bool) {
	if f == nil {
		return nil, false
	}
	all := p.variables(f, index)
	for i := range all {
		if all[i].Has(place, pos) {
			return &all[i], true
		}
	}
	return nil, false
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
		p.setType(&v, m)
		return v, true
	}
	return v, false
}
