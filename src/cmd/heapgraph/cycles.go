// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file shows finalizers and cleanups that lead back to their own objects.

package main

import "debug/heapgraph"

// A shownCycle is a cycle as commands print it and pages show it.
type shownCycle struct {
	Text string
	Rows []row
}

func (s *snapshot) showCycle(what string, c *heapgraph.Cycle) *shownCycle {
	return &shownCycle{
		what + " can never be freed: " + c.Special + " leads back to its own object (a cycle), and so it never runs.",
		s.pathRows(c.Path()),
	}
}

// cycle returns the cycle of a vertex, or else that of the object nearest to it
// on a path from a root, or nil.
func (s *snapshot) cycle(v heapgraph.Vertex, path []heapgraph.Reference) *shownCycle {
	if c := s.Cycle(v); c != nil && s.Kind(v) != heapgraph.KindObject {
		return s.showCycle(count(int64(c.Objects), "object"), c)
	} else if c != nil {
		return s.showCycle("This object", c)
	}
	for i := len(path) - 1; i > 0; i-- {
		if c := s.Cycle(path[i].From); c != nil {
			return s.showCycle(s.label(path[i].From), c)
		}
	}
	return nil
}

// suspectCycle returns the cycle of a suspect, or of a dominator of it, or nil.
func (s *snapshot) suspectCycle(x *heapgraph.Suspect) *shownCycle {
	for i := len(x.Path) - 1; i > 0; i-- {
		if c := s.Cycle(x.Path[i]); c != nil {
			return s.showCycle(count(int64(c.Objects), "object"), c)
		}
	}
	if x.Vertex != heapgraph.All {
		return nil
	}
	var c *heapgraph.Cycle
	n := 0
	for _, v := range s.class(x.Class) {
		if d := s.Cycle(v); d != nil {
			c = d
			n++
		}
	}
	if c == nil {
		return nil
	}
	return s.showCycle(count(int64(n), "of these"), c)
}

// printCycle prints a cycle, if there is one.
func (s *snapshot) printCycle(indent string, c *shownCycle) {
	if c != nil {
		s.t.printf(indent+"%s\n", c.Text)
		s.printRows("vertex (reference to it)", c.Rows)
	}
}
