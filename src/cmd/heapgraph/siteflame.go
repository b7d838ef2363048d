// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file makes the page with the dominator tree by names (see nameTree) as a
// flame graph. The width of a box is in proportion to the bytes that its node
// retains.

package main

import (
	"cmd/internal/memsite"
	"debug/heapgraph"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
)

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
	*memsite.Picture
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
	d.Picture = memsite.Draw(f, n)
	d.Picture.Name = "Flame graph of the dominator tree"
	f.fields = x.heldIn(d.Boxes)
	d.SetLabels(f.label)
	return &view{template: "flame", title: title, data: d}, nil
}

// A flame is the tree of a flame graph, and its labels.
type flame struct {
	s *snapshot
	*nameTree
	query   string
	matches []bool         // by node: whether it matches; nil without a search
	fields  map[int]string // see heldIn
}

func (f *flame) Parent(n int) int     { return f.nodes[n].Parent }
func (f *flame) Children(n int) []int { return f.children[n] }
func (f *flame) Size(n int) int64     { return f.nodes[n].Retained.Bytes }

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

// label returns the label of a box.
func (f *flame) label(b *memsite.Box) memsite.Label {
	node, link := f.nodes[b.Node], f.link(b.Node)
	if b.Rest != nil {
		node, link = f.sum(b.Rest), nodeURL("/tree", b.Node)
	}
	s := f.s
	l := memsite.Label{Name: node.Name, Link: link, Marked: b.Rest == nil && f.matches != nil && f.matches[b.Node]}
	held := ""
	if field := f.fields[b.Node]; field != "" && b.Rest == nil {
		l.Prefix = field + " "
		held = "\nheld in: " + field
		if node.Shallow.Objects+node.Roots > 1 {
			held = "\nthe largest is held in: " + field
		}
	}
	l.Title = fmt.Sprintf("%s%s\nretained: %s (%s) in %s\nown size: %s in %s", memsite.Cut(node.Name), held,
		s.t.size(node.Retained.Bytes), s.share(node.Retained.Bytes), count(node.Retained.Objects, "object"),
		s.t.size(node.Shallow.Bytes), count(node.Shallow.Objects, "object"))
	return l
}
