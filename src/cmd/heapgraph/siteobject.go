// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file makes the pages about one vertex: its properties, and the
// references from it and to it.

package main

import (
	"debug/heapgraph"
	"iter"
	"net/http"
)

// An objectData has the data of the page.
type objectData struct {
	V           heapgraph.Vertex
	Kind        string
	Type        string
	Size        int64
	Used        string // the part to which references refer, or ""
	Outside     string // what only elements hold that are not used, or ""
	Reached     bool
	Idom        heapgraph.Vertex
	NotReached  string
	Marking     string // path of marking
	Second      bool   // the vertex is a root of the second class
	Goroutines  []heapgraph.Goroutine
	More        int // number of goroutines that are not in Goroutines
	Dominators  []row
	Shortest    []row
	Children    references // vertices that it dominates immediately
	Out, In     references
	Cycle       *shownCycle
	Paths, Same string // links
}

// references is a part of the references from or to a vertex, or of the
// vertices that it dominates immediately.
type references struct {
	Rows  []row
	Total int
	All   string // link to all of them
}

func (x *site) object(r *http.Request) (*view, error) {
	s := x.s
	v, err := s.vertex(r)
	if err != nil {
		return nil, err
	}
	q := s.query(v).Encode()
	shortest := s.ShortestPath(v)
	d := &objectData{
		V: v, Kind: s.Kind(v).String(), Type: s.Type(v), Size: s.Size(v), Used: s.used(v), Outside: s.outside(v), Reached: s.dom.Reached(v),
		NotReached: notReached, Marking: heapgraph.JoinPath(s.Path(v)), Second: s.SecondClass(v),
		Dominators: s.dominatorRows(s.dom.Path(v)), Shortest: s.pathRows(shortest), Cycle: s.cycle(v, shortest),
		Paths: "/paths?" + q, Same: objectsLink(s.Name(v)),
	}
	d.Idom, _ = s.dom.Idom(v)
	all := s.Goroutines(v)
	d.Goroutines = first(all, topRows)
	for i := range d.Goroutines {
		d.Goroutines[i].Labels = first(d.Goroutines[i].Labels, maxLabels)
	}
	d.More = len(all) - len(d.Goroutines)
	list, total := s.largest(s.dom.Children(v), topRows)
	d.Children = references{Total: total, All: "/vertices?" + q}
	for _, c := range list {
		d.Children.Rows = append(d.Children.Rows, row{Vertex: c, Place: s.heldBy(v, c)})
	}
	const few = 2 * topRows
	d.Out = references{s.outgoing(v, 0, few), length(s.Targets(v)), "/references?way=out&" + q}
	d.In = references{s.incoming(v, 0, few), length(s.Sources(v)), "/references?way=in&" + q}
	return &view{template: "object", title: s.label(v), data: d}, nil
}

// A referencesData has the data of the page with references.
type referencesData struct {
	V     heapgraph.Vertex
	Title string
	Rows  []row
	*pager
}

func (x *site) references(r *http.Request) (*view, error) {
	s := x.s
	v, err := s.vertex(r)
	if err != nil {
		return nil, err
	}
	d := &referencesData{V: v, Title: "References from"}
	total, part := length(s.Targets(v)), s.outgoing
	switch r.FormValue("way") {
	case "out":
	case "in":
		d.Title = "References to"
		total, part = length(s.Sources(v)), s.incoming
	default:
		return nil, badRequest("The parameter way is neither in nor out.")
	}
	if d.pager, err = newPager(r, total, total); err != nil {
		return nil, err
	}
	d.Rows = part(v, d.From, d.To)
	return &view{template: "references", title: d.Title + " " + s.label(v), data: d}, nil
}

// length returns the number of elements of seq.
func length(seq iter.Seq[heapgraph.Vertex]) int {
	n := 0
	for range seq {
		n++
	}
	return n
}

// outgoing returns rows for the references from v that have the indexes
// [from, to).
func (s *snapshot) outgoing(v heapgraph.Vertex, from, to int) []row {
	var list []row
	to = min(to, length(s.Targets(v)))
	for i := from; i < to; i++ {
		r := s.Reference(v, i)
		list = append(list, s.referenceRow(r, r.To))
	}
	return list
}

// incoming returns rows for the references to v that have the indexes [from,
// to). References from the same vertex are adjacent.
func (s *snapshot) incoming(v heapgraph.Vertex, from, to int) []row {
	var list []row
	i, nth, last := 0, 0, heapgraph.All
	for u := range s.Sources(v) {
		if i == to {
			break
		}
		if i > 0 && u == last {
			nth++
		} else {
			nth, last = 0, u
		}
		if i >= from {
			list = append(list, s.referenceRow(s.Reference(u, s.nthTarget(u, v, nth)), u))
		}
		i++
	}
	return list
}
