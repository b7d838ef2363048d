// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file makes records of the nodes, as the runtime does
// (runtime/mrefsprofile.go). Package internal/refpath finds the names of the
// nodes by their records.

package core

import (
	"internal/abi"
	"internal/profilerecord"
	"internal/refpath"
	"internal/runtime/refs"
	"internal/vartable"
	"reflect"
	"unsafe"
)

// TypeAt returns the type to which t, a pointer in a record, points.
func (p *process) TypeAt(t unsafe.Pointer) reflect.Type {
	if t == nil {
		return nil
	}
	return (*Type)(t)
}

// deepPC stands for the frames that a path leaves out.
const deepPC = 1

// names is the program in the form that package refpath needs.
type names struct{ *process }

// FunctionsAt returns the functions at pc, outermost first.
func (n names) FunctionsAt(pc uintptr) []string {
	if pc == deepPC {
		return []string{"runtime._DeepStack"}
	}
	if pc == unreadPC {
		return []string{unreadName}
	}
	return n.process.FunctionsAt(pc)
}

// Captured returns the variables that closures of the function at pc have
// captured.
func (n names) Captured(pc uintptr) (vars []profilerecord.RefsNode) {
	for _, v := range n.variables(n.functionAt(uint64(pc)), -1) {
		if v.Place != vartable.PlaceCaptured {
			continue
		}
		r := profilerecord.RefsNode{Kind: profilerecord.RefsCaptured, Name: v.name, Form: v.Form, Count: uintptr(v.Count), Offset: v.Start()}
		if !v.Dict.Known {
			r.Static = unsafe.Pointer(n.typeOfKey(v.Type))
		}
		vars = append(vars, r)
	}
	return vars
}

// Map returns the layout of maps of a type.
func (n names) Map(t unsafe.Pointer) refpath.MapLayout {
	m := (*abi.MapType)(unsafe.Pointer((*Type)(t).native()))
	g := refs.GroupsOf(m)
	return refpath.MapLayout{
		GroupSize: uint64(g.Size), Keys: uint64(g.Keys), KeyStride: uint64(g.KeyStride), Elems: uint64(g.Elems), ElemStride: uint64(g.ElemStride),
		IndirectKey: m.IndirectKey(), IndirectElem: m.IndirectElem(),
	}
}

// records returns the nodes as the runtime hands them to runtime/pprof. Types
// are pointers to a Type.
func (p *process) records() []profilerecord.RefsNode {
	p.paths.Verify()
	records := make([]profilerecord.RefsNode, p.paths.Len())
	for i := range records {
		p.recordNode(p.paths.At(uint32(i)), &records[i])
	}
	return records
}

// recordNode makes r the record of n.
func (p *process) recordNode(n *refs.Node, r *profilerecord.RefsNode) {
	n.Record(r)
	r.Type, r.Dyn = unsafe.Pointer(p.typeOfKey(n.Type)), unsafe.Pointer(p.typeOfKey(n.Dynamic))
	switch n.Kind {
	case profilerecord.RefsGlobal, profilerecord.RefsRuntimeGlobal:
		g := &p.globals.all[n.Place]
		r.Name, r.Static = g.pkg+g.name, unsafe.Pointer(g.typ)
	case profilerecord.RefsModuleData:
		r.Name = p.dataName(uint64(n.Place))
	case profilerecord.RefsLocal:
		if v, ok := p.variableAt(uint64(n.Place)); ok {
			p.recordVariable(n, &v, r)
		}
	case profilerecord.RefsCaptured:
		f := p.functionAt(uint64(p.paths.At(n.Parent).Func))
		if v, ok := p.findVariable(f, vartable.PlaceCaptured, n.Place, -1); ok {
			p.recordVariable(n, v, r)
		}
	}
}

// recordVariable fills in the fields of r, the record of n, that describe the
// variable v.
func (p *process) recordVariable(n *refs.Node, v *variable, r *profilerecord.RefsNode) {
	r.Static = unsafe.Pointer(p.typeOfKey(addressOf(n.Describe(&v.Variable, r))))
	r.Name = v.name
}
