// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file lists leak suspects: the places where memory accumulates.

package main

import (
	"cmp"
	"debug/heapgraph"
	"flag"
	"fmt"
	"slices"
)

var suspectsCommand = &command{
	name:  "suspects",
	args:  "snapshot",
	nargs: 1,
	short: "list the places where memory accumulates",
	long: `Suspects lists the places where more than a tenth of the reached bytes have
accumulated. Such a place is a vertex whose own size, small children, and groups
of children with the same name together are so large, or it is several objects
or roots that have the same name and no common dominator. It prints what
dominates the place, and what has accumulated there. A cache is such a place,
too: to see which places grow, compare two snapshots with diff. Truncated
snapshots are refused, because their retained sizes are not exact. At the end
are arrays with elements outside of all slices, as after q = q[1:], if these
elements alone hold more than a hundredth.`,
	setup: func(*flag.FlagSet) func(*task, []string) error { return suspects },
}

// A suspect retains more than 1/suspectShare of the reached bytes.
const suspectShare = 10

// noSuspects is printed for a snapshot that has no suspects.
const noSuspects = "There are no leak suspects: no place has accumulated more than a tenth of the reached bytes."

func suspects(t *task, args []string) error {
	s, err := t.load(args[0])
	if err != nil {
		return err
	}
	list, err := s.dom.Suspects()
	if err != nil {
		return fileError(s.name, err)
	}
	s.printHeader()
	if len(list) == 0 {
		t.printf("%s\n", noSuspects)
	}
	for i := range list {
		if i > 0 {
			t.printf("\n")
		}
		s.printSuspect(i+1, &list[i])
	}
	s.printOutsiders()
	return nil
}

func (s *snapshot) printSuspect(n int, x *heapgraph.Suspect) {
	place, accumulated := s.suspect(x)
	s.t.printf("Suspect %d: %s at %s\n", n, s.amount(x.Retained), place)
	if x.Vertex != heapgraph.All {
		s.t.printf("  dominators, from the root on\n")
		s.printRows("vertex (reference to it from the one above)", s.dominatorRows(x.Path))
	}
	if len(accumulated) > 0 {
		s.printAccumulated(accumulated)
	}
	s.printCycle("  ", s.suspectCycle(x))
}

// suspect returns the name of a suspect, and the groups that have accumulated
// there. If the suspect is a large object by itself, there are no groups.
func (s *snapshot) suspect(x *heapgraph.Suspect) (place string, accumulated []heapgraph.Group) {
	if x.Vertex != heapgraph.All {
		return s.label(x.Vertex), x.Children
	}
	class := s.class(x.Class)
	return fmt.Sprintf("%d objects or roots that have no common dominator: %s", len(class), x.Class), s.inside(x.Class, class)
}

func (s *snapshot) printAccumulated(children []heapgraph.Group) {
	s.t.printf("  what has accumulated\n")
	s.t.printf("%10s %6s %9s  %s\n", "retained", "share", "number", "name")
	for _, g := range first(children, 10) {
		s.t.printf("%10s %6s %9d  %s\n", s.t.size(g.Retained.Bytes), s.share(g.Retained.Bytes), g.Shallow.Objects, g.Name)
	}
	s.t.printMore(len(children), 10)
}

// class returns the vertices with the given name whose immediate dominator is
// All. It leaves out a vertex that retains more than 1/suspectShare of the
// reached bytes, if no other vertex of the class does so. The reason is that
// such a vertex may be a suspect or have one below it.
func (s *snapshot) class(name string) []heapgraph.Vertex {
	limit := s.dom.Retained(heapgraph.All).Bytes / suspectShare
	var list []heapgraph.Vertex
	var heavy []int // indexes in list
	for v := range s.dom.Children(heapgraph.All) {
		if s.Name(v) != name {
			continue
		}
		if s.dom.Retained(v).Bytes > limit {
			heavy = append(heavy, len(list))
		}
		list = append(list, v)
	}
	if len(heavy) == 1 {
		list = slices.Delete(list, heavy[0], heavy[0]+1)
	}
	return list
}

// inside returns the vertices that the vertices of a class dominate immediately,
// in groups by name. A dominated vertex may have the name of the class, too. In
// this case only its own size counts, and the vertices that it dominates
// immediately are counted as if the class dominated them immediately.
func (s *snapshot) inside(name string, class []heapgraph.Vertex) []heapgraph.Group {
	groups := make(map[string]*heapgraph.Group)
	todo := slices.Clone(class)
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for c := range s.dom.Children(v) {
			child, own := s.Name(c), heapgraph.Amount{Objects: 1, Bytes: s.Size(c)}
			if child == name {
				todo = append(todo, c)
				addTo(groups, child, own, own)
			} else {
				addTo(groups, child, own, s.dom.Retained(c))
			}
		}
	}
	return sortedGroups(groups)
}

// addTo adds a vertex to the group with a name.
func addTo(groups map[string]*heapgraph.Group, name string, own, retained heapgraph.Amount) {
	g := groups[name]
	if g == nil {
		g = &heapgraph.Group{Name: name}
		groups[name] = g
	}
	g.Shallow = add(g.Shallow, own)
	g.Retained = add(g.Retained, retained)
}

// sortedGroups returns groups, those that retain the most first.
func sortedGroups(groups map[string]*heapgraph.Group) []heapgraph.Group {
	var list []heapgraph.Group
	for _, g := range groups {
		list = append(list, *g)
	}
	slices.SortFunc(list, func(a, b heapgraph.Group) int {
		return cmp.Or(cmp.Compare(b.Retained.Bytes, a.Retained.Bytes), cmp.Compare(a.Name, b.Name))
	})
	return list
}
