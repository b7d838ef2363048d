// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file prints the dominator tree. Children with the same name are one
// line, because a tree of a million objects has too many.

package main

import (
	"cmp"
	"debug/heapgraph"
	"flag"
	"fmt"
	"slices"
	"strings"
)

var treeCommand = &command{
	name:  "tree",
	args:  "snapshot",
	nargs: 1,
	short: "print the dominator tree",
	long: `Tree prints the dominator tree. Below each vertex are those that it dominates
immediately, the ones that retain the most first. Vertices that have the same
name, and whose dominators have, are one line. A vertex that has the name of
one of its dominators is part of that dominator's line, so that a list is one
line. Lines of less than a share of the live heap are added up in one.`,
	setup: func(fs *flag.FlagSet) func(*task, []string) error {
		c := new(tree)
		fs.IntVar(&c.depth, "depth", 12, "print so many `levels`; 0 is no limit")
		fs.Float64Var(&c.share, "share", 1, "print lines of at least so many `percent` of the live heap")
		return c.run
	},
}

// tree has the flags of the command.
type tree struct {
	depth int
	share float64
}

func (c *tree) run(t *task, args []string) error {
	if c.depth < 0 || !(c.share >= 0 && c.share <= 100) {
		return usageError("-depth must not be negative, and -share is from 0 to 100")
	}
	s, err := t.load(args[0])
	if err != nil {
		return err
	}
	s.printHeader()
	p := &treePrinter{tree: *c, s: s, nodes: s.dom.Names()}
	if p.depth == 0 {
		p.depth = len(p.nodes)
	}
	p.children = make([][]int, len(p.nodes))
	for i := 1; i < len(p.nodes); i++ {
		up := p.nodes[i].Parent
		p.children[up] = append(p.children[up], i)
	}
	fmt.Fprintf(t.out, "%10s %6s %10s %9s  %s\n", "retained", "share", "shallow", "number", "name")
	p.print(0, 0)
	return nil
}

// A treePrinter prints a dominator tree.
type treePrinter struct {
	tree
	s        *snapshot
	nodes    []heapgraph.NameNode
	children [][]int
}

// print prints a node and what is below it.
func (p *treePrinter) print(i, depth int) {
	n := &p.nodes[i]
	p.line(n.Retained.Bytes, n.Shallow.Bytes, n.Shallow.Objects+n.Roots, depth, n.Name)
	children := p.children[i]
	if depth == p.depth || len(children) == 0 {
		return
	}
	slices.SortStableFunc(children, func(a, b int) int {
		return cmp.Compare(p.nodes[b].Retained.Bytes, p.nodes[a].Retained.Bytes)
	})
	var rest heapgraph.NameNode
	smaller := 0
	for _, c := range children {
		x := &p.nodes[c]
		if p.s.percent(x.Retained.Bytes) >= p.share {
			p.print(c, depth+1)
			continue
		}
		smaller++
		rest.Retained = add(rest.Retained, x.Retained)
		rest.Shallow = add(rest.Shallow, x.Shallow)
		rest.Roots += x.Roots
	}
	if smaller > 0 {
		p.line(rest.Retained.Bytes, rest.Shallow.Bytes, rest.Shallow.Objects+rest.Roots, depth+1,
			fmt.Sprintf("(%d smaller)", smaller))
	}
}

func (p *treePrinter) line(retained, shallow, number int64, depth int, name string) {
	fmt.Fprintf(p.s.t.out, "%10s %6s %10s %9d  %s%s\n", p.s.t.size(retained), p.s.share(retained),
		p.s.t.size(shallow), number, strings.Repeat("  ", depth), name)
}
