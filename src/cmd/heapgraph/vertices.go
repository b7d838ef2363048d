// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has lists of vertices, dominators and paths, and prints them.

package main

import (
	"debug/heapgraph"
	"fmt"
	"internal/refpath"
)

// label returns the name of a vertex, with the labels of a goroutine and the
// address of an object.
func (s *snapshot) label(v heapgraph.Vertex) string {
	if gs := s.Goroutines(v); len(gs) == 1 { // several goroutines may have different labels
		return refpath.RootText(s.Name(v), first(gs[0].Labels, maxLabels))
	}
	if s.Kind(v) != heapgraph.KindObject {
		return s.Name(v)
	}
	return fmt.Sprintf("%s %s", s.Name(v), s.address(v))
}

// maxLabels is the largest number of labels of a goroutine that are shown.
const maxLabels = 40

// address returns the address of an object as commands accept it.
func (s *snapshot) address(v heapgraph.Vertex) string { return fmt.Sprintf("%#x", s.Address(v)) }

// A row is a line about a vertex.
type row struct {
	Vertex  heapgraph.Vertex
	Place   string // place of the reference to the vertex or from it; if there is no such reference, a text
	Skipped int    // number of vertices before this one that have no row
}

// maxRows is the largest number of vertices of a path that are shown.
const maxRows = 40

// rows returns n rows or, if n is more than maxRows, the first and the last
// ones.
func rows(n int, at func(i int) row) []row {
	var list []row
	for i := 0; i < n; i++ {
		skipped := 0
		if n > maxRows && i == maxRows/2 {
			skipped = n - maxRows
			i += skipped
		}
		r := at(i)
		r.Skipped = skipped
		list = append(list, r)
	}
	return list
}

// dominatorRows returns rows for the vertices of a path of dominators, except
// All, with which the path begins.
func (s *snapshot) dominatorRows(path []heapgraph.Vertex) []row {
	return rows(len(path)-1, func(i int) row {
		return row{Vertex: path[i+1], Place: s.heldBy(path[i], path[i+1])}
	})
}

// pathRows returns rows for the vertices that a path connects.
func (s *snapshot) pathRows(path []heapgraph.Reference) []row {
	if len(path) == 0 {
		return nil
	}
	return rows(len(path)+1, func(i int) row {
		if i == 0 {
			return row{Vertex: path[0].From, Place: s.aboutGoroutine(path[0].From)}
		}
		return row{Vertex: path[i-1].To, Place: s.field(path[i-1])}
	})
}

// heldBy returns a text about how a dominator holds a vertex.
func (s *snapshot) heldBy(u, v heapgraph.Vertex) string {
	if u == heapgraph.All {
		if s.Kind(v) == heapgraph.KindObject {
			return "several roots hold it"
		}
		return s.aboutGoroutine(v)
	}
	if i := s.nthTarget(u, v, 0); i >= 0 {
		return s.field(s.Reference(u, i))
	}
	return "several paths lead to it"
}

// aboutGoroutine returns for what the goroutines of a root wait or last waited,
// how long, and where they were started, as far as they have that in common.
func (s *snapshot) aboutGoroutine(v heapgraph.Vertex) string {
	wait, creator := waiting(s.Goroutines(v)), created("", s.Creator(v))
	if wait != "" && creator != "" {
		return wait + ", " + creator
	}
	return wait + creator
}

// waiting returns a text such as "chan receive, 3 to 12 minutes", or "" if the
// goroutines do not wait for the same.
func waiting(gs []heapgraph.Goroutine) string {
	if len(gs) == 0 {
		return ""
	}
	text, least, most := gs[0].Wait, gs[0].Minutes, 0
	for i := range gs {
		if gs[i].Wait != text {
			return ""
		}
		least, most = min(least, gs[i].Minutes), max(most, gs[i].Minutes)
	}
	switch {
	case text == "" || most == 0:
		return text
	case least == most:
		return fmt.Sprintf("%s, %s", text, minutes(most))
	}
	return fmt.Sprintf("%s, %d to %s", text, least, minutes(most))
}

// minutes returns a text such as "1 minute".
func minutes(n int) string {
	if n == 1 {
		return "1 minute"
	}
	return fmt.Sprintf("%d minutes", n)
}

// created returns a text that says where a goroutine was started, after prefix,
// or "" if that is not known.
func created(prefix string, c heapgraph.Creator) string {
	if c == (heapgraph.Creator{}) {
		return ""
	}
	return prefix + "created by " + c.String()
}

// nthTarget returns the index, among the references from u, of reference number
// n to v, counted from 0. It returns -1 if there is no such reference.
func (s *snapshot) nthTarget(u, v heapgraph.Vertex, n int) int {
	i := 0
	for w := range s.Targets(u) {
		if w == v {
			if n == 0 {
				return i
			}
			n--
		}
		i++
	}
	return -1
}

// field returns the name of the place of a reference. It is empty if the place
// has no name and is not in an object, such as a variable that is itself a
// pointer. [outside] follows if no reference refers to the place.
func (s *snapshot) field(r heapgraph.Reference) string {
	text := r.Field
	if text == "" && r.Offset >= 0 {
		text = fmt.Sprintf("at offset %d", r.Offset)
	}
	if r.Outside {
		text += " [outside]"
	}
	return text
}

// referenceRow returns a row for a reference and the vertex at one end of it.
func (s *snapshot) referenceRow(r heapgraph.Reference, v heapgraph.Vertex) row {
	place := s.field(r)
	if r.Changed {
		place += ", which changed while the snapshot was taken"
	}
	return row{Vertex: v, Place: place}
}

// printRows prints rows below a title.
func (s *snapshot) printRows(title string, rows []row) {
	if len(rows) == 0 {
		return
	}
	s.t.printf("%10s %6s %9s  %s\n", "retained", "share", "objects", title)
	for _, r := range rows {
		if r.Skipped > 0 {
			s.t.printf("%28s (%d more)\n", "", r.Skipped)
		}
		s.printRow(r)
	}
}

func (s *snapshot) printRow(r row) {
	place := ""
	if r.Place != "" {
		place = "  (" + r.Place + ")"
	}
	a := s.dom.Retained(r.Vertex)
	s.t.printf("%10s %6s %9d  %s%s\n", s.t.size(a.Bytes), s.share(a.Bytes), a.Objects, s.label(r.Vertex), place)
}
