// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file prints the dominator tree. Children with the same name are on one
// line, because a tree of a million objects would have too many lines.

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
immediately, the ones that retain the most first. Vertices with the same name
whose dominators have the same names are on one line. A vertex that has the name
of one of its dominators counts on that dominator's line. Therefore a linked
list is on one line. Children of a line that retain less than -share are added
up on one line.`,
	setup: func(fs *flag.FlagSet) func(*task, []string) error {
		c := new(tree)
		fs.IntVar(&c.depth, "depth", 12, "print so many `levels` below the first line; 0 is no limit")
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
	p := &treePrinter{tree: *c, s: s, nameTree: s.nameTree()}
	if p.depth == 0 {
		p.depth = len(p.nodes)
	}
	t.printf("%10s %6s %10s %9s  %s\n", "retained", "share", "shallow", "number", "name")
	p.print()
	return nil
}

// A nameTree is the dominator tree by names: one node stands for the vertices
// that have the same name and whose dominators have the same names.
type nameTree struct {
	nodes    []heapgraph.NameNode
	of       []int32 // by vertex: its node, or -1
	children [][]int // children of each node, those that retain the most first
}

// nameTree returns the dominator tree of s by names.
func (s *snapshot) nameTree() *nameTree {
	t := new(nameTree)
	t.nodes, t.of = s.dom.NamesOf()
	t.children = make([][]int, len(t.nodes))
	for i := 1; i < len(t.nodes); i++ {
		up := t.nodes[i].Parent
		t.children[up] = append(t.children[up], i)
	}
	for _, list := range t.children {
		slices.SortStableFunc(list, func(a, b int) int {
			return cmp.Compare(t.nodes[b].Retained.Bytes, t.nodes[a].Retained.Bytes)
		})
	}
	return t
}

// sum returns a node with the sums of the given nodes.
func (t *nameTree) sum(nodes []int) heapgraph.NameNode {
	sum := heapgraph.NameNode{Name: fmt.Sprintf("(%d smaller)", len(nodes))}
	for _, i := range nodes {
		n := &t.nodes[i]
		sum.Retained = add(sum.Retained, n.Retained)
		sum.Shallow = add(sum.Shallow, n.Shallow)
		sum.Roots += n.Roots
	}
	return sum
}

// A treePrinter prints a dominator tree.
type treePrinter struct {
	tree
	*nameTree
	s *snapshot
}

// print prints the tree. It is not recursive, because a tree may be millions of
// levels deep.
func (p *treePrinter) print() {
	p.line(&p.nodes[0], 0)
	left := [][]int{p.children[0]} // by level: nodes that are not printed yet
	for depth := 1; depth > 0; depth = len(left) {
		nodes := left[depth-1]
		if depth > p.depth || len(nodes) == 0 {
			left = left[:depth-1]
			continue
		}
		if p.s.percent(p.nodes[nodes[0]].Retained.Bytes) < p.share {
			rest := p.sum(nodes)
			p.line(&rest, depth)
			left = left[:depth-1]
			continue
		}
		p.line(&p.nodes[nodes[0]], depth)
		left[depth-1] = nodes[1:]
		left = append(left, p.children[nodes[0]])
	}
}

// maxIndent is the largest number of levels by which a line is indented.
const maxIndent = 100

func (p *treePrinter) line(n *heapgraph.NameNode, depth int) {
	p.s.t.printf("%10s %6s %10s %9d  %s%s\n", p.s.t.size(n.Retained.Bytes), p.s.share(n.Retained.Bytes),
		p.s.t.size(n.Shallow.Bytes), n.Shallow.Objects+n.Roots, strings.Repeat("  ", min(depth, maxIndent)), n.Name)
}
