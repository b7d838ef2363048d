// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes the types of nodes to a heap graph.

package refpath

import (
	"cmp"
	"internal/heapgraph"
	"internal/profilerecord"
	"internal/vartable"
	"reflect"
	"slices"
)

// graphTypes writes types. A reflect.Type is written at most once as each of
// several layouts, and a closure's at most once for each function.
type graphTypes struct {
	n        *Namer
	w        *heapgraph.Writer
	numbers  map[reflect.Type]uint64
	names    map[reflect.Type]uint64 // of types that were written by name alone
	groups   map[reflect.Type]uint64 // of groups of maps
	buffers  map[reflect.Type]uint64 // of buffers of channels
	closures map[uintptr]uint64      // by entry PC
	texts    map[string]uint64       // of types of captured variables
}

func newGraphTypes(n *Namer, w *heapgraph.Writer) *graphTypes {
	return &graphTypes{
		n: n, w: w, numbers: make(map[reflect.Type]uint64), names: make(map[reflect.Type]uint64),
		groups: make(map[reflect.Type]uint64), buffers: make(map[reflect.Type]uint64),
		closures: make(map[uintptr]uint64), texts: make(map[string]uint64),
	}
}

// ofObjects returns the number of the type of a node's objects.
func (ts *graphTypes) ofObjects(node *profilerecord.RefsNode) uint64 {
	if node.Role == profilerecord.RefsClosure {
		return once(ts.closures, node.PC, func() uint64 { return ts.closure(node) })
	}
	t := ts.n.program.TypeAt(node.Type)
	switch {
	case node.Role == profilerecord.RefsObject:
		return ts.number(t)
	case t == nil:
		return 0
	case node.Role == profilerecord.RefsGroups && t.Kind() == reflect.Map:
		return once(ts.groups, t, func() uint64 { return ts.group(t, ts.n.program.Map(node.Type)) })
	case node.Role == profilerecord.RefsBuffer && t.Kind() == reflect.Chan:
		return once(ts.buffers, t, func() uint64 {
			elem := heapgraph.Field{Name: ts.w.String(heapgraph.Elem), Type: ts.number(t.Elem())}
			return ts.w.Type(&heapgraph.Type{Name: ts.w.String(FullName(t)), Fields: []heapgraph.Field{elem}})
		})
	}
	return ts.name(t)
}

// once returns the value of a key, which make makes when it is first needed.
func once[K comparable](known map[K]uint64, k K, make func() uint64) uint64 {
	n, ok := known[k]
	if !ok {
		n = make()
		known[k] = n
	}
	return n
}

// group writes the type of the groups of a map.
func (ts *graphTypes) group(t reflect.Type, l MapLayout) uint64 {
	if l.Elems < l.Keys { // in a damaged core file
		return ts.name(t)
	}
	field := func(offset uint64, name string, typ uint64) heapgraph.Field {
		return heapgraph.Field{Offset: offset, Name: ts.w.String(name), Type: typ}
	}
	array := func(elem uint64) uint64 {
		return ts.w.Type(&heapgraph.Type{Fields: []heapgraph.Field{field(0, heapgraph.Elem, elem)}})
	}
	key, elem := ts.held(t.Key(), l.IndirectKey), ts.held(t.Elem(), l.IndirectElem)
	group := heapgraph.Type{Name: ts.w.String(FullName(t)), Size: l.GroupSize}
	if l.Elems < l.Keys+l.KeyStride {
		slot := ts.w.Type(&heapgraph.Type{Size: l.KeyStride, Fields: []heapgraph.Field{field(0, "key", key), field(l.Elems-l.Keys, "value", elem)}})
		group.Fields = []heapgraph.Field{field(l.Keys, heapgraph.Elem, slot)}
	} else {
		group.Fields = []heapgraph.Field{field(l.Keys, "key", array(key)), field(l.Elems, "value", array(elem))}
	}
	return ts.w.Type(&group)
}

// held returns the number of the type in which a map holds keys or values of
// type t.
func (ts *graphTypes) held(t reflect.Type, indirect bool) uint64 {
	if !indirect {
		return ts.number(t)
	}
	return ts.text("*" + FullName(t))
}

// text returns the number of a type that is a text alone.
func (ts *graphTypes) text(name string) uint64 {
	return once(ts.texts, name, func() uint64 { return ts.w.Type(&heapgraph.Type{Name: ts.w.String(name)}) })
}

// closure writes the type of a node's closures.
func (ts *graphTypes) closure(node *profilerecord.RefsNode) uint64 {
	vars := ts.n.program.Captured(node.PC)
	if len(vars) == 0 {
		return 0
	}
	var typ heapgraph.Type
	var fields []*heapgraph.Field // pointers, because other sorts have their code
	for i := range vars {
		v := funcVariable{&reference{node: &vars[i], parent: node, deep: ts.n.deep, Program: ts.n.program}}
		f := heapgraph.Field{Offset: uint64(v.node.Offset), Name: ts.w.String(v.ownName(true))}
		if t := v.TypeAt(v.node.Static); t != nil && v.node.Form == vartable.FormValue {
			f.Type = ts.number(t)
		} else {
			text, _, _ := v.entryType(ownerPackage(v.function()))
			f.Type = ts.text(text)
		}
		fields = append(fields, &f)
	}
	slices.SortFunc(fields, func(x, y *heapgraph.Field) int { return cmp.Compare(x.Offset, y.Offset) })
	for _, f := range fields {
		typ.Fields = append(typ.Fields, *f)
	}
	return ts.w.Type(&typ)
}

// name returns the number of a type whose name stands for objects that are not
// values of the type: the parts of a map, for example, have the type of the
// map. The first call for a type writes it, without size and fields.
func (ts *graphTypes) name(t reflect.Type) uint64 {
	n, ok := ts.names[t]
	if !ok {
		n = ts.w.Type(&heapgraph.Type{Name: ts.w.String(FullName(t))})
		ts.names[t] = n
	}
	return n
}

// number returns the number of a type, or 0 if t is nil. The first call for a
// type writes it.
func (ts *graphTypes) number(t reflect.Type) uint64 {
	if t == nil {
		return 0
	}
	if n, ok := ts.numbers[t]; ok {
		return n
	}
	typ := heapgraph.Type{Name: ts.w.String(FullName(t)), Size: uint64(t.Size())}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			typ.Fields = append(typ.Fields, heapgraph.Field{Offset: uint64(f.Offset), Name: ts.w.String(f.Name), Type: ts.number(f.Type)})
		}
	case reflect.Array:
		if t.Len() > 0 {
			typ.Fields = []heapgraph.Field{{Name: ts.w.String(heapgraph.Elem), Type: ts.number(t.Elem())}}
		}
	}
	n := ts.w.Type(&typ)
	ts.numbers[t] = n
	return n
}
