// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file makes one change of all objects that the request for a snapshot
// retains, because they are no growth of the program.

package main

import (
	"cmp"
	"debug/heapgraph"
	"internal/refpath"
	"slices"
)

// isRequest returns 1 if c is the change of the request, and otherwise 0.
func (c *change) isRequest() int {
	if c.Name == refpath.ThisRequest {
		return 1
	}
	return 0
}

// requestLast returns the order that has the request's change after all others.
func requestLast(order func(a, b change) int) func(a, b change) int {
	return func(a, b change) int { return cmp.Or(a.isRequest()-b.isRequest(), order(a, b)) }
}

// foldRequest makes one change of the changes of dominator paths that begin at
// the request.
func foldRequest(list []change) []change {
	sum := change{Name: refpath.ThisRequest, Path: []string{refpath.ThisRequest}}
	list = slices.DeleteFunc(list, func(c change) bool {
		if len(c.Path) == 0 || c.Path[0] != refpath.ThisRequest {
			return false
		}
		sum.Shallow = add(sum.Shallow, c.Shallow)
		return true
	})
	sum.Retained = sum.Shallow
	if sum.Shallow != (heapgraph.Amount{}) {
		list = append(list, sum)
	}
	return list
}

// programTypes returns the groups of ByType, with the objects that the request
// retains in a group of their own, if there are any.
func (s *snapshot) programTypes() []heapgraph.Group {
	request, types := s.requestTypes()
	if request.Shallow == (heapgraph.Amount{}) {
		return s.dom.ByType()
	}
	var list []heapgraph.Group
	for _, g := range s.dom.ByType() {
		if t := types[g.Name]; t != nil {
			g.Shallow, g.Retained = g.Shallow.Sub(t.Shallow), g.Retained.Sub(t.Retained)
		}
		if g.Shallow.Objects > 0 {
			list = append(list, g)
		}
	}
	return append(list, request)
}

// requestTypes returns what the request retains, in all and by type. It visits
// the part of the dominator tree below the request.
func (s *snapshot) requestTypes() (all heapgraph.Group, types map[string]*heapgraph.Group) {
	type visit struct {
		v    heapgraph.Vertex
		left bool // everything below v has been visited
	}
	var todo []visit
	from, to := s.Roots()
	for v := from; v < to; v++ {
		if s.Name(v) == refpath.ThisRequest {
			todo = append(todo, visit{v: v})
		}
	}
	all.Name, types = refpath.ThisRequest, make(map[string]*heapgraph.Group)
	above := make(map[string]int) // number of objects by type on the way to v
	for len(todo) > 0 {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if s.Kind(x.v) == heapgraph.KindObject {
			name := s.Type(x.v)
			if x.left {
				above[name]--
				continue
			}
			todo = append(todo, visit{x.v, true})
			t := types[name]
			if t == nil {
				t = new(heapgraph.Group)
				types[name] = t
			}
			own := heapgraph.Amount{Objects: 1, Bytes: s.Size(x.v)}
			t.Shallow, all.Shallow = add(t.Shallow, own), add(all.Shallow, own)
			if above[name] == 0 {
				t.Retained = add(t.Retained, s.dom.Retained(x.v))
			}
			above[name]++
		}
		for v := range s.dom.Children(x.v) {
			todo = append(todo, visit{v: v})
		}
	}
	all.Retained = all.Shallow
	return all, types
}
