// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds leak suspects. A suspect is a place where memory accumulates:
// a vertex that is large together with some of its children in the dominator
// tree, those that accumulate at it (see below). If a server has a cache with a
// million entries, the suspect is the table of the cache, and not the server.
//
// A vertex is heavy if it retains more than a tenth of the reached bytes. The
// search goes from All down through the heavy vertices. At each vertex it
// groups the children in the dominator tree by name. If exactly one child of a
// group is heavy, the search continues at that child. The following children
// accumulate at the vertex:
//
//   - children with the same name that are heavy together, such as the entries of
//     a table
//   - other children that are light, such as entries of several types. A light
//     child retains no more than a hundredth of the reached bytes
//   - children with the name of the vertex, and heavy children with the name of
//     a vertex above it: recursive data, such as lists and trees. All vertices of
//     such data are one place
//
// Other children do not accumulate: a server may have a dozen parts, each a
// twelfth of the heap, without a leak.

package heapgraph

import (
	"cmp"
	"errors"
	"slices"
)

// ErrTruncated is the error of [Dominators.Suspects] for a snapshot from which
// references are missing.
var ErrTruncated = errors.New("heapgraph: references are missing from the snapshot: retained sizes are not exact, and cannot show a leak")

// A Suspect is a place where memory accumulates.
type Suspect struct {
	// Vertex retains the memory. For recursive data, such as a list, it is
	// the first vertex. It is All if the suspect is a class: vertices, such
	// as goroutines, that have the same name and the immediate dominator
	// All. Class is then their name.
	Vertex Vertex
	Class  string

	// Path is the dominators of Vertex, from All to Vertex.
	Path []Vertex

	// Retained is the memory that has accumulated.
	Retained Amount

	// Children has the children of Vertex that accumulate there, in groups
	// by name. In recursive data, these are the other vertices of the data,
	// each with its own size alone, and the children of all of them. If the
	// suspect is a class, Children has the class alone. There are up to 10
	// groups, those that retain the most.
	Children []Group
}

const (
	heavyShare  = 10  // a heavy vertex retains more than 1/heavyShare of the reached bytes
	lightShare  = 100 // a light vertex retains no more than 1/lightShare of them
	maxChildren = 10
)

// Suspects returns the places where more than a tenth of the reached bytes have
// accumulated, the largest first. If there are no such places, it returns none.
// It returns [ErrTruncated] if references are missing.
func (d *Dominators) Suspects() ([]Suspect, error) {
	if d.g.Truncated != "" {
		return nil, ErrTruncated
	}
	s := suspicion{d: d, heavy: d.bytes(0) / heavyShare, light: d.bytes(0) / lightShare}
	s.links = make(map[string]*link)
	s.search()
	list := s.classes()
	for _, p := range s.places[1:] {
		if p.merged {
			continue
		}
		total, groups := s.accumulated(p)
		if total.Bytes <= s.heavy {
			continue
		}
		v := Vertex(d.seq[p.members[0]])
		list = append(list, Suspect{Vertex: v, Path: d.Path(v), Retained: total, Children: groups[:min(maxChildren, len(groups))]})
	}
	slices.SortStableFunc(list, func(a, b Suspect) int { return cmp.Compare(b.Retained.Bytes, a.Retained.Bytes) })
	return list, nil
}

// A suspicion is a search for suspects.
type suspicion struct {
	d            *Dominators
	heavy, light int64 // bytes
	places       []*place

	chain []*link          // links of the vertex at which the search is, the lowest last
	links map[string]*link // the same by name
}

// A place is a heavy vertex, or several that are recursive data.
type place struct {
	above   *place
	names   []string
	members []uint32 // numbers of vertices (see Dominators); the first one dominates the others
	several []uint32 // heavy children that are not places
	merged  bool     // the place is merged with one above; gather then gives that its names, members and several
}

// A step is a vertex at which the search is to continue.
type step struct {
	number uint32
	place  *place
	chain  *link
}

// A link has the name of a vertex of the search and its place. The chain of links
// of a vertex has the names of the vertices above it, each name once.
type link struct {
	name  string
	place *place
	depth int // number of links of the chain up to it
}

// search finds the places. The first one is All.
func (s *suspicion) search() {
	s.places = []*place{{}}
	todo := []step{{0, s.places[0], nil}}
	for len(todo) > 0 {
		t := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		t.place = t.place.whole()
		t.place.members = append(t.place.members, t.number)
		s.enter(t.chain)
		todo = s.below(t, todo)
	}
	s.gather()
}

// enter makes l the lowest link of the chain. The link above it is in the chain,
// because the search is depth-first.
func (s *suspicion) enter(l *link) {
	keep := 0
	if l != nil {
		keep = l.depth - 1
		if len(s.chain) > keep && s.chain[keep] == l {
			keep++
		}
	}
	for _, x := range s.chain[keep:] {
		delete(s.links, x.name)
	}
	if s.chain = s.chain[:keep]; l != nil && keep < l.depth {
		s.chain = append(s.chain, l)
		s.links[l.name] = l
	}
}

// gather gives the parts of places that are merged to the places with which
// they are merged.
func (s *suspicion) gather() {
	for _, p := range s.places {
		if to := p.whole(); to != p {
			to.names = append(to.names, p.names...)
			to.members = append(to.members, p.members...)
			to.several = append(to.several, p.several...)
		}
	}
}

