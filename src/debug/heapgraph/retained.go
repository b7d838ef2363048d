// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file measures what sets retain. A set is a type, a variable or another
// reference, and its members are the objects or the references that have this
// name. What roots of the first class reach without the members comes first.
// Then the sets are released, one after the other: the objects that are reached
// after a release were held by this set and those before it. Roots of the second
// class do the same with the rest. Then follow finalizers, cleanups
// and weak handles of objects that are not reached from outside of the sets.

package heapgraph

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// A Set has what matches its name: all objects of types, or all references in
// global variables, in variables of functions, or in fields, elements, keys or
// values of objects.
//
// The names are those of refs profiles. A reference is named by its owner and
// its fields, as in example.com/app.Session.buf and
// map[string]*app.Session[value]. The type of the reference may follow after a
// space, and the type of its value in parentheses. [outside] in place of [elem]
// stands for elements to which no slice or pointer refers. A type has the name that
// [Graph.Type] returns or the full path of its package, and stands for arrays
// of the type, too.
//
// Values in other objects and on stacks are not objects of their type. Neither
// are tiny objects, because several of them share a block. A struct or an array
// that the linker has allocated is one, but has no size.
type Set struct {
	// Name is a name, in which "..." stands for any text.
	Name string

	// Match reports whether the set has a name. If it is nil, Name is
	// compared with the names.
	Match func(name string) bool
}

// Retained has what sets retain.
type Retained struct {
	Sets []RetainedSet // in the order of the arguments
	Live Amount        // all live objects, as Dominators.Live returns them

	// Outside counts the objects that are reached without the sets, and
	// Untyped those of them whose type is not known. If a set is a type,
	// some of these may be members of it.
	Outside, Untyped Amount

	// FreedLater counts the objects that are reached only from finalizers,
	// cleanups and weak handles of objects that are not reached from
	// outside. If the sets were not there, they would be free later.
	FreedLater Amount

	// Unreached counts the other live objects. It is not known what holds
	// them: see [Dominators.Reach].
	Unreached Amount
}

// A RetainedSet has what a set retains.
type RetainedSet struct {
	Name string
	Amount
	Paths []RetainedPath // they add up to Amount
}

// A RetainedPath has the objects of one type that a set retains at one path. The
// first element of the path is the member, a type or a reference, and the other
// elements are references. Recursion is folded.
type RetainedPath struct {
	Path []string
	Type string
	Amount
}

// ErrSet is wrapped by the error of [Graph.Retained] if there are no sets or too
// many, or if nothing has the name of a set.
var ErrSet = errors.New("no such set")

// maxSets is the largest number of sets.
const maxSets = 100

// Retained returns what the sets retain: the objects that would not be reached
// without their members. It is exact if the snapshot is not truncated. If there
// are several sets, the last one has the objects that it retains alone, and each
// other set those that it retains in addition to the sets after it. A member of
// several sets counts for the last of these.
//
// As for dominators, references of the second class, such as those of a pool to
// its items, count only for objects that neither the sets nor references of the
// first class reach. Objects to which no root leads but the write barrier count
// as not reached. Retained goes through the whole graph, and keeps 5 bytes for
// each object while it runs.
func (g *Graph) Retained(sets ...Set) (*Retained, error) {
	if len(sets) == 0 || len(sets) > maxSets {
		return nil, fmt.Errorf("%w: there are %d sets, and there must be 1 to %d", ErrSet, len(sets), maxSets)
	}
	m := g.members(sets)
	if err := m.check(func(i int) bool { return m.found[i] || m.may[i] || m.mayBeOutside(m.sets[i]) }); err != nil {
		return nil, err
	}
	r := &retaining{g: g, members: m, state: make([]uint8, g.end), level: newBitset(int(g.end)), held: make([][]heldBack, len(sets)+1), retainedPaths: newRetainedPaths(len(sets), int(g.end))}
	r.run()
	if err := m.check(func(i int) bool { return m.found[i] }); err != nil {
		return nil, err
	}
	return r.result(), nil
}

// check returns an error if a set is not found.
func (m *members) check(found func(i int) bool) error {
	for i := range m.sets {
		if !found(i) {
			return fmt.Errorf("%w: nothing in the heap has the name %q", ErrSet, m.sets[i].Name)
		}
	}
	return nil
}

// HasSet reports whether anything in the heap has the name of the set, or may
// have it, which depends on values of interfaces or on what is outside.
func (g *Graph) HasSet(s Set) bool {
	m := g.members([]Set{s})
	return m.found[0] || m.may[0] || m.mayBeOutside(s) && strings.Contains(s.Name, "[outside]")
}

// A heldBack is a reference to an object that a set holds back.
type heldBack struct {
	to     Vertex
	member uint32 // text
}

