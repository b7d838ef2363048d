// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds the objects that have references of ROOTREFS. Objects of the
// second class, and objects that were not marked yet when their specials were
// followed, have their references in ROOTREFS, so that dominators see them as
// references of a root. OWNERS says which object has each of them. Retained
// needs that: such a reference holds nothing if its object is not reached.

package heapgraph

import (
	"cmp"
	format "internal/heapgraph"
	"slices"
	"sort"
	"strings"
)

// An owner is a reference that an object has and that is in ROOTREFS.
type owner struct {
	from, to Vertex
	word     uint64 // address of the word
	node     uint32
	special  bool // a special of the object has the reference, or the object has a finalizer (see Graph.isFinalizer)
}

// A bitset has a bit for each of some numbers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(i uint32) bool { return int(i/64) < len(b) && b[i/64]>>(i%64)&1 != 0 }

func (b bitset) add(i uint32) { b[i/64] |= 1 << (i % 64) }

func (w *worker) addOwner(d *format.Decoder) error {
	r := d.Special()
	if d.Err() != nil {
		return d.Err()
	}
	if r.Node == 0 || r.Node >= uint64(len(w.b.g.nodes)) {
		return d.Error("a node does not exist")
	}
	w.owners = append(w.owners, r)
	return nil
}

// compareOwners orders owners by the references that they have.
func compareOwners(a, b format.Special) int {
	return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Target, b.Target), cmp.Compare(a.Object, b.Object))
}

// objectAt returns the object that has the word at an address.
func (g *Graph) objectAt(addr uint64) (v Vertex, ok bool) {
	s := g.find(addr)
	if s == nil || !g.isObject(s, s.slot(addr)) {
		return 0, false
	}
	return g.vertex(s, s.slot(addr)), true
}

// findOwned finds the references of roots that objects have, before they lose
// duplicates. A reference that a special has is not among them, because its
// object may be dead.
func (b *builder) findOwned() {
	g := b.g
	live := b.owners[:0]
	for _, r := range b.owners {
		if _, ok := g.objectAt(r.Object); ok {
			live = append(live, r)
		}
	}
	b.owners = live
	slices.SortFunc(b.owners, compareOwners)
	g.owned = newBitset(len(g.rootPlaces))
	place := uint32(0)
	for i := 0; i < len(b.rootRefs); place++ {
		r, n := b.rootRefs[i], 1
		for i+n < len(b.rootRefs) && b.rootRefs[i+n].target == r.target && b.rootRefs[i+n].node == r.node && compareRoots(b.root(b.rootRefs[i+n]), b.root(r)) == 0 {
			n++
		}
		i += n
		if r.goroutine == 0 && !g.ofSpecial(r.node) && n == b.ownersOf(r) {
			g.owned.add(place)
		}
	}
}

// ownersOf returns the number of words that have the reference r.
func (b *builder) ownersOf(r rawRootRef) int {
	at := func(target uint64) int {
		return sort.Search(len(b.owners), func(i int) bool {
			return cmp.Or(cmp.Compare(b.owners[i].Node, uint64(r.node)), cmp.Compare(b.owners[i].Target, target)) >= 0
		})
	}
	return at(r.target+1) - at(r.target)
}

// addOwners makes the list of owners.
func (b *builder) addOwners() {
	g := b.g
	for _, r := range b.owners {
		from, _ := g.objectAt(r.Object)
		if to, ok := g.objectAt(r.Target); ok {
			g.owners = append(g.owners, owner{from, to, r.Object, uint32(r.Node), g.ofSpecial(uint32(r.Node))})
		}
	}
	b.owners = nil
	slices.SortFunc(g.owners, func(a, b owner) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.word, b.word), cmp.Compare(a.to, b.to))
	})
}

// ownersFrom returns the owners that are v.
func (g *Graph) ownersFrom(v Vertex) []owner {
	from := sort.Search(len(g.owners), func(i int) bool { return g.owners[i].from >= v })
	to := from
	for to < len(g.owners) && g.owners[to].from == v {
		to++
	}
	return g.owners[from:to]
}

// ofSpecial reports whether node n is that of a finalizer, a cleanup or a weak
// handle that an object has, or is below one.
func (g *Graph) ofSpecial(n uint32) bool {
	name := g.strings[g.nodes[g.nodes[n].root].element]
	return name == "(weak handle)" || strings.HasPrefix(name, "(finalizer) ") || strings.HasPrefix(name, "(cleanup) ")
}