// below adds the heavy children of the vertex of a step to todo or to the
// several of its place.
func (s *suspicion) below(t step, todo []step) []step {
	var children []uint32
	names := make(map[string]int)
	for c := range s.d.children(t.number) {
		if s.d.bytes(c) > s.heavy {
			children = append(children, c)
			names[s.name(c)]++
		}
	}
	p := t.place
	for _, c := range children {
		name := s.name(c)
		if same := s.links[name]; same != nil {
			p = p.mergeUpTo(same.place.whole())
			todo = append(todo, step{c, p, t.chain})
		} else if names[name] > 1 {
			p.several = append(p.several, c)
		} else {
			x := &place{above: p, names: []string{name}}
			s.places = append(s.places, x)
			todo = append(todo, step{c, x, t.chain.below(name, x)})
		}
	}
	return todo
}

// below returns a new link below l, which may be nil.
func (l *link) below(name string, p *place) *link {
	depth := 1
	if l != nil {
		depth = l.depth + 1
	}
	return &link{name, p, depth}
}

func (s *suspicion) name(number uint32) string { return s.d.g.Name(Vertex(s.d.seq[number])) }

// whole returns the place with which p is merged, or p. It makes the way
// shorter for the next call.
func (p *place) whole() *place {
	to := p
	for to.merged {
		to = to.above
	}
	for p.merged {
		p, p.above = p.above, to
	}
	return to
}

// mergeUpTo merges p, and the places between p and a given place above it, with
// the given place. It returns the given place. Places between can be merged
// already.
func (p *place) mergeUpTo(to *place) *place {
	for p = p.whole(); p != to; {
		above := p.above.whole()
		p.merged, p.above = true, to
		p = above
	}
	return to
}

// accumulated returns the amount that has accumulated at a place: the first
// member's own size and the vertices that it has in groups by name.
func (s *suspicion) accumulated(p *place) (total Amount, groups []Group) {
	names := p.nameSet()
	children := s.children(p, names)
	total = s.own(p.members[0])
	for _, i := range p.members[1:] {
		s.group(children, i).addOwn(s.own(i))
	}
	for _, x := range children {
		if x.Retained.Bytes <= s.heavy && !names[x.Name] {
			x.Retained, x.Shallow = x.lightRetained, x.lightShallow
		}
		if x.Retained.Objects == 0 {
			continue
		}
		total.add(x.Retained)
		groups = append(groups, x.Group)
	}
	sortGroups(groups)
	return total, groups
}

// classes returns the suspects that are classes: children of All.
func (s *suspicion) classes() (list []Suspect) {
	for _, x := range s.children(s.places[0], s.places[0].nameSet()) {
		if x.Retained.Bytes > s.heavy {
			list = append(list, Suspect{Class: x.Name, Path: []Vertex{All}, Retained: x.Retained, Children: []Group{x.Group}})
		}
	}
	slices.SortFunc(list, func(a, b Suspect) int { return cmp.Compare(a.Class, b.Class) })
	return list
}

// A childGroup has the children of a place that have the same name.
type childGroup struct {
	Group
	lightRetained, lightShallow Amount // of the light children alone
}

// children returns the children of a place by name, without those that are
// members of places. If a child has one of the names of the place, it is part
// of the recursive data: only its own size counts, and its children are
// children of the place.
func (s *suspicion) children(p *place, names map[string]bool) map[string]*childGroup {
	groups := make(map[string]*childGroup)
	todo := slices.Clone(p.several)
	for _, i := range p.members {
		for c := range s.d.children(i) {
			if s.d.bytes(c) <= s.heavy {
				todo = append(todo, c)
			}
		}
	}
	for len(todo) > 0 {
		c := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		x := s.group(groups, c)
		if names[x.Name] {
			x.addOwn(s.own(c))
			todo = slices.AppendSeq(todo, s.d.children(c))
			continue
		}
		s.addChild(x, c)
	}
	return groups
}

// nameSet returns the names of p as a set.
func (p *place) nameSet() map[string]bool {
	set := make(map[string]bool)
	for _, name := range p.names {
		set[name] = true
	}
	return set
}

// group returns the group for the name of a vertex.
func (s *suspicion) group(groups map[string]*childGroup, number uint32) *childGroup {
	name := s.name(number)
	x := groups[name]
	if x == nil {
		x = &childGroup{Group: Group{Name: name}}
		groups[name] = x
	}
	return x
}

// own returns the size of a vertex itself.
func (s *suspicion) own(number uint32) Amount {
	if d := s.d; Vertex(d.seq[number]) >= d.g.first {
		return Amount{1, d.before[number+1] - d.before[number]}
	}
	return Amount{}
}

// addOwn adds a vertex of recursive data, which is in x with its own size.
func (x *childGroup) addOwn(own Amount) {
	x.Shallow.add(own)
	x.Retained.add(own)
}

// addChild adds a child to x.
func (s *suspicion) addChild(x *childGroup, c uint32) {
	retained, shallow := s.d.retained(c), s.own(c)
	x.Retained.add(retained)
	x.Shallow.add(shallow)
	if retained.Bytes <= s.light {
		x.lightRetained.add(retained)
		x.lightShallow.add(shallow)
	}
}
