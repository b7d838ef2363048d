// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file says which part of an object the program can use, and what elements
// outside of it hold.

package main

import (
	"debug/heapgraph"
	"fmt"
	"strconv"
)

// used returns a text about the part of an object to which references refer, or
// "" if that is the whole object or not known.
func (s *snapshot) used(v heapgraph.Vertex) string {
	u, ok := s.Use(v)
	if !ok {
		return ""
	}
	text := fmt.Sprintf("%s of %s bytes", grouped(u.End-u.First), grouped(s.Size(v)))
	if elems := elements(u); elems != "" {
		text += ", " + elems
	}
	return text
}

// elements returns a text about the elements of an array to which references
// refer, or "" if an object is no array. The size class of an array may have
// room for more elements than the program has asked for.
func elements(u heapgraph.Use) string {
	switch {
	case u.Elems == 0:
		return ""
	case u.EndElem == u.FirstElem:
		return fmt.Sprintf("none of at most %d elements", u.Elems)
	case u.EndElem == u.FirstElem+1:
		return fmt.Sprintf("element %d of at most %d", u.FirstElem, u.Elems)
	}
	return fmt.Sprintf("elements %d to %d of at most %d", u.FirstElem, u.EndElem-1, u.Elems)
}

// outside returns a text about what only elements of an object hold to which no
// reference refers, or "" if that is nothing.
func (s *snapshot) outside(v heapgraph.Vertex) string {
	if a := s.dom.OutsideOf(v); a.Objects > 0 {
		return s.amount(a)
	}
	return ""
}

// outsideShare is the share of the reached bytes above which suspects lists what
// elements outside hold: more than 1/outsideShare.
const outsideShare = 100

// outsiders returns the objects whose elements outside hold much memory.
func (s *snapshot) outsiders() []heapgraph.Outside {
	list := s.dom.Outside()
	for i, o := range list {
		if o.Bytes <= s.dom.Retained(heapgraph.All).Bytes/outsideShare {
			return list[:i]
		}
	}
	return list
}

// printOutsiders prints the objects whose elements outside hold much memory.
func (s *snapshot) printOutsiders() {
	list := s.outsiders()
	if len(list) == 0 {
		return
	}
	s.t.printf("\nHeld only by elements to which no slice or pointer refers any more:\n")
	s.t.printf("%10s %6s %9s  %s\n", "size", "share", "objects", "array (what is used)")
	for _, o := range first(list, topRows) {
		s.t.printf("%10s %6s %9d  %s  (%s)\n", s.t.size(o.Bytes), s.share(o.Bytes), o.Objects, s.label(o.Vertex), s.used(o.Vertex))
	}
	s.t.printMore(len(list), topRows)
}

// grouped returns a number with a comma before each group of three digits.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
