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
	nodes, _ := d.names()
	return nodes
}

// NamesOf returns the same as Names, and for each vertex the index of its node,
// or -1 for a vertex that is not reached.
func (d *Dominators) NamesOf() (nodes []NameNode, of []int32) {
	nodes, nodeOf := d.names()
	of = make([]int32, d.g.end)
	for v := range of {
		of[v] = -1
		if i := d.num[v]; i != none {
			of[v] = int32(nodeOf[i])
		}
	}
	return nodes, of
}

// names returns the nodes, and the node of each number.
func (d *Dominators) names() (nodes []NameNode, nodeOf []uint32) {
	g := d.g
	t := nameTree{nodes: []NameNode{{Parent: -1, Name: g.Name(All)}}, lift: make([]lift, 1), children: make(map[nameKey]uint32)}
	nodeOf = make([]uint32, len(d.seq))
	ids := make(map[string]uint32)
	texts := make([]uint32, len(g.nodes)) // number of the type of each node
	for n := range texts {
		texts[n] = intern(ids, g.typeOf(uint32(n)))
	}
	path := namePath{dominators: []pathItem{{}}}
	for i := 1; i < len(d.seq); i++ {
		v := Vertex(d.seq[i])
		path.back(d.idom[i])
		var id uint32
		if v < g.first {
			id = intern(ids, g.Name(v))
		} else {
			id = texts[g.node[v-g.first]]
		}
		n := t.child(nodeOf[d.idom[i]], id, path.nearest(id))
		if n == uint32(len(t.nodes)) {
			t.add(nodeOf[d.idom[i]], g.Name(v))
		}
		nodeOf[i] = n
		path.add(uint32(i), id, n)
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
	return t.nodes, nodeOf
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
	lift     []lift // by node
	children map[nameKey]uint32
}

type nameKey struct{ parent, id uint32 }

// A lift finds nodes above a node, in steps whose number is logarithmic (Myers,
// "An applicative random-access stack", 1983).
type lift struct{ depth, jump uint32 }

// add adds a node.
func (t *nameTree) add(parent uint32, name string) {
	t.nodes = append(t.nodes, NameNode{Parent: int(parent), Name: name})
	up := t.lift[parent]
	x := lift{up.depth + 1, parent}
	if j := t.lift[up.jump]; up.depth-j.depth == j.depth-t.lift[j.jump].depth {
		x.jump = j.jump
	}
	t.lift = append(t.lift, x)
}

// isAbove reports whether node a is n or above it.
func (t *nameTree) isAbove(a, n uint32) bool {
	for depth := t.lift[a].depth; t.lift[n].depth > depth; {
		if x := t.lift[n]; t.lift[x.jump].depth >= depth {
			n = x.jump
		} else {
			n = uint32(t.nodes[n].Parent)
		}
	}
	return n == a
}

// child returns the index of the node below parent whose name has the number
// id. If parent or a node above it has this name, child returns that node. If
// there is no node yet, child returns len(t.nodes), and the caller adds the
// node. nearest is the node of the nearest dominator with this name, or 0. No
// other node with this name can be above, because each name is on a path once.
func (t *nameTree) child(parent, id, nearest uint32) uint32 {
	k := nameKey{parent, id}
	if n, ok := t.children[k]; ok {
		return n
	}
	n := nearest
	if n == 0 || !t.isAbove(n, parent) {
		n = uint32(len(t.nodes))
	}
	t.children[k] = n
	return n
}

// A namePath is the dominators of a vertex, from All on.
type namePath struct {
	dominators []pathItem
	nodes      []uint32 // by number of a name: node of the nearest dominator with the name, or 0
}

// A pathItem is a dominator.
type pathItem struct{ number, id, before uint32 } // before is the element of nodes before the dominator was added

// back makes a dominator the last one.
func (p *namePath) back(number uint32) {
	last := len(p.dominators) - 1
	for ; p.dominators[last].number != number; last-- {
		x := p.dominators[last]
		p.nodes[x.id] = x.before
	}
	p.dominators = p.dominators[:last+1]
}

func (p *namePath) nearest(id uint32) uint32 {
	for uint32(len(p.nodes)) <= id {
		p.nodes = append(p.nodes, 0)
	}
	return p.nodes[id]
}

// add adds a dominator after nearest was called for its name.
func (p *namePath) add(number, id, node uint32) {
	p.dominators = append(p.dominators, pathItem{number, id, p.nodes[id]})
	p.nodes[id] = node
}

// A Change is the difference of two snapshots at a node of their dominator
// trees by names.
type Change struct {
	Path     []string // names from below All on; if there are very many, "(left out)" stands for those in the middle
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
	differ := func(i int) bool {
		c := &m.changes[i]
		return c.Old.Shallow != c.New.Shallow || c.Old.Retained != c.New.Retained || c.Old.Roots != c.New.Roots
	}
	nodes := m.nodes()
	s := newStacks(nodes, differ)
	for i := range nodes {
		if c := &m.changes[i]; differ(i) {
			c.Path = s.stack(i, leftOut)
			slices.Reverse(c.Path)
			changes = append(changes, *c)
		}
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

// nodes returns the names of the tree of all changes.
func (m *merger) nodes() []NameNode {
	nodes := make([]NameNode, len(m.changes))
	for i, c := range m.changes {
		nodes[i] = NameNode{Parent: m.parents[i], Name: cmp.Or(c.New.Name, c.Old.Name)}
	}
	return nodes
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
