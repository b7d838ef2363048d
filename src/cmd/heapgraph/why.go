// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file prints the reasons why objects are live: for several objects, how
// many of them each root holds, and for one, the shortest path from a root to
// it, and paths that have no vertex in common.

package main

import (
	"debug/heapgraph"
	"flag"
	"fmt"
)

var whyCommand = &command{
	name:  "why",
	args:  "snapshot object",
	nargs: 2,
	short: "print paths by which an object is held",
	long: `Why prints the shortest path from a root to an object, and then paths that have
no vertex in common except for the object. If there are several such paths,
cutting one of them does not free the object. The object is given by an address
such as 0x1234, by a type, or by a regular expression that matches types. For a
type or an expression, it is the matching object that retains the most. Before
it, why lists the roots at which the shortest paths to all matching objects
begin, and prints such a path for each root.`,
	setup: func(fs *flag.FlagSet) func(*task, []string) error {
		c := new(why)
		fs.IntVar(&c.roots, "roots", 5, "of a type's objects, print paths from at most so many `roots`; 0 is no limit")
		fs.IntVar(&c.paths, "paths", 5, "find at most so many `paths` that have no object or root in common")
		return c.run
	},
}

// why has the flags of the command.
type why struct{ paths, roots int }

func (c *why) run(t *task, args []string) error {
	if c.paths < 1 {
		return usageError("-paths must be at least 1")
	}
	if c.roots < 0 {
		return usageError("-roots must not be negative")
	}
	s, m, err := t.loadObject(args)
	if err != nil {
		return err
	}
	c.printHoldings(s, args[1], &m)
	s.printLargest(args[1], &m)
	v := m.largest
	if s.Kind(v) != heapgraph.KindObject {
		t.printf("\nThis is a root: it is live because of what it is.\n")
		return nil
	}
	if !s.dom.Reached(v) {
		t.printf("\n%s\n", notReached)
		return nil
	}
	end := t.progress.begin("searching paths")
	shortest := s.ShortestPath(v)
	p := s.DisjointPaths(v, c.paths)
	end()
	t.printf("\nShortest path from a root:\n")
	s.printPath(shortest)
	s.printDisjoint(p)
	s.printCycle("\n", s.cycle(v, shortest))
	return nil
}

// printHoldings prints which roots hold the objects that match, if there are
// several.
func (c *why) printHoldings(s *snapshot, arg string, m *matched) {
	if m.n < 2 || s.Kind(m.largest) != heapgraph.KindObject {
		return
	}
	end := s.t.progress.begin("searching roots")
	list := s.Holdings(func(v heapgraph.Vertex) bool { return m.names[s.Type(v)] > 0 })
	end()
	s.t.printf("Roots at which the shortest paths to %d objects of %s begin:\n\n%10s %10s  %s\n", m.n, arg, "objects", "size", "root")
	shown := len(list)
	if c.roots > 0 {
		shown = min(shown, c.roots)
	}
	for _, h := range list[:shown] {
		s.t.printf("%10d %10s  %s%s\n", h.Objects, s.t.size(h.Bytes), h.Root, created(", ", h.Creator))
	}
	s.t.printMore(len(list), c.roots)
	for _, h := range list[:shown] {
		if path := s.ShortestPath(h.Largest); path != nil {
			s.t.printf("\nShortest path to one of %d by %s%s:\n", h.Objects, h.Root, created(", ", h.Creator))
			s.printPath(path)
		}
	}
	s.t.printf("\n")
}

// notReached is printed for an object that no root reaches.
const notReached = "The snapshot has no path from a root to this object, because the object, or one that refers to it, was allocated or found by the write barrier while the snapshot was taken, or because the snapshot is truncated."

// printDisjoint prints paths that have no vertex in common.
func (s *snapshot) printDisjoint(p *heapgraph.Paths) {
	switch {
	case len(p.Paths) > 1:
		s.t.printf("\n%s:\n", severalPaths(p))
	case p.More:
		s.t.printf("\nNot all paths were searched; see the flag -paths.\n")
		return
	case len(p.Cut) == 1:
		s.t.printf("\nAll paths lead through %s.\n", s.label(p.Cut[0]))
		return
	default:
		return
	}
	for i, path := range p.Paths {
		s.t.printf("\nPath %d:\n", i+1)
		s.printPath(path)
	}
	if p.More {
		s.t.printf("\nThere may be more; see the flag -paths.\n")
		return
	}
	s.t.printf("\nThe object would be free if none of these were there:\n")
	s.printRows("vertex", cutRows(p))
}

// printPath prints the references of a path.
func (s *snapshot) printPath(path []heapgraph.Reference) {
	s.printRows("vertex (reference to it)", s.pathRows(path))
}

// severalPaths returns a text about several paths.
func severalPaths(p *heapgraph.Paths) string {
	least := ""
	if p.More {
		least = "At least "
	}
	return fmt.Sprintf("%s%d paths have no object or root in common, so that cutting one of them does not free the object", least, len(p.Paths))
}

// cutRows returns the rows of a cut.
func cutRows(p *heapgraph.Paths) []row {
	var list []row
	for _, v := range p.Cut {
		list = append(list, row{Vertex: v})
	}
	return list
}
