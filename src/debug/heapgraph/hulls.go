// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file says which part of an object the program can use: the part to which
// references refer. If a queue is resliced, as by q = q[1:], the beginning of its
// array is no longer used, but what its elements refer to stays live.

package heapgraph

import (
	"cmp"
	format "internal/heapgraph"
	"slices"
)

// A Use is the part of an object to which references refer, from its first byte
// to its last one.
type Use struct {
	// First and End are the distances, in bytes, of the first byte, and of
	// the one behind the last, from the beginning of the object's value. In
	// the storage of a map or a channel, entries count as if they stood at
	// the beginning.
	First, End int64

	// If the object is an array, it has room for Elems elements, and
	// references refer to those from FirstElem to EndElem-1. Otherwise, the
	// three are 0.
	FirstElem, EndElem, Elems int64
}

// A hull is a Use as the file has it: with distances from the beginning of the
// slot.
type hull struct {
	v          Vertex
	first, end uint64
}

// addHulls makes the list of hulls. An object of a hull may be missing, if its
// claim is.
func (b *builder) addHulls() {
	g := b.g
	for _, h := range b.f.tables.parts {
		s := g.find(h.Object)
		if s == nil || s.address(s.slot(h.Object)) != h.Object || !g.isObject(s, s.slot(h.Object)) {
			continue
		}
		most := uint64(g.bytes(s))
		g.hulls = append(g.hulls, hull{g.vertex(s, s.slot(h.Object)), min(h.First, most), min(h.End, most)})
	}
	slices.SortFunc(g.hulls, func(a, b hull) int {
		return cmp.Or(cmp.Compare(a.v, b.v), cmp.Compare(a.first, b.first), cmp.Compare(a.end, b.end))
	})
	g.hulls = slices.CompactFunc(g.hulls, func(a, b hull) bool { return a.v == b.v })
}

// hullOf returns the hull of an object, or nil if it has none.
func (g *Graph) hullOf(v Vertex) *hull {
	i, ok := slices.BinarySearchFunc(g.hulls, v, func(h hull, v Vertex) int { return cmp.Compare(h.v, v) })
	if !ok {
		return nil
	}
	return &g.hulls[i]
}

// Use returns which part of an object references refer to. ok is false if they
// refer to the whole object or if the file does not say it, as for objects of up
// to 512 bytes.
func (g *Graph) Use(v Vertex) (u Use, ok bool) {
	h := g.hullOf(v)
	if h == nil {
		return Use{}, false
	}
	s, _ := g.place(v)
	skip := s.skip * uint64(g.PointerSize)
	u.First = int64(h.first - min(skip, h.first))
	u.End = max(u.First, int64(h.end-min(skip, h.end)))
	if size := g.elemSize(v); size != 0 {
		u.Elems = (g.bytes(s) - int64(skip)) / size
		u.EndElem = min((u.End+size-1)/size, u.Elems)
		u.FirstElem = min(u.First/size, u.EndElem)
		if u.First == u.End {
			u.FirstElem, u.EndElem = 0, 0
		}
	}
	return u, u.First > 0 || u.End < g.bytes(s)-int64(skip)
}

// elemSize returns the size of the elements of an object that is an array, and
// otherwise 0.
func (g *Graph) elemSize(v Vertex) int64 {
	n := g.namer(v)
	if x := &g.types[n.typ]; x.Size != 0 && x.Size <= uint64(g.bytes(n.s)) && !g.isGroup(x) && n.several() {
		return int64(x.Size)
	}
	return 0
}

// hasPlaces reports whether the hulls of objects at node n say where the used
// part is. Those of maps and channels only say how long it is.
func (g *Graph) hasPlaces(n uint32) bool {
	x := &g.types[g.nodes[n].typ]
	return x.Size != 0 && !g.isGroup(x)
}

// outsideOf returns a function that reports whether a word of v, which is given
// by its address, is outside of the part to which references refer. It returns
// nil if no word of v is, or if that is not known.
func (g *Graph) outsideOf(v Vertex) func(word uint64) bool {
	h := g.hullOf(v)
	if h == nil || !g.hasPlaces(g.node[v-g.first]) {
		return nil
	}
	s, slot := g.place(v)
	from, pointer := s.address(slot), uint64(g.PointerSize)
	return func(word uint64) bool {
		at := (word - from) * pointer
		return at+pointer <= h.first || at >= h.end
	}
}

// checkHulls checks that hulls are possible.
func (t *tables) checkHulls() error {
	const most = 1 << 62
	for i, h := range t.parts {
		if h.End > most {
			return numberError(format.KindHulls, i)
		}
	}
	return nil
}
