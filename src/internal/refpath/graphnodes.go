// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes the nodes of a recording to a heap graph, for the two
// writers of heap graphs: runtime/pprof.HeapGraph and go tool heapgraph core.

package refpath

import (
	"internal/heapgraph"
	"internal/profilerecord"
	"strings"
)

// WriteNodes names the nodes, and writes them with their types to w. Node 0 is
// the root of the tree, which a heap graph does not have.
func (n *Namer) WriteNodes(w *heapgraph.Writer) {
	types := newGraphTypes(n, w)
	for i := 1; i < len(n.nodes); i++ {
		node := &n.nodes[i]
		if node.Scan != 0 || node.Unused != 0 {
			w.Sum(heapgraph.Sum{Node: uint64(i), Scan: uint64(node.Scan), Unused: uint64(node.Unused)})
		}
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
		g.Type = types.ofObjects(node)
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
