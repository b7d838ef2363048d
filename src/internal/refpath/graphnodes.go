// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes the nodes of a recording to a heap graph, for the two
// writers of heap graphs: runtime/pprof.HeapGraph and go tool heapgraph core.

package refpath

import (
	"internal/heapgraph"
	"internal/profilerecord"
	"reflect"
	"strings"
)

// WriteNodes names the nodes, and writes them with their types to w. Node 0 is
// the root of the tree, which a heap graph does not have.
func (n *Namer) WriteNodes(w *heapgraph.Writer) {
	types := graphTypes{w: w, numbers: make(map[reflect.Type]uint64), names: make(map[reflect.Type]uint64)}
	for i := 1; i < len(n.nodes); i++ {
		node := &n.nodes[i]
		g := heapgraph.Node{Parent: uint64(node.Parent), Class: graphClass(node)}
		if node.Kind == profilerecord.RefsGoroutine {
			g.Element = w.String("(stack)")
			w.Node(&g)
			continue
		}
		name := n.Name(i)
		switch {
		case name.IsParent:
		case name.Elem.PC != 0:
			g.Element = w.String(strings.Join(n.program.FunctionsAt(name.Elem.PC), " > "))
		default:
			g.Element = w.String(name.Elem.Name)
		}
		if name.Objects != Unknown {
			g.Text = w.String(name.Objects)
		}
		if t := n.program.TypeAt(node.Type); node.Role == profilerecord.RefsObject {
			g.Type = types.number(t)
		} else if t != nil {
			g.Type = types.name(t)
		}
		w.Node(&g)
	}
}

// graphClass returns the class of a node.
func graphClass(node *profilerecord.RefsNode) uint64 {
	switch {
	case node.Second:
		return heapgraph.SecondClass
	case node.Parent == 0:
		return heapgraph.FirstClass
	}
	return heapgraph.InheritedClass
}

// graphTypes writes types, each at most once with its size and fields, and at
// most once by its name alone.
type graphTypes struct {
	w       *heapgraph.Writer
	numbers map[reflect.Type]uint64
	names   map[reflect.Type]uint64 // of types that were written by name alone
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
