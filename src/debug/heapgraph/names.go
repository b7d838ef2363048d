// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has the dominator tree by names: vertices with the same name, whose
// dominators have the same names, are one node. By its names, a node can be
// found in another snapshot. A vertex cannot be found there.

package heapgraph

import (
	"cmp"
	"slices"
)

// A NameNode has the vertices with the same name whose dominators have the same
// names. As in refs profiles, recursion is folded: a vertex that has the name
// of one of its dominators belongs to the node of that dominator.
type NameNode struct {
	Parent   int    // index, which is less than the node's own; -1 for the first node, which is All
	Name     string // as Graph.Name returns it
	Roots    int64  // number of vertices that are roots
	Shallow  Amount // objects of the node and their bytes
	Retained Amount // sum of Shallow of the node and the nodes below it
}

// Names returns the dominator tree by names. Parents come before their
// children.
func (d *Dominators) Names() []NameNode {
	g := d.g
	t := nameTree{nodes: []NameNode{{Parent: -1, Name: g.Name(All)}}, children: make(map[nameKey]uint32)}
	nodeOf := make([]uint32, len(d.seq))
	ids := make(map[string]uint32)
	texts := make([]uint32, len(g.nodes)) // number of the type of each node
	for n := range texts {
		texts[n] = intern(ids, g.typeOf(uint32(n)))
	}
	for i := 1; i < len(d.seq); i++ {
		v := Vertex(d.seq[i])
		var id uint32
		if v < g.first {
			id = intern(ids, g.Name(v))
		} else {
			id = texts[g.node[v-g.first]]
		}
		n := t.child(nodeOf[d.idom[i]], id)
		if n == uint32(len(t.nodes)) {
			t.nodes = append(t.nodes, NameNode{Parent: int(nodeOf[d.idom[i]]), Name: g.Name(v)})
			t.ids = append(t.ids, id)
		}
		nodeOf[i] = n
		if x := &t.nodes[n]; v < g.first {
			x.Roots++
		} else {
			x.Shallow.add(Amount{1, d.before[i+1] - d.before[i]})
		}
	}
	for i := len(t.nodes) - 1; i >= 0; i-- {
		x := &t.nodes[i]
		x.Retained.add(x.Shallow)
		if i > 0 {
			t.nodes[x.Parent].Retained.add(x.Retained)
		}
	}
	return t.nodes
}

// intern returns the number of a text. Numbers begin with 1.
func intern(ids map[string]uint32, s string) uint32 {
	id, ok := ids[s]
	if !ok {
		id = uint32(len(ids) + 1)
		ids[s] = id
	}
	return id
}

// A nameTree is a tree of names that is being built.
type nameTree struct {
	nodes    []NameNode
	ids      []uint32 // numbers of the names of all nodes but the first
	children map[nameKey]uint32
}

type nameKey struct{ parent, id uint32 }

// child returns the index of the node below parent whose name has the number
// id. If parent or a node above it has this name, child returns that node. If
// there is no node yet, child returns len(t.nodes), and the caller appends the
// node.
func (t *nameTree) child(parent, id uint32) uint32 {
	k := nameKey{parent, id}
	if n, ok := t.children[k]; ok {
		return n
	}
	n := parent
	for n != 0 && t.ids[n-1] != id {
		n = uint32(t.nodes[n].Parent)
	}
	if n == 0 {
		n = uint32(len(t.nodes))
	}
	t.children[k] = n
	return n
}

// A Change is the difference of two snapshots at a node of their dominator
// trees by names.
type Change struct {
	Path     []string // names from below All on
	Old, New NameNode // Parent has no meaning
}

// Growth returns the growth of the node's own objects.
func (c *Change) Growth() Amount { return c.New.Shallow.Sub(c.Old.Shallow) }

// RetainedGrowth returns the growth of the objects that the node retains.
func (c *Change) RetainedGrowth() Amount { return c.New.Retained.Sub(c.Old.Retained) }

// Diff returns the nodes at which two snapshots of a program differ. Nodes
// whose own bytes (Shallow) have changed the most come first. Diff does not
// compare objects, because addresses are reused between snapshots.
func Diff(old, new *Dominators) []Change {
	m := merger{index: make(map[mergeKey]int)}
	m.add(old.Names(), func(c *Change) *NameNode { return &c.Old })
	m.add(new.Names(), func(c *Change) *NameNode { return &c.New })
	var changes []Change
	for i := range m.changes {
		c := &m.changes[i]
		if c.Old.Shallow == c.New.Shallow && c.Old.Retained == c.New.Retained && c.Old.Roots == c.New.Roots {
			continue
		}
		for p := i; p > 0; p = m.parents[p] {
			c.Path = append(c.Path, cmp.Or(m.changes[p].New.Name, m.changes[p].Old.Name))
		}
		slices.Reverse(c.Path)
		changes = append(changes, *c)
	}
	slices.SortStableFunc(changes, func(a, b Change) int {
		size := func(c *Change) int64 {
			n := c.Growth().Bytes
			return max(n, -n)
		}
		return cmp.Or(cmp.Compare(size(&b), size(&a)), slices.Compare(a.Path, b.Path))
	})
	return changes
}

// A merger merges trees.
type merger struct {
	changes []Change
	parents []int // index of the parent of each change
	index   map[mergeKey]int
}

type mergeKey struct {
	parent int
	name   string
}

// add adds a tree. side returns the field of a Change to which the nodes of
// this tree belong.
func (m *merger) add(nodes []NameNode, side func(*Change) *NameNode) {
	at := make([]int, len(nodes)) // index in changes of each node
	for i, n := range nodes {
		k := mergeKey{-1, n.Name}
		if n.Parent >= 0 {
			k.parent = at[n.Parent]
		}
		j, ok := m.index[k]
		if !ok {
			j = len(m.changes)
			m.index[k] = j
			m.changes = append(m.changes, Change{})
			m.parents = append(m.parents, k.parent)
		}
		at[i] = j
		*side(&m.changes[j]) = n
	}
}
