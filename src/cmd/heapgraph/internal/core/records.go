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
		r := profilerecord.RefsNode{Kind: profilerecord.RefsCaptured, Name: v.name, Form: v.Form, Count: uintptr(v.Count), Offset: uintptr(v.start())}
		if !v.Dict.Known {
			r.Static = unsafe.Pointer(v.typ)
		}
		vars = append(vars, r)
	}
	return vars
}

// Map returns the layout of maps of a type.
func (n names) Map(t unsafe.Pointer) refpath.MapLayout {
	m := (*Type)(t).mapLayout()
	return refpath.MapLayout{
		GroupSize: m.groupSize, Keys: m.keys, KeyStride: m.keyStride, Elems: m.elems, ElemStride: m.elemStride,
		IndirectKey: m.flags&abi.MapIndirectKey != 0, IndirectElem: m.flags&abi.MapIndirectElem != 0,
	}
}

// records returns the nodes as the runtime hands them to runtime/pprof. Types
// are pointers to a Type.
func (rs *resolver) records() []profilerecord.RefsNode {
	records := make([]profilerecord.RefsNode, len(rs.nodes.all))
	for i := range records {
		rs.nodes.all[i].record(rs, &records[i])
	}
	return records
}

// record makes r the record of n.
func (n *node) record(rs *resolver, r *profilerecord.RefsNode) {
	*r = profilerecord.RefsNode{
		Parent: int32(n.parent), Kind: n.kind, Role: n.role, Untyped: n.untyped, Second: n.second,
		Offset: uintptr(n.off), Type: unsafe.Pointer(n.typ), Dyn: unsafe.Pointer(n.dyn), PC: uintptr(n.fn),
		Objects: n.objects, Bytes: n.bytes,
	}
	switch n.role {
	case roleDirectory, roleTable:
		r.Role = profilerecord.RefsTable
	case roleGroups:
		r.Role = profilerecord.RefsGroups
	case roleDirect:
		r.Role = profilerecord.RefsVariable
	}
	switch n.kind {
	case profilerecord.RefsGlobal, profilerecord.RefsRuntimeGlobal:
		g := &rs.globals.all[n.off]
		r.Name, r.Static, r.Offset = g.pkg+g.name, unsafe.Pointer(g.typ), 0
	case profilerecord.RefsModuleData:
		r.Name, r.Offset = n.text, 0
	case profilerecord.RefsFrame, profilerecord.RefsCleanup, profilerecord.RefsCleanupQueue, profilerecord.RefsTimer:
		r.PC, r.Offset = uintptr(n.off), 0
	case profilerecord.RefsGoroutine:
		r.PC, r.Offset = 0, 0
		r.Leaked = n.off != 0
	case profilerecord.RefsLocal:
		if v, ok := rs.variableAt(n.off); ok {
			n.recordVariable(v, r)
		}
	case profilerecord.RefsCaptured:
		f := rs.functionAt(rs.nodes.at(n.parent).fn)
		if v, ok := rs.findVariable(f, vartable.PlaceCaptured, n.off, -1); ok {
			n.recordVariable(v, r)
		}
	}
}

// recordVariable fills in the fields of r that describe the variable v.
func (n *node) recordVariable(v variable, r *profilerecord.RefsNode) {
	r.Name, r.Form, r.Count, r.Offset = v.name, v.Form, uintptr(v.Count), 0
	r.InlineDepth, r.InlineHash = v.InlineDepth, v.InlineHash
	r.Static = unsafe.Pointer(v.typ)
	switch {
	case !v.Dict.Known:
	case n.role == profilerecord.RefsVariable:
		r.Static = r.Type
	case n.role == profilerecord.RefsObject && n.arg != nil:
		r.Static, r.PC = unsafe.Pointer(n.arg), 0
	}
}
