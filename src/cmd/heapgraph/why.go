// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file prints the reasons why an object is live: the shortest path from a
// root to it, and paths that have no vertex in common.

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
type or an expression, it is the matching object that retains the most.`,
	setup: func(fs *flag.FlagSet) func(*task, []string) error {
		c := new(why)
		fs.IntVar(&c.paths, "paths", 5, "find at most so many `paths` that have no vertex in common")
		return c.run
	},
}

// why has the flags of the command.
type why struct{ paths int }

func (c *why) run(t *task, args []string) error {
	if c.paths < 1 {
		return usageError("-paths must be at least 1")
	}
	s, v, err := t.loadObject(args)
	if err != nil {
		return err
	}
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
	return fmt.Sprintf("%s%d paths have no vertex in common, so that cutting one of them does not free the object", least, len(p.Paths))
}

// cutRows returns the rows of a cut.
func cutRows(p *heapgraph.Paths) []row {
	var list []row
	for _, v := range p.Cut {
		list = append(list, row{Vertex: v})
	}
	return list
}
