// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds what is live only because of elements that the program can no
// longer reach. A queue that is resliced has 10 requests, and its array may hold
// 20,000: those before the beginning of the slice. An object that only such
// elements of an array hold is below the array in the dominator tree. Therefore
// a search within that part of the tree finds the others.

package heapgraph

import (
	"cmp"
	"slices"
)

// An Outside is an object, such as an array, with what only those of its
// references hold that are outside of the part to which other references refer:
// see [Graph.Use].
type Outside struct {
	Vertex Vertex
	Amount
}

// OutsideOf returns the number and size of the objects that only references in
// v hold that have Reference.Outside set.
func (d *Dominators) OutsideOf(v Vertex) Amount {
	if d.num[v] == none || d.g.outsideOf(v) == nil {
		return Amount{}
	}
	return newInside(d, v).rest()
}

// Outside returns the objects for which OutsideOf is not zero, the largest
// amounts first. It leaves out objects that are themselves part of such an
// amount, so amounts can be added up. It looks at the objects that retain the
// most first, and ends when it has followed sixteen times as many references as
// the graph has.
func (d *Dominators) Outside() []Outside {
	var list []Outside
	d.eachOutside(func(in *inside) {
		list = append(list, Outside{Vertex(d.seq[in.from]), in.rest()})
	})
	slices.SortStableFunc(list, func(a, b Outside) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return list
}

// eachOutside calls do with what Outside returns, in the order of the numbers of
// vertices that objects dominate.
func (d *Dominators) eachOutside(do func(in *inside)) {
	var candidates []uint32 // numbers
	for _, h := range d.g.hulls {
		if i := d.num[h.v]; i != none && d.size[i] > 1 && d.g.outsideOf(h.v) != nil {
			candidates = append(candidates, i)
		}
	}
	slices.SortFunc(candidates, func(a, b uint32) int { return cmp.Or(cmp.Compare(d.size[b], d.size[a]), cmp.Compare(a, b)) })
	counted, left := newBitset(len(d.seq)), 16*int64(len(d.g.dst))
	for _, i := range candidates {
		if counted.has(i) {
			continue
		}
		if left < 0 {
			break
		}
		in := newInside(d, Vertex(d.seq[i]))
		left -= in.followed
		if in.rest().Objects > 0 {
			do(in)
			in.eachRest(counted.add)
		}
	}
}

// An inside has the objects that an object dominates and holds without its
// references outside.
type inside struct {
	d    *Dominators
	from uint32 // number of the object
	seen bitset // by number, less from; nil if all are reached
	todo []uint32
	Amount

	followed int64 // number of references
}

// newInside searches for what v holds without its references outside. If none of
// these leads to another object that v dominates, it need not search: arrays that
// hold one another may all dominate the same millions of objects.
func newInside(d *Dominators, v Vertex) *inside {
	in := &inside{d: d, from: d.num[v]}
	if !in.dominatesOutside(v) {
		in.followed = int64(len(d.g.row(v)))
		in.Amount = d.retained(in.from)
		return in
	}
	in.seen = newBitset(int(d.size[in.from]))
	in.visit(uint32(v))
	in.todo = in.todo[:0]
	d.g.eachReference(v, d.g.outsideOf(v), func(to uint32, outside bool) {
		in.followed++
		if !outside {
			in.visit(to)
		}
	})
	for len(in.todo) > 0 {
		v := in.todo[len(in.todo)-1]
		in.todo = in.todo[:len(in.todo)-1]
		in.followed += int64(len(d.g.row(Vertex(v))))
		for _, w := range d.g.row(Vertex(v)) {
			in.visit(w)
		}
	}
	return in
}

// dominatesOutside reports whether one of the references outside of v, the
// object, leads to another object that v dominates.
func (in *inside) dominatesOutside(v Vertex) (found bool) {
	d := in.d
	d.g.eachReference(v, d.g.outsideOf(v), func(to uint32, outside bool) {
		found = found || outside && Vertex(to) != v && d.Dominates(v, Vertex(to))
	})
	return found
}

// visit notes that a vertex is reached, unless it is not below the object.
func (in *inside) visit(v uint32) {
	d := in.d
	i := d.num[v]
	if n := i - in.from; i != none && n < d.size[in.from] && !in.seen.has(n) {
		in.seen.add(n)
		in.todo = append(in.todo, v)
		in.add(Amount{1, d.before[i+1] - d.before[i]})
	}
}

// rest returns the amount that is not reached.
func (in *inside) rest() Amount { return in.d.retained(in.from).Sub(in.Amount) }

// eachRest calls do with the numbers of the vertices that are not reached.
func (in *inside) eachRest(do func(number uint32)) {
	for i := range in.d.size[in.from] {
		if !in.seen.has(i) {
			do(in.from + i)
		}
	}
}

// eachReference calls do with the targets of the references from an object, in
// order, and whether they are outside, as the function out says.
func (g *Graph) eachReference(v Vertex, out func(word uint64) bool, do func(to uint32, outside bool)) {
	row, extras := g.row(v), g.extrasOf(v)
	s, slot := g.place(v)
	words := len(row) - len(extras)
	value := s.address(slot) + s.skip
	i := g.wordsIn(s, s.address(slot), value) // references before the value
	for _, to := range row[:i] {
		do(to, false)
	}
	g.eachWord(s, slot, func(word uint64) {
		do(row[i], out(value+word))
		i++
	})
	for i, x := range extras {
		do(row[words+i], x.node == 0 && out(x.word))
	}
}
