// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file describes an object.

package main

import (
	"debug/heapgraph"
	"flag"
)

var objectCommand = &command{
	name:  "object",
	args:  "snapshot object",
	nargs: 2,
	short: "print what is known of an object",
	long: `Object prints the type and size of an object, what it retains, its immediate
dominator, the path by which marking reached it first, the references from it,
and the references to it. The object is given by an address such as 0x1234, by a
type, or by a regular expression that matches types. For a type or an
expression, it is the matching object that retains the most.`,
	setup: func(fs *flag.FlagSet) func(*task, []string) error {
		c := new(object)
		fs.IntVar(&c.n, "n", 30, "print at most so many `references` each way; 0 is no limit")
		return c.run
	},
}

// object has the flags of the command.
type object struct{ n int }

func (c *object) run(t *task, args []string) error {
	s, m, err := t.loadObject(args)
	if err != nil {
		return err
	}
	s.printLargest(args[1], &m)
	v := m.largest
	if u, ok := s.dom.Idom(v); ok {
		t.printf("immediate dominator: %s\n", s.label(u))
	} else {
		t.printf("%s\n", notReached)
	}
	if path := s.Path(v); path != nil {
		t.printf("path of marking: %s\n", heapgraph.JoinPath(path))
	}
	end := t.progress.begin("searching references")
	out, in := length(s.Targets(v)), length(s.Sources(v))
	end()
	c.print(s, "References from it", out, v, s.outgoing)
	c.print(s, "References to it", in, v, s.incoming)
	return nil
}

// print prints the first of n references from v or to it. It names no others,
// because an object may have millions.
func (c *object) print(s *snapshot, title string, n int, v heapgraph.Vertex, rows func(v heapgraph.Vertex, from, to int) []row) {
	s.t.printf("\n%s: %d\n", title, n)
	shown := n
	if c.n > 0 {
		shown = min(n, c.n)
	}
	s.printRows("vertex (place of the reference)", rows(v, 0, shown))
	s.t.printMore(n, c.n)
}
