// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds the object for which an argument stands.

package main

import (
	"cmp"
	"debug/heapgraph"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// loadObject reads a snapshot and finds the object for which an argument stands.
// It prints the lines about the snapshot.
func (t *task) loadObject(args []string) (*snapshot, matched, error) {
	s, err := t.load(args[0])
	if err != nil {
		return nil, matched{}, err
	}
	m, err := s.find(args[1])
	if err != nil {
		return nil, matched{}, err
	}
	s.printHeader()
	return s, m, nil
}

// printLargest prints the type and the sizes of the object that retains the
// most. If several objects match the argument, it also prints their number.
func (s *snapshot) printLargest(arg string, m *matched) {
	if m.n > 1 {
		s.t.printf("%d objects have a type that is or matches %s. The one of them that retains the most:\n\n", m.n, arg)
	}
	s.printSizes(m.largest)
	m.printTypes(s.t)
}

// printSizes prints the type and the sizes of an object.
func (s *snapshot) printSizes(v heapgraph.Vertex) {
	s.t.printf("object: %s\n", s.label(v))
	s.t.printf("size: %s\n", s.t.size(s.Size(v)))
	if text := s.used(v); text != "" {
		s.t.printf("used: %s\n", text)
	}
	s.t.printf("retained: %s\n", s.amount(s.dom.Retained(v)))
	if text := s.outside(v); text != "" {
		s.t.printf("held only by elements that are not used: %s\n", text)
	}
	if text := waiting(s.Goroutines(v)); text != "" {
		s.t.printf("waits, or waited last: %s\n", text)
	}
	if c := s.Creator(v); c != (heapgraph.Creator{}) {
		s.t.printf("created by: %s\n", c.String())
	}
}

// find returns the vertex for which an argument stands. For an address, it is
// the object that contains the address. For a type, or a regular expression
// that matches types, it is the object of these types that retains the most. If
// no object has a type, but arrays of it exist, the type stands for these. Names
// that other commands print, such as main.(*store).janitor, need not be
// quoted. If no type matches, the argument may be the name of a root.
func (s *snapshot) find(arg string) (matched, error) {
	if i := strings.LastIndex(arg, " 0x"); i >= 0 {
		arg = arg[i+1:] // an object as it is printed
	}
	if strings.HasPrefix(arg, "0x") {
		return s.at(arg)
	}
	from, to := s.Objects()
	literal := func(name string) bool { return strings.Contains(name, arg) }
	tries := []func(string) bool{func(name string) bool { return name == arg }, func(name string) bool { return name == "[]"+arg }, literal}
	if re, err := regexp.Compile(arg); err == nil {
		tries = slices.Insert(tries, 2, re.MatchString)
	}
	for _, match := range tries {
		if m := s.matches(from, to, s.Type, match); m.n > 0 {
			return m, nil
		}
	}
	from, to = s.Roots()
	for _, match := range tries {
		if m := s.matches(from, to, s.Name, match); m.n > 0 {
			return m, nil
		}
	}
	return matched{}, fmt.Errorf("%s: no object has a type that is or matches %s, and no root has such a name", s.name, arg)
}

// at returns the object that contains an address.
func (s *snapshot) at(arg string) (matched, error) {
	digits, ok := strings.CutPrefix(arg, "0x")
	a, err := strconv.ParseInt(digits, 16, 64)
	if !ok || err != nil {
		return matched{}, usageError(fmt.Sprintf("%s is not an address", arg))
	}
	v, ok := s.Object(a)
	if !ok {
		return matched{}, fmt.Errorf("%s: no object is at %s", s.name, arg)
	}
	return matched{n: 1, largest: v}, nil
}

// matched is the number of vertices that match, the one of them that retains the
// most, and the number of vertices with each name that matches.
type matched struct {
	n       int
	largest heapgraph.Vertex
	names   map[string]int
}

// matches finds the vertices from from up to, but excluding, to whose names
// match. It calls match once for each name.
func (s *snapshot) matches(from, to heapgraph.Vertex, name func(heapgraph.Vertex) string, match func(name string) bool) matched {
	known := make(map[string]bool)
	m := matched{names: make(map[string]int)}
	most := int64(-1)
	for v := from; v < to; v++ {
		name := name(v)
		is, ok := known[name]
		if !ok {
			is = match(name)
			known[name] = is
		}
		if !is {
			continue
		}
		m.n++
		m.names[name]++
		if r := s.dom.Retained(v).Bytes; r > most {
			most, m.largest = r, v
		}
	}
	return m
}

// mostNames is the largest number of names that match and are printed.
const mostNames = 10

// printTypes prints the names that match, if there are several.
func (m *matched) printTypes(t *task) {
	if len(m.names) < 2 {
		return
	}
	names := slices.SortedFunc(maps.Keys(m.names), func(x, y string) int {
		return cmp.Or(cmp.Compare(m.names[y], m.names[x]), cmp.Compare(x, y))
	})
	t.printf("\n%d types match:\n", len(names))
	for _, name := range names[:min(len(names), mostNames)] {
		t.printf("%10d objects  %s\n", m.names[name], name)
	}
	if n := len(names) - mostNames; n > 0 {
		t.printf("%10d more\n", n)
	}
}
