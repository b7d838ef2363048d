// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds the object for which an argument stands.

package main

import (
	"debug/heapgraph"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// loadObject reads a snapshot and finds an object in it. It prints the lines
// about the snapshot, and the type and the sizes of the object. If several
// objects match, it also prints their number.
func (t *task) loadObject(args []string) (*snapshot, heapgraph.Vertex, error) {
	s, err := t.load(args[0])
	if err != nil {
		return nil, 0, err
	}
	m, err := s.find(args[1])
	if err != nil {
		return nil, 0, err
	}
	s.printHeader()
	if m.n > 1 {
		t.printf("%d objects have a type that is or matches %s. The one of them that retains the most:\n\n", m.n, args[1])
	}
	s.printSizes(m.largest)
	return s, m.largest, nil
}

// printSizes prints the type and the sizes of an object.
func (s *snapshot) printSizes(v heapgraph.Vertex) {
	s.t.printf("object: %s\n", s.label(v))
	s.t.printf("size: %s\n", s.t.size(s.Size(v)))
	s.t.printf("retained: %s\n", s.amount(s.dom.Retained(v)))
}

// find returns the object for which an argument stands. For an address, it is
// the object that contains the address. For a type, or a regular expression
// that matches types, it is the object of these types that retains the most.
func (s *snapshot) find(arg string) (matched, error) {
	if strings.HasPrefix(arg, "0x") {
		return s.at(arg)
	}
	m := s.matches(func(name string) bool { return name == arg })
	if m.n == 0 {
		re, err := regexp.Compile(arg)
		if err != nil {
			return m, usageError(err.Error())
		}
		m = s.matches(re.MatchString)
	}
	if m.n == 0 {
		return m, fmt.Errorf("%s: no object has a type that is or matches %s", s.name, arg)
	}
	return m, nil
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
	return matched{1, v}, nil
}

// matched is the number of objects that match, and the one of them that retains
// the most.
type matched struct {
	n       int
	largest heapgraph.Vertex
}

// matches finds the objects whose types match. It calls match once for each
// type.
func (s *snapshot) matches(match func(typ string) bool) matched {
	known := make(map[string]bool)
	var m matched
	most := int64(-1)
	from, to := s.Objects()
	for v := from; v < to; v++ {
		typ := s.Type(v)
		is, ok := known[typ]
		if !ok {
			is = match(typ)
			known[typ] = is
		}
		if !is {
			continue
		}
		m.n++
		if r := s.dom.Retained(v).Bytes; r > most {
			most, m.largest = r, v
		}
	}
	return m
}