// States of objects. An object that a set retains has the state stateSet plus
// the set's index.
const (
	stateNot     uint8 = iota // not reached
	stateOutside              // reached without the sets
	stateSet
	stateLater = 255 // freed later
)

// A retaining marks the graph.
type retaining struct {
	g *Graph
	*members
	state []uint8      // by vertex
	queue []uint32     // objects whose references are to be followed
	spare []uint32     // array for the next queue
	level bitset       // for inOrder
	now   uint8        // state of objects that are reached
	from  uint32       // path of the object whose references are followed
	held  [][]heldBack // by set, from 1 on

	second bool // roots of the second class are followed

	*retainedPaths
}

// run marks everything.
func (r *retaining) run() {
	second := r.g.off[r.g.late] - r.g.off[1] // first reference of a root of the second class
	r.outside(0, second)
	r.release()
	r.second = true
	r.outside(second, uint32(len(r.g.rootPlaces)))
	r.release()
	r.now = stateLater
	r.roots(0, uint32(len(r.g.rootPlaces)), r.g.ofSpecial)
	r.lateSpecials()
	r.drain()
}

// outside marks what some references of roots reach without the sets.
func (r *retaining) outside(from, to uint32) {
	r.now, r.released = stateOutside, 0
	r.ownedBefore()
	r.roots(from, to, func(n uint32) bool { return !r.g.ofSpecial(n) && !r.g.ofBarrier(n) })
	r.drain()
}

// release marks what the sets hold back, one set after the other.
func (r *retaining) release() {
	for s := 1; s < len(r.held); s++ {
		r.now = stateSet + uint8(s-1)
		r.released = uint8(s)
		for _, h := range r.held[s] {
			if r.state[h.to] == stateNot {
				r.reach(h.to, r.child(uint32(s), h.member, r.textOf(h.to)))
			}
		}
		r.held[s] = nil
		r.ownedBefore()
		r.drain()
	}
}

// ofBarrier reports whether node n is below a root that holds only objects of
// which it is not known what holds them.
func (g *Graph) ofBarrier(n uint32) bool {
	switch g.strings[g.nodes[g.nodes[n].root].element] {
	case "(write barrier)", "(allocated during GC)":
		return true
	}
	return false
}

// roots follows the references of roots with the given indices whose nodes the
// function accepts.
func (r *retaining) roots(from, end uint32, accept func(node uint32) bool) {
	g := r.g
	first := g.off[1]
	for i := from; i < end; i++ {
		n := g.rootPlaces[i]
		if g.owned.has(i) || !accept(n) {
			continue
		}
		to := Vertex(g.dst[first+i])
		r.follow(to, r.rootReference(n, to), func() uint32 { return r.rootText(n) })
	}
}

// follow follows a reference that belongs to a set, or to none if set is 0. text
// returns the name of the reference.
func (r *retaining) follow(to Vertex, set uint8, text func() uint32) {
	if r.state[to] != stateNot {
		return
	}
	object := r.objectSet(to)
	if s := max(set, object); s > r.released {
		h := heldBack{to: to}
		if object >= set {
			h.member = r.text(r.memberType(to))
		} else {
			h.member = text()
		}
		r.held[s] = append(r.held[s], h)
		return
	}
	path := uint32(0)
	if r.now >= stateSet && r.now != stateLater {
		path = r.child(r.from, text(), r.textOf(to))
	}
	r.reach(to, path)
}

// reach marks an object.
func (r *retaining) reach(v Vertex, path uint32) {
	r.state[v] = r.now
	r.queue = append(r.queue, uint32(v))
	if path != 0 {
		r.pathOf[v] = path
	}
}

// drain follows the references of all objects that have been reached, breadth
// first, so that paths are short. A level of many objects is followed in the
// order of their vertices, which is the order of memory: in another order, the
// processor waits for memory most of the time.
func (r *retaining) drain() {
	for len(r.queue) > 0 {
		level := r.queue
		r.queue = r.spare[:0]
		if len(level) > len(r.state)/1024 {
			r.inOrder(level)
		} else {
			for _, v := range level {
				r.object(Vertex(v))
			}
		}
		r.spare = level
	}
}

// inOrder follows the references of objects in the order of their vertices.
func (r *retaining) inOrder(level []uint32) {
	for _, v := range level {
		r.level.add(v)
	}
	for i, b := range r.level {
		for ; b != 0; b &= b - 1 {
			r.object(Vertex(i*64 + bits.TrailingZeros64(b)))
		}
		r.level[i] = 0
	}
}

// object follows the references of an object. Until the sets are released, those
// of its specials are among them.
func (r *retaining) object(v Vertex) {
	g := r.g
	n := g.node[v-g.first]
	if r.now == stateOutside && !r.named[n] {
		for _, w := range g.row(v) {
			if r.state[w] != stateNot {
				continue
			}
			if r.objects && r.objectSets[g.node[Vertex(w)-g.first]] != 0 {
				r.follow(Vertex(w), 0, nil)
				continue
			}
			r.state[w] = stateOutside
			r.queue = append(r.queue, w)
		}
		r.owned(v, true)
		return
	}
	r.from = r.pathOf[v]
	r.fields(v, n)
	r.owned(v, r.now == stateOutside)
}

