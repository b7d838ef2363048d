// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file draws the dominator tree by names (see nameTree) as a flame graph,
// an SVG picture. The width of a box is in proportion to the bytes that its
// node retains. The server draws the picture, so that the browser gets no more
// boxes than can be seen.

package main

import (
	"cmp"
	"container/heap"
	"debug/heapgraph"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	flameLeast  = 0.1  // percent of the width; narrower nodes have no box of their own
	flameText   = 3    // percent of the width; narrower boxes have no name
	flameMax    = 2000 // largest number of boxes
	flameHeight = 20   // height of a row of boxes, in pixels
	flameColors = 8
)

// A box is a box of the picture.
type box struct {
	X, Width string // percent of the width
	Y        int    // pixels
	Class    string // class of the style
	Text     string // short name, or "" if the box is narrower than flameText
	Title    string
	Link     string
	x        float64
}

// A flameData has the data of the page.
type flameData struct {
	Node    heapgraph.NameNode
	Zoomed  bool
	Tree    string // link to the dominator tree
	Objects string // link to the vertices, or ""
	Whole   string // link to the whole picture
	Query   string
	ID      int
	Matched heapgraph.Amount
	Boxes   []box
	Height  int
	Hidden  int // see flame.hidden
}

func (x *site) flame(r *http.Request) (*view, error) {
	n, err := x.node(r)
	if err != nil {
		return nil, err
	}
	re, err := expression(r)
	if err != nil {
		return nil, err
	}
	f := &flame{s: x.s, nameTree: x.names(), query: r.FormValue("q")}
	d := &flameData{Node: f.nodes[n], Zoomed: n != 0, Tree: nodeURL("/tree", n), Whole: f.link(0), Query: f.query, ID: n}
	title := "Flame graph"
	if n != 0 {
		d.Objects = nodeURL("/vertices", n)
		title += " of " + d.Node.Name
	}
	if re != nil {
		f.matches, d.Matched = f.match(re, n)
	}
	f.draw(n)
	d.Boxes, d.Hidden, d.Height = f.boxes, f.hidden, (f.depth+1)*flameHeight
	return &view{template: "flame", title: title, data: d}, nil
}

// A flame draws a flame graph.
type flame struct {
	s *snapshot
	*nameTree
	query   string
	matches []bool // by node: whether it matches; nil without a search

	boxes  []box
	next   boxes // boxes that are not drawn yet
	hidden int   // number of children without a box of their own, and of boxes beyond flameMax
	depth  int
}

// link returns the URL of the picture below a node.
func (f *flame) link(n int) string {
	q := url.Values{}
	if n != 0 {
		q.Set("node", strconv.Itoa(n))
	}
	if f.query != "" {
		q.Set("q", f.query)
	}
	u := url.URL{Path: "/flame", RawQuery: q.Encode()}
	return u.String()
}

// match returns which nodes match. sum is the sum of the retained sizes of the
// matching nodes at n and below it, without those that are below another node
// in the sum.
func (f *flame) match(re *regexp.Regexp, n int) (matches []bool, sum heapgraph.Amount) {
	matches = make([]bool, len(f.nodes))
	inside := make([]bool, len(f.nodes))  // by node: whether it is n or below n
	covered := make([]bool, len(f.nodes)) // by node: whether it is in the sum
	known := make(map[string]bool)
	for i := range f.nodes {
		x := &f.nodes[i]
		is, ok := known[x.Name]
		if !ok {
			is = re.MatchString(x.Name)
			known[x.Name] = is
		}
		matches[i] = is
		inside[i] = i == n || i > 0 && inside[x.Parent]
		covered[i] = i > 0 && covered[x.Parent]
		if is && inside[i] && !covered[i] {
			covered[i] = true
			sum = add(sum, x.Retained)
		}
	}
	return matches, sum
}

// draw draws the last maxRows nodes above n, which are as wide as the picture,
// and n with the nodes below it.
func (f *flame) draw(n int) {
	var above []int
	for i := f.nodes[n].Parent; i >= 0; i = f.nodes[i].Parent {
		above = append(above, i)
	}
	slices.Reverse(above)
	above = above[max(0, len(above)-maxRows):]
	for i, a := range above {
		f.box(a, 0, 100, i)
		f.boxes[i].Class += " above"
	}
	if bytes := f.nodes[n].Retained.Bytes; bytes > 0 {
		f.below(nextBox{node: n, width: 100, depth: len(above)}, 100/float64(bytes))
	}
	slices.SortStableFunc(f.boxes, func(a, b box) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.Y, b.Y)) })
	for _, b := range f.boxes {
		f.depth = max(f.depth, b.Y/flameHeight)
	}
}

