// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file adds up the objects that sets of vertices retain. Two members of a
// set retain common objects only if one dominates the other. Therefore only
// members that no other member dominates are added up. In the preorder of the
// dominator tree, such a member comes after the whole subtree of the member
// that was added before it.

package heapgraph

import (
	"cmp"
	format "internal/heapgraph"
	"slices"
	"strings"
)

// A Group is a set of vertices with something in common.
type Group struct {
	Name string

	// Shallow counts the objects of the group, and their bytes.
	Shallow Amount

	// Retained counts the objects that the members retain, each object
	// once. It does not include objects that several members hold only
	// together.
	Retained Amount

	// Scan is how many bytes of the objects the collection has scanned, and
	// Unused to how many no reference refers. Both are 0 if the file does
	// not say so, and in groups of roots.
	Scan, Unused int64
}

// ByType groups the reached objects by type. Groups are in the order of the
// bytes that they retain, the largest first.
func (d *Dominators) ByType() []Group {
	g := d.g
	return d.nodeGroups(len(g.strings), func(n uint32) uint32 { return g.nodes[n].text },
		func(k int) string { return cmp.Or(g.strings[k], Unknown) })
}

// ByPath groups the reached objects by the path by which marking came to each
// of them first. Names are paths, as [Graph.Path] and [JoinPath] write them. If
// there are very many long paths, the beginnings of the longest are left out.
// What only elements outside hold (see Outside) is a group of its own, in whose
// path [outside] stands in place of [elem], or after the name of the reference.
// Scan and Unused are known for both together, and are divided as the bytes are.
// Groups are in the order of ByType.
func (d *Dominators) ByPath() []Group {
	g, same := d.g, d.g.samePaths()
	out := d.outsidePaths(same)
	sums := g.sumsOf(len(g.nodes)+len(out.paths), func(n uint32) uint32 { return same[n] })
	out.divide(sums)
	return d.sumGroups(len(sums), out.key, out.name, sums)
}

// samePaths returns, for each node, the first node that has the same path. For
// example, goroutines with different labels have nodes of their own, and their
// paths are the same.
func (g *Graph) samePaths() []uint32 {
	type path struct {
		parent  uint32 // first node with the path of the parent
		element uint32
	}
	first := make(map[path]uint32)
	same := make([]uint32, len(g.nodes))
	for n := 1; n < len(same); n++ {
		p := path{same[g.nodes[n].parent], g.nodes[n].element}
		f, ok := first[p]
		switch {
		case g.strings[p.element] == "":
			f = p.parent
		case !ok:
			f = uint32(n)
			first[p] = f
		}
		same[n] = f
	}
	return same
}

// ByPackage groups the reached objects by package. An object belongs to the
// package of its type. If the type has no package, the object belongs to the
// package of the last element that has one, on the path by which marking came
// to the object. An element belongs to the package of the type, function or
// global variable that it names first. Groups are in the order of ByType.
func (d *Dominators) ByPackage() []Group {
	var packages numbering
	byNode := make([]uint32, len(d.g.nodes))
	for n, p := range d.g.packages() {
		byNode[n] = packages.number(p)
	}
	return d.nodeGroups(len(packages.names), func(n uint32) uint32 { return byNode[n] }, packages.name)
}

// A numbering numbers names from 0 on.
type numbering struct {
	numbers map[string]uint32
	names   []string
}

// number returns the number of a name.
func (n *numbering) number(name string) uint32 {
	k, ok := n.numbers[name]
	if !ok {
		if n.numbers == nil {
			n.numbers = make(map[string]uint32)
		}
		k = uint32(len(n.names))
		n.numbers[name] = k
		n.names = append(n.names, name)
	}
	return k
}

// name returns the name that has the number k.
func (n *numbering) name(k int) string { return n.names[k] }

// ByRoot groups the roots by name, so that goroutines that began with the same
// function are one group. Groups are in the order of ByType.
func (d *Dominators) ByRoot() []Group {
	var names numbering
	keys := make([]uint32, d.g.first)
	for v := range d.g.first {
		keys[v] = names.number(d.g.Name(v))
	}
	return d.groups(len(names.names), func(v Vertex) uint32 {
		if v == All || v >= d.g.first {
			return none
		}
		return keys[v]
	}, names.name)
}

