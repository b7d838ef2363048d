// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes a heap snapshot for Chrome's developer tools. The tools
// compute dominators themselves, and do not follow references of the type weak.
// Therefore references that do not count for dominators have this type.
//
// The first node is the root that the tools expect. The second node is
// heapgraph.All, the vertex that refers to all roots, and has the name by which
// the tools find the roots. After it come the other vertices in their order,
// and finally a root for objects that no root reaches.

package main

import (
	"bufio"
	"debug/heapgraph"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// manyObjects is the number of objects above which Chrome may fail to open a
// file.
const manyObjects = 5e6

// Numbers of types of nodes and edges in snapshotMeta.
const (
	nodeObject    = 3
	nodeSynthetic = 9

	edgeElement  = 1
	edgeProperty = 2
	edgeWeak     = 6
)

// snapshotMeta describes the arrays of the file.
const snapshotMeta = `{"node_fields":["type","name","id","self_size","edge_count","trace_node_id","detachedness"],
"node_types":[["hidden","array","string","object","code","closure","regexp","number","native","synthetic","concatenated string","sliced string","symbol","bigint"],"string","number","number","number","number","number"],
"edge_fields":["type","name_or_index","to_node"],
"edge_types":[["context","element","property","internal","hidden","shortcut","weak"],"string_or_number","node"],
"trace_function_info_fields":[],"trace_node_fields":[],"sample_fields":[],"location_fields":[]}`

// nodeFields is the number of fields of a node in snapshotMeta.
const nodeFields = 7

// writeHeapSnapshot writes the heap snapshot of s.
func (s *snapshot) writeHeapSnapshot(w io.Writer) error {
	from, to := s.Objects()
	if n := int64(to - from); n > manyObjects {
		fmt.Fprintf(s.t.progress.w, "heapgraph: warning: Chrome may fail to open a heap snapshot of %d objects\n", n)
	}
	c := &chrome{s: s, w: bufio.NewWriterSize(w, 1<<16), names: make(map[string]int), early: s.firstClass()}
	c.name("")
	for v := range heapgraph.Vertex(s.NumVertices()) {
		if !s.dom.Reached(v) {
			c.lost = append(c.lost, v)
		}
	}
	c.write()
	return c.w.Flush()
}

// A chrome writes a heap snapshot.
type chrome struct {
	s       *snapshot
	w       *bufio.Writer
	buf     []byte
	comma   bool
	names   map[string]int
	strings []string
	bytes   int                // of strings
	early   []bool             // by vertex: whether roots of the first class reach it
	lost    []heapgraph.Vertex // vertices that no root reaches
}

// maxNames is the number of bytes of strings after which others are left out.
const maxNames = 256 << 20

// name returns the number of a string.
func (c *chrome) name(s string) int {
	n, ok := c.names[s]
	if !ok && c.bytes > maxNames && s != leftOut {
		return c.name(leftOut)
	}
	if !ok {
		c.bytes += len(s) + 64
		n = len(c.strings)
		c.names[s] = n
		c.strings = append(c.strings, s)
	}
	return n
}

const leftOut = "(left out)"

// firstClass returns for each vertex whether roots of the first class reach it.
func (s *snapshot) firstClass() []bool {
	seen := make([]bool, s.NumVertices())
	var todo []heapgraph.Vertex
	visit := func(v heapgraph.Vertex) {
		if !seen[v] {
			seen[v] = true
			todo = append(todo, v)
		}
	}
	for v := range s.Targets(heapgraph.All) {
		if !s.SecondClass(v) {
			visit(v)
		}
	}
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for w := range s.Targets(v) {
			visit(w)
		}
	}
	return seen
}

// counts reports whether a reference from u to v counts for dominators. It does
// not count if roots of the first class reach v but not u, or if some root
// reaches v but none reaches u. The comparisons suffice, because roots that
// reach u also reach v.
func (c *chrome) counts(u, v heapgraph.Vertex) bool {
	return c.s.dom.Reached(u) == c.s.dom.Reached(v) && c.early[u] == c.early[v]
}

