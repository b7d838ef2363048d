// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file lists the types, roots, packages or paths that retain the most.

package main

import (
	"cmp"
	"debug/heapgraph"
	"flag"
	"fmt"
	"slices"
)

var topCommand = &command{
	name:  "top",
	args:  "snapshot",
	nargs: 1,
	short: "list types, roots, packages or paths",
	long: `Top lists the types of objects with what they retain and with their own size.
The retained size of a type counts each object once, and leaves out objects that
only several objects of the type hold together. With -by=root it lists roots,
such as global variables and goroutines. With -by=package it lists the packages
of types or, for a type without one, of the references on the paths to its
objects. With -by=path it lists the paths by which marking reached objects
first.`,
	setup: func(fs *flag.FlagSet) func(*task, []string) error {
		c := new(top)
		fs.StringVar(&c.by, "by", "type", "list each `kind`: type, root, package or path")
		fs.StringVar(&c.sort, "sort", "retained", "sort by `column`: retained, shallow, objects, scan (bytes that a collection scans) or unused (bytes to which no reference refers)")
		fs.IntVar(&c.n, "n", 30, "print at most so many `lines`; 0 is no limit")
		return c.run
	},
}

// top has the flags of the command.
type top struct {
	by, sort string
	n        int
}

// groupings has the ways to group vertices.
var groupings = map[string]func(*heapgraph.Dominators) []heapgraph.Group{
	"type":    (*heapgraph.Dominators).ByType,
	"root":    (*heapgraph.Dominators).ByRoot,
	"package": (*heapgraph.Dominators).ByPackage,
	"path":    (*heapgraph.Dominators).ByPath,
}

// groupOrders has the orders of groups, those with the most first.
var groupOrders = map[string]func(a, b heapgraph.Group) int{
	"retained": func(a, b heapgraph.Group) int { return cmp.Compare(b.Retained.Bytes, a.Retained.Bytes) },
	"shallow":  func(a, b heapgraph.Group) int { return cmp.Compare(b.Shallow.Bytes, a.Shallow.Bytes) },
	"objects":  func(a, b heapgraph.Group) int { return cmp.Compare(b.Shallow.Objects, a.Shallow.Objects) },
	"unused":   func(a, b heapgraph.Group) int { return cmp.Compare(b.Unused, a.Unused) },
	"scan":     func(a, b heapgraph.Group) int { return cmp.Compare(b.Scan, a.Scan) },
}

func (c *top) run(t *task, args []string) error {
	group, order := groupings[c.by], groupOrders[c.sort]
	switch {
	case group == nil:
		return usageError(fmt.Sprintf("-by=%s is not type, root, package or path", c.by))
	case order == nil:
		return usageError(fmt.Sprintf("-sort=%s is not retained, shallow, objects, scan or unused", c.sort))
	}
	s, err := t.load(args[0])
	if err != nil {
		return err
	}
	groups := group(s.dom)
	slices.SortStableFunc(groups, order)
	s.printHeader()
	switch {
	case c.by == "root":
		s.printRetained(first(groups, c.n), c.by)
	case c.sort == "scan":
		s.printSums(first(groups, c.n), "scanned", c.by, func(g heapgraph.Group) int64 { return g.Scan })
	case c.sort == "unused":
		s.printSums(first(groups, c.n), "unused", c.by, func(g heapgraph.Group) int64 { return g.Unused })
	default:
		s.printGroups(first(groups, c.n), c.by)
	}
	t.printMore(len(groups), c.n)
	return nil
}

// printRetained prints the retained sizes of roots, which have no sizes of
// their own.
func (s *snapshot) printRetained(groups []heapgraph.Group, title string) {
	s.t.printf("%10s %6s %9s  %s\n", "retained", "share", "objects", title)
	for _, g := range groups {
		r := g.Retained
		s.t.printf("%10s %6s %9d  %s\n", s.t.size(r.Bytes), s.share(r.Bytes), r.Objects, g.Name)
	}
}

// printGroups prints groups of objects.
func (s *snapshot) printGroups(groups []heapgraph.Group, title string) {
	s.t.printf("%10s %27s\n", "retained", "shallow")
	s.t.printf("%10s %6s %9s %10s %6s %9s  %s\n", "size", "share", "objects", "size", "share", "objects", title)
	for _, g := range groups {
		r, own := g.Retained, g.Shallow
		s.t.printf("%10s %6s %9d %10s %6s %9d  %s\n",
			s.t.size(r.Bytes), s.share(r.Bytes), r.Objects,
			s.t.size(own.Bytes), s.share(own.Bytes), own.Objects, g.Name)
	}
}

// printSums prints a part of the bytes of groups, such as those that a
// collection scans.
func (s *snapshot) printSums(groups []heapgraph.Group, what, title string, sum func(heapgraph.Group) int64) {
	s.t.printf("%10s %10s %6s %9s  %s\n", what, "shallow", "part", "objects", title)
	for _, g := range groups {
		own := g.Shallow
		s.t.printf("%10s %10s %5.1f%% %9d  %s\n", s.t.size(sum(g)), s.t.size(own.Bytes),
			100*float64(sum(g))/float64(max(own.Bytes, 1)), own.Objects, g.Name)
	}
}

// first returns the first n elements of a list, or all if n is not positive.
func first[T any](list []T, n int) []T {
	if n <= 0 {
		return list
	}
	return list[:min(n, len(list))]
}

// printMore prints how many lines of a list are left out if n are printed.
func (t *task) printMore(list, n int) {
	if n > 0 && list > n {
		t.printf("(%d more)\n", list-n)
	}
}
