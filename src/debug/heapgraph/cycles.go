// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds finalizers and cleanups that lead back to their own objects,
// and therefore never run. The collector keeps what a finalizer or a cleanup
// refers to, and what the object of a finalizer refers to. A search for
// strongly connected components starts at the objects that have finalizers or
// cleanups. It follows the references of objects and of their specials. A
// component is a cycle if it has both ends of a reference that the collector
// follows for a special.

package heapgraph

import (
	"slices"
)

// A Cycle is a finalizer or cleanup that leads back to its own object, so that
// it never runs and the object is never freed.
type Cycle struct {
	Special string // such as "(finalizer) *main.conn"
	Objects int    // number of objects with such specials, see Graph.Cycle

	c     *cycles
	first extra
	last  Vertex // object that was counted last
}

// Path returns the references of a shortest path from the object of the special
// back to the object.
func (c *Cycle) Path() []Reference { return c.c.path(c.first) }

// Cycle returns a cycle to which v belongs, or nil. If v is the root of
// finalizers or cleanups, it is a cycle of one of them, and its Objects counts
// the objects of all of them. Otherwise Objects counts the objects that are in
// a cycle with v. The first call for a graph that has finalizers or cleanups
// keeps 4 bytes for each object.
func (g *Graph) Cycle(v Vertex) *Cycle {
	if v == All || v >= g.end {
		return nil
	}
	c := g.cyclic.get(g.findCycles)
	switch {
	case v >= g.first:
		return c.components[c.of(v)]
	case !g.roots[v-1].isG:
		return c.roots[g.roots[v-1].id]
	}
	return nil
}

// isFinalizer reports whether x says that an object has a finalizer.
func (g *Graph) isFinalizer(x extra) bool { return x.from == x.to && g.nodes[x.node].parent == 0 }

// specials returns the references of roots that specials of objects have, and
// which objects have finalizers. It leaves out those of root nodes: what a
// finalizer holds is among the fields of its object, and weak handles lead
// nowhere.
func (g *Graph) specials() (list []extra) {
	for _, o := range g.owners {
		x := extra{from: o.from, to: o.to, word: noWord, node: o.node}
		if o.special && (g.nodes[o.node].parent != 0 || g.isFinalizer(x)) {
			list = append(list, x)
		}
	}
	slices.SortFunc(list, compareExtras)
	return slices.Compact(list)
}

// fields returns the targets of the references in v, without those of its
// specials.
func (g *Graph) fields(v Vertex) []uint32 {
	row, extras := g.row(v), g.extrasOf(v)
	for len(extras) > 0 && extras[len(extras)-1].node != 0 {
		row, extras = row[:len(row)-1], extras[:len(extras)-1]
	}
	return row
}

// cycles are the strongly connected components of objects that can be reached
// from objects with specials.
type cycles struct {
	g     *Graph
	owned []extra  // references of roots that specials have, in order
	order []uint32 // by object: when the search came to it, counted from 1, or 0
	low   []uint32 // by object: the least order that it reaches; after the search, its component
	last  uint32
	stack []uint32

	components map[uint32]*Cycle // by component
	roots      map[uint32]*Cycle // by the root node of specials

	finalized Vertex // object of the last call of leadsBack
	back      bool   // its result
}

// of returns the component of an object, or 0.
func (c *cycles) of(v Vertex) uint32 {
	if len(c.low) == 0 {
		return 0
	}
	return c.low[v-c.g.first]
}

// ownedBy returns the elements of owned of v.
func (c *cycles) ownedBy(v Vertex) []extra { return extrasFrom(c.owned, v) }

func (g *Graph) findCycles() *cycles {
	c := &cycles{g: g, owned: g.specials(), components: make(map[uint32]*Cycle), roots: make(map[uint32]*Cycle)}
	list := slices.Clone(c.owned)
	for _, x := range g.extras {
		if x.node != 0 {
			list = append(list, x)
		}
	}
	if len(list) == 0 {
		return c
	}
	slices.SortFunc(list, compareExtras)
	c.order, c.low = make([]uint32, g.end-g.first), make([]uint32, g.end-g.first)
	for _, x := range list {
		if c.order[x.from-g.first] == 0 {
			c.search(x.from)
		}
	}
	c.order, c.stack = nil, nil
	for _, x := range list {
		if c.closes(x) {
			c.count(c.components, c.of(x.from), x)
		}
	}
	for _, x := range c.owned {
		if c.closes(x) {
			c.count(c.roots, g.nodes[x.node].root, x)
		}
	}
	return c
}

// count counts the object of x, which leads back to it. The references of an
// object come one after another.
func (c *cycles) count(m map[uint32]*Cycle, key uint32, x extra) {
	y := m[key]
	if y == nil {
		g := c.g
		y = &Cycle{Special: g.strings[g.nodes[g.nodes[x.node].root].element], c: c, first: x}
		m[key] = y
	}
	if y.last != x.from {
		y.last = x.from
		y.Objects++
	}
}