// write writes the file.
func (c *chrome) write() {
	s := c.s
	nodes := int64(s.NumVertices()) + 2
	edges := s.NumReferences() + int64(c.roots()) + 2 + int64(len(c.lost))
	fmt.Fprintf(c.w, "{\"snapshot\":{\"meta\":%s,\"node_count\":%d,\"edge_count\":%d,\"trace_function_count\":0},\n", snapshotMeta, nodes, edges)
	c.array("nodes", c.writeNodes)
	c.array("edges", c.writeEdges)
	for _, name := range []string{"trace_function_infos", "trace_tree", "samples", "locations"} {
		c.array(name, func() {})
	}
	fmt.Fprint(c.w, "\"strings\":[")
	for i, text := range c.strings {
		if i > 0 {
			c.w.WriteString(",\n")
		}
		b, _ := json.Marshal(text) // Marshal of a string has no error
		c.w.Write(b)
	}
	fmt.Fprint(c.w, "]}\n")
}

// roots returns the number of roots.
func (c *chrome) roots() int {
	from, to := c.s.Roots()
	return int(to - from)
}

// array writes an array of numbers.
func (c *chrome) array(name string, contents func()) {
	fmt.Fprintf(c.w, "%q:[", name)
	c.comma = false
	contents()
	c.w.WriteString("],\n")
}

// numbers writes numbers of an array on a line.
func (c *chrome) numbers(list ...int64) {
	c.buf = c.buf[:0]
	for _, n := range list {
		if c.comma {
			c.buf = append(c.buf, ',')
		}
		c.comma = true
		c.buf = strconv.AppendInt(c.buf, n, 10)
	}
	c.w.Write(append(c.buf, '\n'))
}

// node writes a node.
func (c *chrome) node(index int64, typ int, name string, size int64, edges int) {
	c.numbers(int64(typ), int64(c.name(name)), 2*index+1, size, int64(edges), 0, 0)
}

func (c *chrome) writeNodes() {
	s := c.s
	c.node(0, nodeSynthetic, "", 0, 1)
	c.node(1, nodeSynthetic, "(GC roots)", 0, c.roots()+1)
	for v := heapgraph.Vertex(1); int(v) < s.NumVertices(); v++ {
		typ, edges := nodeObject, 0
		if s.Kind(v) != heapgraph.KindObject {
			typ = nodeSynthetic
		}
		for range s.Targets(v) {
			edges++
		}
		c.node(int64(v)+1, typ, s.Name(v), s.Size(v), edges)
	}
	c.node(int64(s.NumVertices())+1, nodeSynthetic, "(not reached)", 0, len(c.lost))
}

// edge writes an edge to a node. name is the number of the edge's name or, for
// an element of an array, its index.
func (c *chrome) edge(typ int, name, node int64) {
	c.numbers(int64(typ), name, node*nodeFields)
}

func (c *chrome) writeEdges() {
	s := c.s
	c.edge(edgeElement, 1, 1)
	for v := range s.Targets(heapgraph.All) {
		c.edge(edgeElement, int64(v), int64(v)+1)
	}
	c.edge(edgeElement, int64(c.roots()+1), int64(s.NumVertices())+1)
	for v := heapgraph.Vertex(1); int(v) < s.NumVertices(); v++ {
		for _, r := range s.References(v) {
			c.reference(r)
		}
	}
	for i, v := range c.lost {
		c.edge(edgeElement, int64(i), int64(v)+1)
	}
}

// reference writes the edge of a reference.
func (c *chrome) reference(r heapgraph.Reference) {
	to := int64(r.To) + 1
	if !c.counts(r.From, r.To) {
		c.edge(edgeWeak, int64(c.name(c.s.field(r))), to)
		return
	}
	if i, ok := elementIndex(r.Field); ok {
		c.edge(edgeElement, i, to)
		return
	}
	c.edge(edgeProperty, int64(c.name(c.s.field(r))), to)
}

// elementIndex returns the index of a field such as "[7]".
func elementIndex(field string) (int64, bool) {
	if len(field) < 3 || field[0] != '[' || field[len(field)-1] != ']' {
		return 0, false
	}
	i, err := strconv.ParseUint(field[1:len(field)-1], 10, 31)
	return int64(i), err == nil && slices.Contains([]byte("0123456789"), field[1])
}
