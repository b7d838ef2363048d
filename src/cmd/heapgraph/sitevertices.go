// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file makes the page that lists vertices: those with a given name, those
// of a node of the dominator tree by names (see nameTree), or those that a
// vertex dominates immediately.

package main

import (
	"cmp"
	"debug/heapgraph"
	"iter"
	"net/http"
	"slices"
)

// A rowTable is rows with the title of the column that has the vertices.
type rowTable struct {
	Title string
	Rows  []row
}

func newTable(title string, rows []row) rowTable { return rowTable{title, rows} }

// maxListed is the largest number of vertices of a list that pages show.
const maxListed = 1000

// A verticesData has the data of the page.
type verticesData struct {
	Path []nodeLink // path of the node, if the page is about one
	Rows []row
	Size []int64 // sizes of the vertices
	*pager
}

func (x *site) vertices(r *http.Request) (*view, error) {
	var title string
	var seq iter.Seq[heapgraph.Vertex]
	d := new(verticesData)
	switch name := r.FormValue("name"); {
	case name != "":
		title, seq = name, x.s.named(name)
	case r.FormValue("node") != "":
		n, err := x.node(r)
		if err != nil {
			return nil, err
		}
		d.Path = x.nodePath(n)
		title, seq = x.names().nodes[n].Name, x.members(n)
	default:
		v, err := x.s.vertex(r)
		if err != nil {
			return nil, err
		}
		title, seq = "Immediately dominated by "+x.s.label(v), x.s.dom.Children(v)
	}
	list, total := x.s.largest(seq, maxListed)
	if total == 0 && r.FormValue("name") != "" {
		return nil, notFound("Nothing has the name %s.", title)
	}
	p, err := newPager(r, total, maxListed)
	if err != nil {
		return nil, err
	}
	d.pager = p
	for _, v := range list[p.From:p.To] {
		d.Rows = append(d.Rows, row{Vertex: v})
		d.Size = append(d.Size, x.s.Size(v))
	}
	return &view{template: "vertices", title: title, data: d}, nil
}

// named returns the vertices that have the given name.
func (s *snapshot) named(name string) iter.Seq[heapgraph.Vertex] {
	return func(yield func(heapgraph.Vertex) bool) {
		for v := heapgraph.Vertex(1); int(v) < s.NumVertices(); v++ {
			if s.Name(v) == name && !yield(v) {
				return
			}
		}
	}
}

// largest returns the number of vertices in seq, and a list of up to n of them
// that retain the most, the largest first.
func (s *snapshot) largest(seq iter.Seq[heapgraph.Vertex], n int) (list []heapgraph.Vertex, total int) {
	type sized struct {
		bytes int64
		v     heapgraph.Vertex
	}
	compare := func(a, b sized) int { return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.v, b.v)) }
	var most []sized // in order
	for v := range seq {
		total++
		x := sized{s.dom.Retained(v).Bytes, v}
		if len(most) == n && compare(x, most[n-1]) > 0 {
			continue
		}
		i, _ := slices.BinarySearchFunc(most, x, compare)
		if len(most) == n {
			most = most[:n-1]
		}
		most = slices.Insert(most, i, x)
	}
	for _, x := range most {
		list = append(list, x.v)
	}
	return list, total
}

// members returns the vertices of a node of the dominator tree by names.
func (x *site) members(n int) iter.Seq[heapgraph.Vertex] {
	t := x.names()
	var chain []string // names of the nodes from below All to n
	for i := n; i > 0; i = t.nodes[i].Parent {
		chain = append(chain, t.nodes[i].Name)
	}
	slices.Reverse(chain)
	return func(yield func(heapgraph.Vertex) bool) {
		left := t.nodes[n].Roots + t.nodes[n].Shallow.Objects
		todo, aside := []placed{{v: heapgraph.All}}, []placed(nil)
		for left > 0 && len(todo) > 0 {
			p := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for c := range x.s.dom.Children(p.v) {
				switch p := p.child(c, x.s.Name(c), chain); {
				case p.depth == 0: // not below chain[0], and nothing below it is
				case p.beside != nil:
					aside = append(aside, p)
				default:
					todo = append(todo, p)
					if p.depth == len(chain) {
						left--
						if !yield(c) {
							return
						}
					}
				}
			}
			if len(todo) == 0 {
				todo, aside = aside, nil
			}
		}
	}
}

// A placed is a vertex with its place in the dominator tree by names, seen from
// a chain of nodes that begins below All: at the node chain[depth-1], or beside
// the chain, at a node below chain[depth-1].
type placed struct {
	v      heapgraph.Vertex
	depth  int
	beside *besideNode // nil for the node chain[depth-1]
}

// A besideNode is a node that is not in the chain.
type besideNode struct {
	name   string
	parent *besideNode // nil below a node of the chain
}

// child returns the place of vertex c, which p.v dominates immediately. Because
// recursion is folded, it is p's own place or one above it if that has the name
// of c. Therefore vertices of the chain can be below vertices beside it.
func (p placed) child(c heapgraph.Vertex, name string, chain []string) placed {
	for b := p.beside; b != nil; b = b.parent {
		if b.name == name {
			return placed{c, p.depth, b}
		}
	}
	if i := slices.Index(chain[:p.depth], name); i >= 0 {
		return placed{c, i + 1, nil}
	}
	if p.beside == nil && p.depth < len(chain) && chain[p.depth] == name {
		return placed{c, p.depth + 1, nil}
	}
	return placed{c, p.depth, &besideNode{name, p.beside}}
}
