// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes a tree as a table for people. Each line is a path, indented
// below the path that it extends. The line has the memory of all paths that
// begin with this path (cumulative), and the path's own memory (flat). Unused
// bytes are cumulative, so that they lead to the paths that waste most. Among
// the paths that extend one path, those with the most memory come first, and
// those with less than a thousandth of all memory share a line. The request for
// the profile comes last. Paths without memory are left out. The tables of most
// large trees therefore have a few hundred lines at most.

package refpath

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
)

// A Mode gives the meaning of the numbers in a tree.
type Mode int

const (
	Amount Mode = iota // memory at one time
	Delta              // the difference between two times; may be negative
)

// A printer writes a tree.
type printer struct {
	tree     *Tree
	name     func(int32) string
	mode     Mode
	w        *bufio.Writer
	sums     []sum
	children map[int32][]int32
	least    int64 // paths whose sum.moved is less share a line
}

// A child is a path that is one element longer than another, with its sum.
type child struct {
	n       int32
	request int // 1 if the path ends with ThisRequest, otherwise 0
	sum
}

func newPrinter(w io.Writer, t *Tree, mode Mode, name func(int32) string) *printer {
	sums := t.sums()
	return &printer{
		tree: t, name: name, mode: mode, w: bufio.NewWriter(w),
		sums: sums, children: t.children(), least: sums[0].moved / 1000,
	}
}

func (p *printer) header() {
	share, more := "  share", fmt.Sprintf(" %10s %12s", "mean", "unused")
	if p.mode == Delta {
		share, more = "", ""
	}
	fmt.Fprintf(p.w, "%14s%s %14s %11s %11s%s  %s\n", "bytes", share, "flat bytes", "objects", "flat objs", more, "path")
}

// line writes one line. bytes and objects are the path's own memory, and all is
// the memory of all paths that begin with it.
func (p *printer) line(depth int, all sum, bytes, objects int64, text string) {
	if p.mode == Delta {
		fmt.Fprintf(p.w, "%+14d %+14d %+11d %+11d  %*s%s\n", all.bytes, bytes, all.objects, objects, 2*depth, "", text)
		return
	}
	share := 100 * float64(all.bytes) / float64(max(p.sums[0].bytes, 1))
	mean := bytes / max(objects, 1) // many small objects and a few large ones look alike otherwise
	fmt.Fprintf(p.w, "%14d %5.1f%% %14d %11d %11d %10d %12d  %*s%s\n", all.bytes, share, bytes, all.objects, objects, mean, all.unused, 2*depth, "", text)
}

// ranked returns the children of path n, the largest first, and ThisRequest
// last. It sorts pointers, because other sorts have their code.
func (p *printer) ranked(n int32) []*child {
	var children []*child
	for _, c := range p.children[n] {
		children = append(children, &child{c, p.isRequest(c), p.sums[c]})
	}
	slices.SortFunc(children, func(x, y *child) int {
		return cmp.Or(x.request-y.request, cmp.Compare(y.bytes, x.bytes), cmp.Compare(y.objects, x.objects), cmp.Compare(x.n, y.n))
	})
	return children
}

// below writes the paths that extend path n.
func (p *printer) below(n int32, depth int) {
	var rest sum
	var small []int32
	for _, c := range p.ranked(n) {
		if c.bytes == 0 && c.objects == 0 && c.moved == 0 {
			continue
		} else if c.moved < p.least && c.request == 0 {
			rest.add(c.sum)
			small = append(small, c.n)
			continue
		}
		p.path(c.n, depth)
		p.below(c.n, depth+1)
	}
	switch {
	case len(small) == 1 && p.children[small[0]] == nil:
		p.path(small[0], depth) // as short as a line for the rest
	case len(small) > 0:
		p.line(depth, rest, 0, 0, fmt.Sprintf("(%d smaller)", len(small)))
	}
}

// isRequest returns 1 if path n ends with ThisRequest, and otherwise 0.
func (p *printer) isRequest(n int32) int {
	if p.name(p.tree.nodes[n-1].elem) == ThisRequest {
		return 1
	}
	return 0
}

// path writes the line of path n.
func (p *printer) path(n int32, depth int) {
	node := &p.tree.nodes[n-1]
	p.line(depth, p.sums[n], node.bytes, node.objects, p.name(node.elem))
}
