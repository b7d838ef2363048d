// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes a tree as a table for people. Each line is a path, indented
// below the path that it extends. The line has the memory of all paths that
// begin with this path (cumulative), and the path's own memory (flat). Among
// the paths that extend one path, those with the most memory come first, and
// those with less than a thousandth of all memory share a line. The request for
// the profile comes last. Paths without memory are left out. The tables of most large trees therefore have a few
// hundred lines at most.

package refpath

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Mode gives the meaning of the numbers in a tree.
type Mode int

const (
	Amount Mode = iota // memory at one time
	Delta              // the difference between two times; may be negative
)

// A printer writes a tree.
type printer[E comparable] struct {
	tree     *Tree[E]
	name     func(E) string
	mode     Mode
	w        *bufio.Writer
	sums     []sum
	children map[int32][]int32
	least    int64 // paths whose sum.moved is less share a line
}

func newPrinter[E comparable](w io.Writer, t *Tree[E], mode Mode, name func(E) string) *printer[E] {
	sums := t.sums()
	return &printer[E]{
		tree: t, name: name, mode: mode, w: bufio.NewWriter(w),
		sums: sums, children: t.children(), least: sums[0].moved / 1000,
	}
}

func (p *printer[E]) header() {
	share, mean := "  share", "       mean"
	if p.mode == Delta {
		share, mean = "", ""
	}
	fmt.Fprintf(p.w, "%14s%s %14s %11s %11s%s  %s\n", "bytes", share, "flat bytes", "objects", "flat objs", mean, "path")
}

// line writes one line. bytes and objects are the path's own memory, and all is
// the memory of all paths that begin with it.
func (p *printer[E]) line(depth int, all sum, bytes, objects int64, text string) {
	indent := strings.Repeat("  ", depth)
	if p.mode == Delta {
		fmt.Fprintf(p.w, "%+14d %+14d %+11d %+11d  %s%s\n", all.bytes, bytes, all.objects, objects, indent, text)
		return
	}
	share := 100 * float64(all.bytes) / float64(max(p.sums[0].bytes, 1))
	mean := bytes / max(objects, 1) // many small objects and a few large ones look alike otherwise
	fmt.Fprintf(p.w, "%14d %5.1f%% %14d %11d %11d %10d  %s%s\n", all.bytes, share, bytes, all.objects, objects, mean, indent, text)
}

// below writes the paths that extend path n.
func (p *printer[E]) below(n int32, depth int) {
	children := p.children[n]
	slices.SortStableFunc(children, func(x, y int32) int {
		return cmp.Or(p.isRequest(x)-p.isRequest(y), cmp.Compare(p.sums[y].bytes, p.sums[x].bytes), cmp.Compare(p.sums[y].objects, p.sums[x].objects))
	})
	var rest sum
	var small []int32
	for _, c := range children {
		if s := p.sums[c]; s == (sum{}) {
			continue
		} else if s.moved < p.least && p.isRequest(c) == 0 {
			rest.add(s)
			small = append(small, c)
			continue
		}
		p.path(c, depth)
		p.below(c, depth+1)
	}
	switch {
	case len(small) == 1 && p.children[small[0]] == nil:
		p.path(small[0], depth) // as short as a line for the rest
	case len(small) > 0:
		p.line(depth, rest, 0, 0, fmt.Sprintf("(%d smaller)", len(small)))
	}
}

// isRequest returns 1 if path n ends with ThisRequest, and otherwise 0.
func (p *printer[E]) isRequest(n int32) int {
	if p.name(p.tree.nodes[n-1].elem) == ThisRequest {
		return 1
	}
	return 0
}

// path writes the line of path n.
func (p *printer[E]) path(n int32, depth int) {
	node := p.tree.nodes[n-1]
	p.line(depth, p.sums[n], node.bytes, node.objects, p.name(node.elem))
}
