// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file makes the page with the dominator tree by names (see nameTree).
// Nodes that retain much are open: the page has rows for the nodes below them.
// When the user opens a node that is closed, a script adds rows for the nodes
// below it. Without the script, the link of the node leads to a page with these
// rows.

package main

import (
	"debug/heapgraph"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

// The shares are in percent of the node at the top of the page.
const (
	treeOpen     = 10  // nodes with this share or more are open
	treeSmall    = 0.1 // children of an open node that have a smaller share have one row together
	treeChildren = 20  // largest number of children of an open node that have a row each
	treeMax      = 200 // number of rows after which no more nodes are opened
)

// A treeRow is a row of the tree.
type treeRow struct {
	heapgraph.NameNode
	Level   int
	Indent  []struct{}
	Objects string // link to the vertices
	Page    string // link to the page of the node or, if Rest is set, to a page of the children that the row stands for; or ""
	Part    string // link to the rows that a script adds below this row, or puts in its place; or ""
	Open    bool
	Rest    bool // the row stands for several children
}

// Number returns the number of vertices of the row.
func (r *treeRow) Number() int64 { return r.Shallow.Objects + r.Roots }

// A nodeLink is a node on a path.
type nodeLink struct {
	Name, Link string
}

// A treeData has the data of the page.
type treeData struct {
	Path    []nodeLink // nodes from the first one to Node, as nodePath returns them
	Node    heapgraph.NameNode
	Flame   string
	Objects string
	Rows    []*treeRow
}

func (x *site) tree(r *http.Request) (*view, error) {
	n, err := x.node(r)
	if err != nil {
		return nil, err
	}
	from, err := number(r, "from", 0)
	if err != nil {
		return nil, err
	}
	t := &treeView{nameTree: x.names()}
	if r.FormValue("from") != "" {
		t.below(n, 0, from, pageRows)
	} else {
		t.open(n, 0, float64(t.nodes[n].Retained.Bytes)/100)
	}
	d := &treeData{Path: x.nodePath(n), Node: t.nodes[n], Flame: nodeURL("/flame", n), Rows: t.rows}
	title := "Dominator tree"
	if n != 0 {
		d.Objects = nodeURL("/vertices", n)
		title += " below " + d.Node.Name
	}
	return &view{template: "tree", title: title, data: d}, nil
}

// treeRows makes the rows below a node.
func (x *site) treeRows(r *http.Request) (*view, error) {
	n, err := x.node(r)
	if err != nil {
		return nil, err
	}
	from, err := number(r, "from", 0)
	if err != nil {
		return nil, err
	}
	level, err := number(r, "level", 0)
	if err != nil {
		return nil, err
	}
	t := &treeView{nameTree: x.names()}
	number := treeChildren
	if from > 0 {
		number = pageRows
	}
	t.below(n, min(level, 1000), from, number)
	return &view{template: "treerows", part: true, data: t.rows}, nil
}

// node returns the node that the parameters of a request name.
func (x *site) node(r *http.Request) (int, error) {
	n, err := number(r, "node", 0)
	if err == nil && n >= len(x.names().nodes) {
		err = notFound("There is no node %d in the dominator tree.", n)
	}
	return n, err
}

// nodePath returns the nodes from the first one to n or, if there are more than
// maxRows, the first and the last ones.
func (x *site) nodePath(n int) []nodeLink {
	nodes := x.names().nodes
	var list []nodeLink
	for i := n; i >= 0; i = nodes[i].Parent {
		list = append(list, nodeLink{nodes[i].Name, nodeURL("/tree", i)})
	}
	slices.Reverse(list)
	if skipped := len(list) - maxRows; skipped > 0 {
		list = slices.Replace(list, maxRows/2, maxRows/2+skipped, nodeLink{Name: fmt.Sprintf("(%d more)", skipped)})
	}
	return list
}

// nodeURL returns the URL of a page about a node.
func nodeURL(page string, n int) string {
	if n == 0 {
		return page
	}
	return page + "?node=" + strconv.Itoa(n)
}

// A treeView makes rows.
type treeView struct {
	*nameTree
	rows []*treeRow
}

// open adds rows for the children of a node, with one row for all small ones,
// and opens those that retain much. percent is one percent of the top node's
// bytes.
func (t *treeView) open(n, level int, percent float64) {
	children := t.children[n]
	number := 0
	for i, c := range first(children, treeChildren) {
		share := float64(t.nodes[c].Retained.Bytes) / percent
		if share < treeSmall && i < len(children)-1 {
			break
		}
		number++
		r := t.add(c, level)
		if r.Part != "" && share >= treeOpen && len(t.rows) < treeMax {
			r.Open = true
			t.open(c, level+1, percent)
		}
	}
	t.rest(n, level, number)
}

// below adds rows for children of a node: one for each child whose index is at
// least from and less than from+number, and one for all children after these.
func (t *treeView) below(n, level, from, number int) {
	children := t.children[n]
	from = min(from, len(children))
	to := min(from+number, len(children))
	for _, c := range children[from:to] {
		t.add(c, level)
	}
	t.rest(n, level, to)
}

// add adds the row of a node.
func (t *treeView) add(n, level int) *treeRow {
	r := &treeRow{NameNode: t.nodes[n], Level: level, Indent: make([]struct{}, level), Objects: nodeURL("/vertices", n)}
	if len(t.children[n]) > 0 {
		r.Page, r.Part = nodeURL("/tree", n), partURL(n, level+1, 0)
	}
	t.rows = append(t.rows, r)
	return r
}

// rest adds one row for all those children of a node that have an index of at
// least from. It adds none if there are no such children.
func (t *treeView) rest(n, level, from int) {
	children := t.children[n][from:]
	if len(children) == 0 {
		return
	}
	page := url.Values{"node": {strconv.Itoa(n)}, "from": {strconv.Itoa(from)}}
	t.rows = append(t.rows, &treeRow{NameNode: t.sum(children), Level: level, Indent: make([]struct{}, level),
		Page: "/tree?" + page.Encode(), Part: partURL(n, level, from), Rest: true})
}

// partURL returns the URL of rows below a node.
func partURL(n, level, from int) string {
	q := url.Values{"node": {strconv.Itoa(n)}, "level": {strconv.Itoa(level)}}
	if from > 0 {
		q.Set("from", strconv.Itoa(from))
	}
	return "/tree/rows?" + q.Encode()
}
