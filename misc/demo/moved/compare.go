// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"debug/heapgraph"
	"fmt"
	"io"
)

// moves is the result of a comparison, in bytes.
type moves struct {
	live  [2]int64 // live heap of each graph
	both  int64    // objects that both graphs have and reach
	idom  int64    // of them, objects with another immediate dominator
	names int64    // objects whose dominators have other names
	refs  int64    // objects with another path of marking
}

// compare compares the objects that two graphs of a process have and reach.
func compare(first, later *heapgraph.Graph) moves {
	var names nameTree
	old, new := names.add(first), names.add(later)
	m := moves{live: [2]int64{old.Live().Bytes, new.Live().Bytes}}
	from, to := later.Objects()
	for v := from; v < to; v++ {
		u, ok := counterpart(first, later, v)
		if !ok || !old.Reached(u) || !new.Reached(v) {
			continue
		}
		size := later.Size(v)
		m.both += size
		if old.idom(u) != new.idom(v) {
			m.idom += size
		}
		if old.names[u] != new.names[v] {
			m.names += size
		}
		if heapgraph.JoinPath(first.Path(u)) != heapgraph.JoinPath(later.Path(v)) {
			m.refs += size
		}
	}
	return m
}

// counterpart returns the object of the first graph that is the object v of the
// later one.
func counterpart(first, later *heapgraph.Graph, v heapgraph.Vertex) (u heapgraph.Vertex, ok bool) {
	u, ok = first.Object(later.Address(v))
	return u, ok && first.Address(u) == later.Address(v) && first.Size(u) == later.Size(v) && first.Type(u) == later.Type(v)
}

func (m moves) print(w io.Writer) {
	row := func(bytes int64, text string) {
		fmt.Fprintf(w, "%12d %6.2f%%  %s\n", bytes, 100*float64(bytes)/float64(max(m.both, 1)), text)
	}
	fmt.Fprintf(w, "%12d          bytes live in the first graph\n", m.live[0])
	fmt.Fprintf(w, "%12d          in the later one\n", m.live[1])
	row(m.both, "reached from roots in both")
	row(m.idom, "of them with another immediate dominator")
	row(m.names, "of them with other names of dominators")
	row(m.refs, "of them with another path of marking, as in refs")
}

// A tree is the dominator tree of a graph.
type tree struct {
	*heapgraph.Dominators
	g     *heapgraph.Graph
	names []int // of each vertex, the node of its dominators' names
}

// A vertex identifies a vertex in both graphs: an object by its type and
// address, and a root by its name. The name of a goroutine has the function
// with which it began.
type vertex struct {
	name    string
	address int64
}

// idom returns the immediate dominator of v.
func (t *tree) idom(v heapgraph.Vertex) vertex {
	u, _ := t.Idom(v)
	return vertex{t.g.Name(u), t.g.Address(u)}
}

// A nameTree merges the dominator trees of graphs by names. As in
// exported profiles, recursion is folded.
type nameTree struct {
	nodes    []nameNode // the first is the root
	children map[nameNode]int
}

type nameNode struct {
	parent int
	name   string
}

// add adds the dominator tree of g.
func (t *nameTree) add(g *heapgraph.Graph) *tree {
	if t.nodes == nil {
		t.nodes = []nameNode{{}}
		t.children = make(map[nameNode]int)
	}
	d := &tree{g.Dominators(), g, make([]int, g.NumVertices())}
	wait := []heapgraph.Vertex{heapgraph.All}
	for len(wait) > 0 {
		v := wait[len(wait)-1]
		wait = wait[:len(wait)-1]
		for c := range d.Children(v) {
			d.names[c] = t.child(d.names[v], g.Name(c))
			wait = append(wait, c)
		}
	}
	return d
}

// child returns the node of a name below parent. If parent or a node above it
// has the name, child returns that node.
func (t *nameTree) child(parent int, name string) int {
	key := nameNode{parent, name}
	if n, ok := t.children[key]; ok {
		return n
	}
	n := parent
	for n != 0 && t.nodes[n].name != name {
		n = t.nodes[n].parent
	}
	if n == 0 {
		n = len(t.nodes)
		t.nodes = append(t.nodes, key)
	}
	t.children[key] = n
	return n
}
