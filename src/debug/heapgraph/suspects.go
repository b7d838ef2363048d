// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds leak suspects. A suspect is where memory accumulates: a vertex of
// the dominator tree that retains much, although nothing below it retains much
// by itself. So if a server has a cache that has a million entries, the suspect
// is not the server but the table of the cache.
//
// A vertex is heavy if it retains more than a tenth of what is reached. The heavy
// vertices are the top of the dominator tree. What a heavy vertex retains without
// its heavy children is its own. Heavy vertices that are recursive data, such
// as the nodes of a list, are one place: what is their own is added up.

package heapgraph

import (
	"cmp"
	"errors"
	"slices"
	"sort"
)

// Share is the part of the reached bytes above which something is a suspect: one of
// Share.
const Share = 10

// ErrTruncated is the error of [Dominators.Suspects] for a snapshot from which
// references are missing.
var ErrTruncated = errors.New("heapgraph: references are missing from the snapshot, so that retained sizes are upper bounds and cannot tell a leak")

// A Suspect is a place where memory accumulates.
type Suspect struct {
	// Vertex is what retains the memory. It is All if the suspect is a class:
	// roots or objects with the same name, of which each is held by
	// several roots or is one. Then Class is the name.
	Vertex Vertex
	Class  string

	// Path is the dominators of Vertex, from All to Vertex.
	Path []Vertex

	// Retained is what Vertex, or the members of the class, retain without what
	// heavy objects below retain, which are suspects themselves or have
	// some below them.
	Retained Amount

	// Children is what Vertex dominates immediately, by name: what has
	// accumulated. Groups have up to 10 names, of those that retain the
	// most.
	Children []Group
}

// Suspects returns the places where more than a tenth of the reached bytes have
// accumulated, the largest first. If a tenth is nowhere, there are none. It returns
// [ErrTruncated] if references are missing.
func (d *Dominators) Suspects() ([]Suspect, error) {
	if d.g.Truncated != "" {
		return nil, ErrTruncated
	}
	limit := d.bytes(0) / Share
	places := d.places(limit)
	var list []Suspect
	for _, p := range places {
		if p.head != 0 && p.own.Bytes > limit {
			v := Vertex(d.seq[p.head])
			list = append(list, Suspect{Vertex: v, Path: d.Path(v), Retained: p.own, Children: top(d.byName(p.members, limit), 10)})
		}
	}
	for _, c := range d.byName([]uint32{0}, limit) {
		if c.Retained.Bytes > limit {
			list = append(list, Suspect{Class: c.Name, Path: []Vertex{All}, Retained: c.Retained, Children: []Group{c}})
		}
	}
	slices.SortStableFunc(list, func(a, b Suspect) int { return cmp.Compare(b.Retained.Bytes, a.Retained.Bytes) })
	return list, nil
}

func top(groups []Group, n int) []Group { return groups[:min(n, len(groups))] }

// A place is a heavy vertex, or several that are recursive data.
type place struct {
	head    uint32 // number of the first vertex
	parent  int    // index of the place that has the head's immediate dominator
	name    string
	own     Amount
	members []uint32
}

// places returns the places of the vertices that retain more than limit bytes. The
// first place is All.
func (d *Dominators) places(limit int64) []place {
	places := []place{{name: "", parent: -1}}
	var heavy []uint32
	var placeOf []int // of each heavy vertex
	type key struct {
		place int
		name  string
	}
	inside := make(map[key]int) // places by the place above and the name
	for i := uint32(0); i < uint32(len(d.seq)); {
		if i != 0 && d.bytes(i) <= limit {
			i += d.size[i]
			continue
		}
		p := 0
		if i != 0 {
			k, _ := slices.BinarySearch(heavy, d.idom[i])
			above := placeOf[k]
			name := d.g.Name(Vertex(d.seq[i]))
			folded := above
			for folded > 0 && places[folded].name != name {
				folded = places[folded].parent
			}
			same, known := inside[key{above, name}]
			switch {
			case folded > 0:
				p = folded
			case known && places[above].head != d.idom[i]:
				p = same
			default:
				p = len(places)
				places = append(places, place{head: i, parent: above, name: name})
				inside[key{above, name}] = p
			}
			places[above].own = places[above].own.Sub(d.retained(i))
		}
		heavy, placeOf = append(heavy, i), append(placeOf, p)
		places[p].own.add(d.retained(i))
		places[p].members = append(places[p].members, i)
		i++
	}
	return places
}

// byName groups the children of vertices that retain no more than limit bytes by
// their names. No member dominates another child than its own.
func (d *Dominators) byName(members []uint32, limit int64) []Group {
	groups := make(map[string]*Group)
	for _, i := range members {
		for c := range d.children(i) {
			if d.bytes(c) > limit {
				continue
			}
			v := Vertex(d.seq[c])
			name := d.g.Name(v)
			x := groups[name]
			if x == nil {
				x = &Group{Name: name}
				groups[name] = x
			}
			x.Retained.add(d.retained(c))
			if v >= d.g.first {
				x.Shallow.add(Amount{1, d.before[c+1] - d.before[c]})
			}
		}
	}
	var list []Group
	for _, x := range groups {
		list = append(list, *x)
	}
	sortGroups(list)
	return list
}

// Biggest returns up to n of the vertices whose immediate dominator is v, those that
// retain the most first.
func (d *Dominators) Biggest(v Vertex, n int) []Vertex {
	if d.num[v] == none || n <= 0 {
		return nil
	}
	less := func(a, b uint32) bool {
		return d.bytes(a) > d.bytes(b) || d.bytes(a) == d.bytes(b) && a < b
	}
	var list []uint32 // sorted
	for c := range d.children(d.num[v]) {
		if len(list) == n && !less(c, list[n-1]) {
			continue
		}
		at := sort.Search(len(list), func(i int) bool { return less(c, list[i]) })
		list = slices.Insert(list, at, c)
		list = list[:min(n, len(list))]
	}
	vertices := make([]Vertex, len(list))
	for i, c := range list {
		vertices[i] = Vertex(d.seq[c])
	}
	return vertices
}
