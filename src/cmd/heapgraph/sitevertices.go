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
	var most []sized
	for v := range seq {
		total++
		if most = append(most, sized{s.dom.Retained(v).Bytes, v}); len(most) >= 2*n {
			slices.SortFunc(most, compare)
			most = most[:n]
		}
	}
	slices.SortFunc(most, compare)
	for _, x := range most[:min(n, len(most))] {
		list = append(list, x.v)
	}
	return list, total
}

// members returns the vertices of a node of the dominator tree by names.
func (x *site) members(n int) iter.Seq[heapgraph.Vertex] {
	return func(yield func(heapgraph.Vertex) bool) {
		for v, k := range x.names().of {
			if int(k) == n && v != int(heapgraph.All) && !yield(heapgraph.Vertex(v)) {
				return
			}
		}
	}
}