// Group groups the reached vertices by the text that key returns for them.
// Vertices with an empty text are in no group. Groups are in the order of
// ByType.
func (d *Dominators) Group(key func(Vertex) string) []Group {
	var names numbering
	list := make([]uint32, d.g.end)
	for v := range d.g.end {
		name := key(v)
		if name == "" {
			list[v] = none
			continue
		}
		list[v] = names.number(name)
	}
	return d.groups(len(names.names), func(v Vertex) uint32 { return list[v] }, names.name)
}

// nodeGroups returns the groups of objects whose nodes have the same key, as
// groups does, with the sums that the file has for nodes.
func (d *Dominators) nodeGroups(n int, key func(node uint32) uint32, name func(k int) string) []Group {
	return d.sumGroups(n, d.perNode(key), name, d.g.sumsOf(n, key))
}

// sumsOf returns the sums that the file has for nodes, by the key of the nodes,
// which is less than n.
func (g *Graph) sumsOf(n int, key func(node uint32) uint32) []format.Sum {
	sums := make([]format.Sum, n)
	for _, s := range g.sums {
		sum := &sums[key(uint32(s.Node))]
		sum.Scan += s.Scan
		sum.Unused += s.Unused
	}
	return sums
}

// perNode returns a key for groups. The key of an object is that of its node.
// Other vertices have none.
func (d *Dominators) perNode(key func(node uint32) uint32) func(Vertex) uint32 {
	g := d.g
	return func(v Vertex) uint32 {
		if v < g.first {
			return none
		}
		return key(g.node[v-g.first])
	}
}

// groups returns the groups of vertices with the same key. Keys are less than
// n; vertices with the key none are in no group.
func (d *Dominators) groups(n int, key func(Vertex) uint32, name func(k int) string) []Group {
	return d.sumGroups(n, key, name, make([]format.Sum, n))
}

// sumGroups is groups with the sums of each group.
func (d *Dominators) sumGroups(n int, key func(Vertex) uint32, name func(k int) string, sums []format.Sum) []Group {
	groups := make([]Group, n)
	member := make([]bool, n)
	end := make([]uint32, n) // by key: number after the subtree of the member that was added up last
	for i, v := range d.seq {
		k := key(Vertex(v))
		if k == none {
			continue
		}
		x := &groups[k]
		member[k] = true
		if Vertex(v) >= d.g.first {
			x.Shallow.add(Amount{1, d.before[i+1] - d.before[i]})
		}
		if i := uint32(i); i >= end[k] {
			x.Retained.add(d.retained(i))
			end[k] = i + d.size[i]
		}
	}
	list := groups[:0]
	for k, x := range groups {
		if member[k] {
			x.Name, x.Scan, x.Unused = name(k), int64(sums[k].Scan), int64(sums[k].Unused)
			list = append(list, x)
		}
	}
	sortGroups(list)
	return slices.Clip(list)
}

func sortGroups(list []Group) {
	slices.SortFunc(list, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Retained.Bytes, a.Retained.Bytes), strings.Compare(a.Name, b.Name))
	})
}

// RetainedBy returns the number and size of the objects that a set of vertices
// retains together: the reached objects that would not be reached if the
// members were not there. Roots of the second class still do not count for
// objects that roots of the first class reach through members. The result is
// more than the Retained of a [Group] of the same vertices if there are objects
// that only several members together hold. RetainedBy goes through the whole
// graph.
func (g *Graph) RetainedBy(member func(Vertex) bool) Amount {
	d := g.Dominators()
	seen := make([]bool, g.end)
	left := Amount{}
	var todo []uint32
	visit := func(v uint32) {
		if !seen[v] && !member(Vertex(v)) {
			seen[v] = true
			todo = append(todo, v)
		}
	}
	visit(uint32(All))
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if i := d.num[v]; Vertex(v) >= g.first {
			left.add(Amount{1, d.before[i+1] - d.before[i]})
		}
		for _, w := range g.row(Vertex(v)) {
			if d.counts(Vertex(v), Vertex(w)) {
				visit(w)
			}
		}
	}
	return d.Retained(All).Sub(left)
}

// counts reports whether a reference from u to v can be part of a path. It
// cannot if u is not reached, or if only roots of the second class reach u and
// roots of the first class reach v.
func (d *Dominators) counts(u, v Vertex) bool {
	i := d.num[u]
	if i == none {
		return false
	}
	if i == 0 {
		return true // no vertex but All has references to roots
	}
	return i < d.early || d.num[v] >= d.early
}
