// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has the dominator tree. Its vertices are numbered in preorder. A
// vertex therefore dominates a range of numbers that begins with its own, and a
// sum over that range is the difference of two prefix sums.

package heapgraph

import (
	"cmp"
	"internal/dominators"
	"iter"
	"math"
	"slices"
)

// Dominators is the dominator tree of a graph. Its root is [All].
type Dominators struct {
	g *Graph

	seq    []uint32 // vertex of each number
	num    []uint32 // number of each vertex, or none
	idom   []uint32 // number of the immediate dominator of each number
	size   []uint32 // number of vertices that each number dominates, including itself
	before []int64  // bytes of all numbers before each number; the last element has those of all numbers
	early  uint32   // vertices that roots of the first class reach have numbers below this
}

const none = math.MaxUint32

// Dominators returns the dominator tree. The first call computes it.
func (g *Graph) Dominators() *Dominators {
	return g.dominators.get(func() *Dominators {
		d := &Dominators{g: g}
		d.number(dominators.Compute(&dominators.Graph{Off: g.off, Dst: g.dst, Late: uint32(g.late)}))
		d.sum()
		return d
	})
}

// number numbers the vertices of a tree in preorder. It reuses the arrays of
// the tree, because they are large.
func (d *Dominators) number(t *dominators.Tree) {
	m := len(t.Vertex)
	d.early = uint32(t.Early)
	size, pos, next := t.Spare[0][:m], t.Spare[1][:m], t.Spare[2][:m]
	clear(size)
	for i := m - 1; i > 0; i-- {
		size[i]++
		size[t.Idom[i]] += size[i]
	}
	size[0]++
	pos[0], next[0] = 0, 1
	for i := 1; i < m; i++ {
		p := &next[t.Idom[i]]
		pos[i] = *p
		*p += size[i]
		next[i] = pos[i] + 1
	}
	d.idom = next
	for i, x := range t.Idom {
		d.idom[pos[i]] = pos[x]
	}
	d.size = t.Idom
	for i, x := range size {
		d.size[pos[i]] = x
	}
	d.seq = size
	for i, v := range t.Vertex {
		d.seq[pos[i]] = v
	}
	d.num = t.Vertex[:d.g.end]
	for v := range d.num {
		d.num[v] = none
	}
	for i, v := range d.seq {
		d.num[v] = uint32(i)
	}
}

// sum computes d.before.
func (d *Dominators) sum() {
	g := d.g
	d.before = make([]int64, len(d.seq)+1)
	for i := range g.spans {
		s := &g.spans[i]
		bytes := g.bytes(s)
		g.objects(s, func(v Vertex, _ uint32) {
			if x := d.num[v]; x != none {
				d.before[x+1] = bytes
			}
		})
	}
	for i := range d.seq {
		d.before[i+1] += d.before[i]
	}
}

// Reached reports whether references lead from a root to v.
func (d *Dominators) Reached(v Vertex) bool { return d.num[v] != none }

// Reach has the amounts of objects by the roots that reach them.
type Reach struct {
	First  Amount // roots of the first class
	Second Amount // only roots of the second class
	Not    Amount // no roots
}

// Reach returns the amounts of objects by the roots that reach them. Objects
// that no roots reach are live, too. They, or objects that refer to them, were
// allocated while the collection marked, or only the write barrier found them,
// or references are missing from the file (see Meta.Truncated).
func (d *Dominators) Reach() Reach {
	g := d.g
	var all Amount
	for i := range g.spans {
		g.objects(&g.spans[i], func(Vertex, uint32) {
			all.add(Amount{1, g.bytes(&g.spans[i])})
		})
	}
	m := uint32(len(d.seq))
	first := Amount{int64(d.early) - int64(g.late), d.before[d.early]}
	reached := Amount{int64(m) - int64(g.first), d.before[m]}
	return Reach{first, reached.Sub(first), all.Sub(reached)}
}

// Idom returns the immediate dominator of v. It is All if v is a root, or if no
// other vertex is on all paths from roots to v. There is none if v is All or is
// not reached.
func (d *Dominators) Idom(v Vertex) (u Vertex, ok bool) {
	i := d.num[v]
	if i == none || i == 0 {
		return 0, false
	}
	return Vertex(d.seq[d.idom[i]]), true
}

// Dominates reports whether every path from a root to v leads through u. A
// vertex dominates itself. Dominates returns false if u or v is not reached.
func (d *Dominators) Dominates(u, v Vertex) bool {
	i, j := d.num[u], d.num[v]
	return i != none && j != none && j-i < d.size[i]
}

// Retained returns the number and size of the objects that v dominates,
// including v if it is an object. It is zero for a vertex that is not reached.
func (d *Dominators) Retained(v Vertex) Amount {
	if d.num[v] == none {
		return Amount{}
	}
	return d.retained(d.num[v])
}

// retained is Retained for the vertex with number i.
func (d *Dominators) retained(i uint32) Amount {
	a := Amount{int64(d.size[i]), d.bytes(i)}
	switch v := Vertex(d.seq[i]); {
	case v == All:
		a.Objects -= int64(d.g.first)
	case v < d.g.first:
		a.Objects--
	}
	return a
}

// bytes returns the bytes that number i retains.
func (d *Dominators) bytes(i uint32) int64 { return d.before[i+d.size[i]] - d.before[i] }

// Children returns the vertices whose immediate dominator is v, in no
// particular order. Their retained sizes and the size of v add up to the
// retained size of v.
func (d *Dominators) Children(v Vertex) iter.Seq[Vertex] {
	return func(yield func(Vertex) bool) {
		if d.num[v] == none {
			return
		}
		for i := range d.children(d.num[v]) {
			if !yield(Vertex(d.seq[i])) {
				return
			}
		}
	}
}

// children returns the children of number i, in order.
func (d *Dominators) children(i uint32) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for c := i + 1; c < i+d.size[i]; c += d.size[c] {
			if !yield(c) {
				return
			}
		}
	}
}

// Biggest returns up to n of the vertices whose immediate dominator is v: those
// that retain the most, in decreasing order.
func (d *Dominators) Biggest(v Vertex, n int) []Vertex {
	if d.num[v] == none || n <= 0 {
		return nil
	}
	compare := func(a, b uint32) int { return cmp.Or(cmp.Compare(d.bytes(b), d.bytes(a)), cmp.Compare(a, b)) }
	var list []uint32
	for c := range d.children(d.num[v]) {
		if list = append(list, c); len(list) >= 2*n {
			slices.SortFunc(list, compare)
			list = list[:n]
		}
	}
	slices.SortFunc(list, compare)
	list = list[:min(n, len(list))]
	vertices := make([]Vertex, len(list))
	for i, c := range list {
		vertices[i] = Vertex(d.seq[c])
	}
	return vertices
}

// Path returns the dominators of v, from All to v. It is nil if v is not
// reached.
func (d *Dominators) Path(v Vertex) []Vertex {
	if d.num[v] == none {
		return nil
	}
	var path []Vertex
	for i := d.num[v]; i != 0; i = d.idom[i] {
		path = append(path, Vertex(d.seq[i]))
	}
	path = append(path, All)
	for i, j := 0, len(path)-1; i < j; i, j = i+1, j-1 {
		path[i], path[j] = path[j], path[i]
	}
	return path
}
