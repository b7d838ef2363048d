// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds the fields in the boxes of the flame graph. A node's vertices
// may be held in different fields, so it is the one of the largest.

package main

import (
	"cmd/internal/memsite"
	"debug/heapgraph"
	"regexp"
	"strings"
)

// heldIn returns the fields or variables by which the dominators of nodes with
// boxes hold the largest vertices of these nodes. It visits the references of
// each dominator once, because a map may have millions.
func (x *site) heldIn(boxes []memsite.Box) map[int]string {
	t, s := x.names(), x.s
	largest := make([]heapgraph.Vertex, len(t.nodes))
	drawn := make([]bool, len(t.nodes))
	for _, b := range boxes {
		drawn[b.Node] = drawn[b.Node] || b.Rest == nil
	}
	for v, n := range t.of {
		if v := heapgraph.Vertex(v); n > 0 && drawn[n] && (largest[n] == 0 || s.dom.Retained(v).Bytes > s.dom.Retained(largest[n]).Bytes) {
			largest[n] = v
		}
	}
	held := make(map[heapgraph.Vertex]map[heapgraph.Vertex]int) // nodes, by dominator and vertex
	for n, v := range largest {
		u, ok := s.dom.Idom(v)
		if v == 0 || !ok || u == heapgraph.All {
			continue
		}
		if held[u] == nil {
			held[u] = make(map[heapgraph.Vertex]int)
		}
		held[u][v] = n
	}
	fields := make(map[int]string)
	for u, nodes := range held {
		i := 0
		for v := range s.Targets(u) {
			if n, ok := nodes[v]; ok {
				fields[n] = fieldName(s.Reference(u, i).Field)
				delete(nodes, v) // the first reference counts
			}
			if i++; len(nodes) == 0 {
				break
			}
		}
	}
	return fields
}

// index matches an index in the name of a field.
var index = regexp.MustCompile(`\[\d+\]`)

// fieldName returns the field or variable of a reference, without indexes and
// without its type: the box has the object's type.
func fieldName(field string) string {
	path := strings.Split(field, " > ")
	field, _, _ = strings.Cut(path[len(path)-1], " ")
	field = index.ReplaceAllString(field, "[]")
	return memsite.ShortName(memsite.Cut(strings.TrimLeft(field, "[].")))
}
