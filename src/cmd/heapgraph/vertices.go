// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file prints vertices and lists of them: dominators, and paths.

package main

import (
	"debug/heapgraph"
	"fmt"
	"internal/refpath"
)

// label returns the name of a vertex, with the labels of a goroutine and the
// address of an object.
func (s *snapshot) label(v heapgraph.Vertex) string {
	if gs := s.Goroutines(v); len(gs) == 1 { // more of them may have different labels
		return refpath.RootText(s.Name(v), gs[0].Labels)
	}
	if s.Kind(v) != heapgraph.KindObject {
		return s.Name(v)
	}
	return fmt.Sprintf("%s %s", s.Name(v), s.address(v))
}

// address returns the address of an object as commands accept it.
func (s *snapshot) address(v heapgraph.Vertex) string { return fmt.Sprintf("%#x", s.Address(v)) }

// row prints a line about a vertex.
func (s *snapshot) row(v heapgraph.Vertex, extra string) {
	r := s.dom.Retained(v)
	if extra != "" {
		extra = "  (" + extra + ")"
	}
	fmt.Fprintf(s.t.out, "%10s %6s %9d  %s%s\n", s.t.size(r.Bytes), s.share(r.Bytes), r.Objects, s.label(v), extra)
}

// maxRows is the number of vertices of a path that are printed.
const maxRows = 40

// rows calls row for each of n vertices or, if there are very many, for the
// first and the last ones.
func (s *snapshot) rows(n int, row func(i int)) {
	for i := 0; i < n; i++ {
		if n > maxRows && i == maxRows/2 {
			i = n - maxRows/2
			fmt.Fprintf(s.t.out, "%28s (%d more)\n", "", n-maxRows)
		}
		row(i)
	}
}

// rowTitle prints the title of the lines of row.
func (s *snapshot) rowTitle(extra string) {
	fmt.Fprintf(s.t.out, "%10s %6s %9s  %s\n", "retained", "share", "objects", "vertex "+extra)
}

// printDominators prints a path of dominators without All, with which it
// begins.
func (s *snapshot) printDominators(path []heapgraph.Vertex) {
	path = path[1:]
	s.rowTitle("(reference to it from the one above)")
	s.rows(len(path), func(i int) {
		if i == 0 {
			s.row(path[0], s.heldBy(heapgraph.All, path[0]))
			return
		}
		s.row(path[i], s.heldBy(path[i-1], path[i]))
	})
}

// heldBy says how a dominator holds a vertex.
func (s *snapshot) heldBy(u, v heapgraph.Vertex) string {
	if u == heapgraph.All {
		if s.Kind(v) == heapgraph.KindObject {
			return "several roots hold it"
		}
		return ""
	}
	for _, r := range s.Referrers(v) {
		if r.From == u {
			return s.field(r)
		}
	}
	return "several paths lead to it"
}

// field returns the name of the place of a reference. It is empty if the
// reference is that of a variable itself.
func (s *snapshot) field(r heapgraph.Reference) string {
	if r.Field == "" && r.Offset >= 0 {
		return fmt.Sprintf("at offset %d", r.Offset)
	}
	return r.Field
}

// printPath prints the references of a path, and the vertices that they
// connect.
func (s *snapshot) printPath(path []heapgraph.Reference) {
	if len(path) == 0 {
		return
	}
	s.rowTitle("(reference to it)")
	s.rows(len(path)+1, func(i int) {
		if i == 0 {
			s.row(path[0].From, "")
			return
		}
		s.row(path[i-1].To, s.field(path[i-1]))
	})
}
