// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file draws a tree as a flame graph, an SVG picture. The width of a box is
// in proportion to the size of its node. The server draws the picture, so that
// the browser gets no more boxes than can be seen.

package memsite

import (
	"cmp"
	"container/heap"
	"fmt"
	"slices"
)

const (
	leastWidth = 0.1  // percent of the width; narrower nodes have no box of their own
	textWidth  = 3    // percent of the width; narrower boxes have no text
	mostBoxes  = 2000 // of a picture
	mostAbove  = 40   // boxes above the node that is as wide as the picture
	boxHeight  = 20   // height of a row of boxes, in pixels
)

// A Tree is what a flame graph shows. Its first node is 0.
type Tree interface {
	Parent(n int) int     // -1 for the first node
	Children(n int) []int // the largest first
	Size(n int) int64     // of n and what is below it
}

// A Picture is a flame graph, as the template flame needs it.
type Picture struct {
	Name   string // for assistive technology
	Boxes  []Box
	Height int
	Hidden int // number of nodes without a box of their own, and of boxes beyond the most
	Legend []Color

	tree Tree
	next boxes // boxes that are not drawn yet
}

// A Box is a box of the picture: that of a node, or of children of the node that
// are too small for boxes of their own.
type Box struct {
	Node int
	Rest []int

	X, Width string // percent of the width
	Y        int    // pixels
	Class    string // class of the style
	Text     string // or "" if the box is narrow
	Title    string
	Link     string

	x, width float64
	depth    int
	above    bool
}

// Draw returns the picture of a node, without labels. The nodes above it are as
// wide as the picture.
func Draw(t Tree, n int) *Picture {
	p := &Picture{tree: t}
	var above []int
	for i := t.Parent(n); i >= 0; i = t.Parent(i) {
		above = append(above, i)
	}
	slices.Reverse(above)
	above = above[max(0, len(above)-mostAbove):]
	for i, a := range above {
		p.Boxes = append(p.Boxes, Box{Node: a, width: 100, depth: i, above: true})
	}
	if size := t.Size(n); size > 0 {
		p.below(Box{Node: n, width: 100, depth: len(above)}, 100/float64(size))
	}
	slices.SortStableFunc(p.Boxes, func(a, b Box) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.depth, b.depth)) })
	for i := range p.Boxes {
		b := &p.Boxes[i]
		b.X, b.Width, b.Y = fmt.Sprintf("%.3f%%", b.x), fmt.Sprintf("%.3f%%", b.width), b.depth*boxHeight
		p.Height = max(p.Height, b.Y+boxHeight)
	}
	return p
}

// boxes is a heap of boxes, the widest first.
type boxes []Box

func (b boxes) Len() int      { return len(b) }
func (b boxes) Swap(i, j int) { b[i], b[j] = b[j], b[i] }
func (b *boxes) Push(x any)   { *b = append(*b, x.(Box)) }
func (b *boxes) Pop() any {
	last := len(*b) - 1
	x := (*b)[last]
	*b = (*b)[:last]
	return x
}
func (b boxes) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(b[j].width, b[i].width), cmp.Compare(b[i].depth, b[j].depth), cmp.Compare(b[i].x, b[j].x)) < 0
}

// below draws a box and those below it, the widest first. A box is never wider
// than the box above it. scale is the width of a byte, in percent of the width
// of the picture.
func (p *Picture) below(top Box, scale float64) {
	p.next = boxes{top}
	for len(p.next) > 0 && len(p.Boxes) < mostBoxes {
		b := heap.Pop(&p.next).(Box)
		p.Boxes = append(p.Boxes, b)
		if b.Rest == nil {
			p.push(b, scale)
		}
	}
	p.Hidden += len(p.next)
}

// push adds the boxes directly below b to the heap.
func (p *Picture) push(b Box, scale float64) {
	x := b.x
	children := p.tree.Children(b.Node)
	for i, c := range children {
		width := float64(p.tree.Size(c)) * scale
		if width < leastWidth {
			p.Hidden += len(children) - i
			var sum int64
			for _, c := range children[i:] {
				sum += p.tree.Size(c)
			}
			if width := float64(sum) * scale; width >= leastWidth {
				heap.Push(&p.next, Box{Node: b.Node, Rest: children[i:], x: x, width: width, depth: b.depth + 1})
			}
			return
		}
		heap.Push(&p.next, Box{Node: c, x: x, width: width, depth: b.depth + 1})
		x += width
	}
}

// A Label says what a box shows.
type Label struct {
	Name   string // the color is that of its package
	Prefix string // of the text, before the name
	Title  string
	Link   string
	Marked bool
}

// SetLabels gives the boxes labels, and makes the legend of their colors.
func (p *Picture) SetLabels(label func(*Box) Label) {
	l := make(legend)
	for i := range p.Boxes {
		b := &p.Boxes[i]
		x := label(b)
		b.Title, b.Link = x.Title, x.Link
		if b.width >= textWidth {
			b.Text = x.Prefix + ShortName(Cut(x.Name))
		}
		b.Class = l.class(b, x.Name)
		if b.above {
			b.Class += " above"
		}
		if x.Marked {
			b.Class += " match"
		}
	}
	p.Legend = l.colors()
}