// closes reports whether x is a reference within a component, or says that an
// object has a finalizer and refers to an object of its component.
func (c *cycles) closes(x extra) bool {
	if c.g.isFinalizer(x) {
		return c.leadsBack(x.from)
	}
	return c.of(x.from) == c.of(x.to)
}

// leadsBack reports whether v refers to an object of its component.
func (c *cycles) leadsBack(v Vertex) bool {
	if c.finalized != v {
		c.finalized = v
		c.back = slices.ContainsFunc(c.g.fields(v), func(w uint32) bool { return c.of(Vertex(w)) == c.of(v) })
	}
	return c.back
}

// targets returns the number of references from v, with those of its specials,
// and the target of the ith.
func (c *cycles) targets(v Vertex) (n int, target func(i int) Vertex) {
	row, owned := c.g.row(v), c.ownedBy(v)
	return len(row) + len(owned), func(i int) Vertex {
		if i < len(row) {
			return Vertex(row[i])
		}
		return owned[i-len(row)].to
	}
}

// A visit is an object at which the search is.
type visit struct {
	v    Vertex
	next int // index of the next target
}

// search gives the objects that v reaches their components (Tarjan, 1972).
func (c *cycles) search(v Vertex) {
	first := c.g.first
	enter := func(v Vertex) visit {
		c.last++
		c.order[v-first], c.low[v-first] = c.last, c.last
		c.stack = append(c.stack, uint32(v))
		return visit{v: v}
	}
	for path := []visit{enter(v)}; len(path) > 0; {
		at := &path[len(path)-1]
		i := at.v - first
		n, target := c.targets(at.v)
		descended := false
		for at.next < n && !descended {
			w := target(at.next)
			at.next++
			switch k := w - first; {
			case c.order[k] == 0:
				path = append(path, enter(w))
				descended = true
			case c.order[k] != left:
				c.low[i] = min(c.low[i], c.low[k])
			}
		}
		if descended {
			continue
		}
		if c.low[i] == c.order[i] {
			c.leave(at.v)
		}
		if path = path[:len(path)-1]; len(path) > 0 && c.order[i] != left {
			up := path[len(path)-1].v - first
			c.low[up] = min(c.low[up], c.low[i])
		}
	}
}

// left is the order of objects whose component is known.
const left = 1<<32 - 1

// leave gives the objects on the stack from v on the component of v. Its number
// is the order of v.
func (c *cycles) leave(v Vertex) {
	number := c.order[v-c.g.first]
	for {
		w := Vertex(c.stack[len(c.stack)-1])
		c.stack = c.stack[:len(c.stack)-1]
		c.order[w-c.g.first], c.low[w-c.g.first] = left, number
		if w == v {
			return
		}
	}
}

// path returns a shortest path from the object of x back to it. It begins with
// x, or with a reference of the object if x says that it has a finalizer.
func (c *cycles) path(x extra) []Reference {
	g := c.g
	from := make(map[Vertex]Vertex)
	var layer []Vertex
	visit := func(v, w Vertex) {
		if _, ok := from[w]; !ok && c.of(w) == c.of(x.from) {
			from[w] = v
			layer = append(layer, w)
		}
	}
	if g.isFinalizer(x) {
		for _, w := range g.fields(x.from) {
			visit(x.from, Vertex(w))
		}
	} else {
		visit(x.from, x.to)
	}
	for len(layer) > 0 {
		v := layer[0]
		if layer = layer[1:]; v == x.from {
			break
		}
		n, target := c.targets(v)
		for i := range n {
			visit(v, target(i))
		}
	}
	back := []Vertex{x.from}
	for v := from[x.from]; v != x.from; v = from[v] {
		back = append(back, v)
	}
	back = append(back, x.from)
	slices.Reverse(back)
	return c.around(back, x)
}

// around returns the references of a path around a cycle. The first is that of
// x, which may say that the object has a finalizer.
func (c *cycles) around(path []Vertex, x extra) []Reference {
	g := c.g
	var refs []Reference
	from := 0
	for i := range len(path) - 1 {
		v, w := path[i], path[i+1]
		first := i == 0 && !g.isFinalizer(x)
		if !first && slices.Contains(g.row(v), uint32(w)) {
			continue
		}
		if !first {
			owned := c.ownedBy(v)
			x = owned[slices.IndexFunc(owned, func(y extra) bool { return y.to == w })]
		}
		refs = append(refs, g.references(path[from:i+1])...)
		refs = append(refs, Reference{From: v, To: w, Offset: -1, Field: g.strings[g.nodes[x.node].element]})
		from = i + 1
	}
	return append(refs, g.references(path[from:])...)
}