// A nextBox is a box that is to be drawn: that of a node, or of children of the
// node that are too small for boxes of their own.
type nextBox struct {
	node     int
	rest     []int
	x, width float64
	depth    int
}

// boxes is a heap of boxes, the widest first.
type boxes []nextBox

func (b boxes) Len() int      { return len(b) }
func (b boxes) Swap(i, j int) { b[i], b[j] = b[j], b[i] }
func (b *boxes) Push(x any)   { *b = append(*b, x.(nextBox)) }
func (b *boxes) Pop() any {
	last := len(*b) - 1
	x := (*b)[last]
	*b = (*b)[:last]
	return x
}
func (b boxes) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(b[j].width, b[i].width), cmp.Compare(b[i].depth, b[j].depth), cmp.Compare(b[i].x, b[j].x)) < 0
}

// below draws a box and those below it, the widest first, until there are
// flameMax boxes. A box is never wider than the box above it. scale is the width
// of a byte, in percent of the width of the picture.
func (f *flame) below(top nextBox, scale float64) {
	f.next = boxes{top}
	for len(f.next) > 0 && len(f.boxes) < flameMax {
		b := heap.Pop(&f.next).(nextBox)
		if b.rest != nil {
			f.rest(b)
			continue
		}
		f.box(b.node, b.x, b.width, b.depth)
		f.push(b, scale)
	}
	f.hidden += len(f.next)
}

// push adds the boxes directly below b to the heap.
func (f *flame) push(b nextBox, scale float64) {
	x := b.x
	children := f.children[b.node]
	for i, c := range children {
		width := float64(f.nodes[c].Retained.Bytes) * scale
		if width < flameLeast {
			sum := float64(f.sum(children[i:]).Retained.Bytes) * scale
			f.hidden += len(children) - i
			if sum >= flameLeast {
				heap.Push(&f.next, nextBox{node: b.node, rest: children[i:], x: x, width: sum, depth: b.depth + 1})
			}
			return
		}
		heap.Push(&f.next, nextBox{node: c, x: x, width: width, depth: b.depth + 1})
		x += width
	}
}

// box adds the box of a node.
func (f *flame) box(n int, x, width float64, depth int) {
	node := &f.nodes[n]
	b := f.newBox(node, x, width, depth)
	b.Link = f.link(n)
	b.Class = "root"
	if n > 0 {
		b.Class = color(node.Name)
	}
	if f.matches != nil && f.matches[n] {
		b.Class += " match"
	}
	f.boxes = append(f.boxes, b)
}

// rest adds one box for children that are too small for boxes of their own.
func (f *flame) rest(x nextBox) {
	sum := f.sum(x.rest)
	b := f.newBox(&sum, x.x, x.width, x.depth)
	b.Link = nodeURL("/tree", x.node)
	b.Class = "rest"
	f.boxes = append(f.boxes, b)
}

func (f *flame) newBox(node *heapgraph.NameNode, x, width float64, depth int) box {
	s := f.s
	b := box{
		X: fmt.Sprintf("%.3f%%", x), Width: fmt.Sprintf("%.3f%%", width), Y: depth * flameHeight, x: x,
		Title: fmt.Sprintf("%s\nretained: %s (%s) in %s\nown size: %s in %s", cut(node.Name),
			s.t.size(node.Retained.Bytes), s.share(node.Retained.Bytes), count(node.Retained.Objects, "object"),
			s.t.size(node.Shallow.Bytes), count(node.Shallow.Objects, "object")),
	}
	if width >= flameText {
		b.Text = shortName(cut(node.Name))
	}
	return b
}

// color returns the class of the color of a name, which depends on its package.
func color(name string) string {
	name = strings.TrimPrefix(shortName(name), "goroutine ")
	name = strings.TrimLeft(name, "*[]0123456789(")
	pkg, _, _ := strings.Cut(name, ".")
	h := fnv.New32a()
	h.Write([]byte(pkg))
	return "c" + strconv.Itoa(int(h.Sum32()%flameColors))
}