// fields follows the references of an object with the names of its words. It
// follows those of specials if the object is outside.
func (r *retaining) fields(v Vertex, n uint32) {
	g := r.g
	row := g.row(v)
	extras := g.extrasOf(v)
	s, slot := g.place(v)
	i, words := 0, len(row)-len(extras)
	value := s.address(slot) + s.skip
	header := g.wordsIn(s, s.address(slot), value) // references before the value
	for ; i < header; i++ {
		r.follow(Vertex(row[i]), 0, r.unknownText)
	}
	out := g.outsideOf(v)
	follow := func(word uint64, to Vertex) {
		if out != nil && out(value+word) {
			set, text := r.referenceOutside(n, word, to)
			r.follow(to, set, text)
			return
		}
		r.word(n, word, to)
	}
	g.eachWord(s, slot, func(word uint64) {
		follow(word, Vertex(row[i]))
		i++
	})
	for i, x := range extras {
		switch {
		case x.node == 0:
			follow(x.word-value, Vertex(row[words+i]))
		case r.now == stateOutside || r.now == stateLater:
			r.follow(x.to, 0, r.unknownText)
		}
	}
}

// ownedBefore follows the references of the second class in objects that have
// been reached with the present state by references of the first class.
func (r *retaining) ownedBefore() {
	if !r.second {
		return
	}
	for _, o := range r.g.owners {
		if !o.special && r.state[o.from] == r.now {
			r.from = r.pathOf[o.from]
			s, slot := r.g.place(o.from)
			r.word(r.g.node[o.from-r.g.first], o.word-s.address(slot)-s.skip, o.to)
		}
	}
}

// owned follows the references of an object that are in ROOTREFS. Those that no
// special has are of the second class.
func (r *retaining) owned(v Vertex, specials bool) {
	g := r.g
	if !r.owners.has(uint32(v)) {
		return
	}
	s, slot := g.place(v)
	value := s.address(slot) + s.skip
	for _, o := range g.ownersFrom(v) {
		switch {
		case !o.special && !r.second:
		case !o.special:
			r.word(g.node[v-g.first], o.word-value, o.to)
		case specials || r.now == stateLater:
			r.follow(o.to, 0, r.unknownText)
		}
	}
}

// word follows the reference in a word of an object at node n.
func (r *retaining) word(n uint32, word uint64, to Vertex) {
	set, text := r.reference(n, word, to)
	r.follow(to, set, text)
}

// lateSpecials follows the specials of all objects that are not reached from
// outside.
func (r *retaining) lateSpecials() {
	for _, x := range r.g.extras {
		if x.node != 0 && r.state[x.from] != stateOutside {
			r.follow(x.to, 0, r.unknownText)
		}
	}
}

// result adds up the objects.
func (r *retaining) result() *Retained {
	g := r.g
	x := &Retained{Sets: make([]RetainedSet, len(r.sets))}
	reached := Amount{}
	for i := range g.spans {
		s := &g.spans[i]
		one := Amount{1, g.bytes(s)}
		g.objects(s, func(v Vertex, _ uint32) {
			switch state := r.state[v]; state {
			case stateNot:
				return
			case stateOutside:
				x.Outside.add(one)
				if n := &g.nodes[g.node[v-g.first]]; n.typ == 0 && n.text == 0 {
					x.Untyped.add(one)
				}
			case stateLater:
				x.FreedLater.add(one)
			default:
				x.Sets[state-stateSet].add(one)
				r.nodes[r.pathOf[v]].add(one)
			}
			reached.add(one)
		})
	}
	x.Live = g.live()
	x.Unreached = x.Live.Sub(reached)
	for i := range x.Sets {
		x.Sets[i].Name = r.sets[i].Name
	}
	r.list(x.Sets)
	return x
}

// live returns the number and size of the live objects, as Dominators.Live does.
func (g *Graph) live() Amount {
	var all Amount
	for i := range g.spans {
		one := Amount{1, g.bytes(&g.spans[i])}
		g.objects(&g.spans[i], func(Vertex, uint32) { all.add(one) })
	}
	if g.Live.Bytes >= all.Bytes {
		return g.Live
	}
	return all
}

// wordsIn returns the number of words with references from an address up to
// another one.
func (g *Graph) wordsIn(s *span, from, to uint64) int {
	if s.dense() {
		return int(s.wordsBefore(from, to))
	}
	i, _ := slices.BinarySearch(g.longWords, from)
	j, _ := slices.BinarySearch(g.longWords, to)
	return j - i
}
