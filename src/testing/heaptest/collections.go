// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds out whether what the test keeps holds a watched object in a
// collection. A cache, a list of listeners and a queue are collections, and
// should have forgotten the object. A field of an object that the test has,
// such as a reader of a connection, may well refer to it, and so may a slice
// that the test itself has, and the function of a timer that has been stopped.
//
// What the object itself refers to holds it in a collection only if the last
// reference is an element of it, or a variable that an element has captured,
// because the parts of an object often refer back to it.

package heaptest

import (
	"cmp"
	"debug/heapgraph"
	"maps"
	"slices"
	"strings"
)

// A stage says what a path from a variable has gone through.
type stage uint8

const (
	inVariable   stage = iota // only the object of the variable, which may be a slice's
	inFields                  // no element of a collection but the test's own
	inCollection              // an element of a collection
)

// A step is a vertex of a path and the stage there.
type step struct {
	v     heapgraph.Vertex
	stage stage
}

// A keptSearch finds the watched objects that variables lead to.
type keptSearch struct {
	*snapshot
	watched map[uintptr]bool
	from    map[step]step // the step before
}

// searchKept searches from the variables at addresses, in the order of their
// names, so that each run of the test names the same one. Paths end at watched
// objects.
func (s *snapshot) searchKept(variables map[uintptr]beginning, watched map[uintptr]bool) *keptSearch {
	k := &keptSearch{s, watched, make(map[step]step)}
	var queue []step
	byName := func(a, b uintptr) int { return cmp.Compare(variables[a].name, variables[b].name) }
	for _, addr := range slices.SortedFunc(maps.Keys(variables), byName) {
		if v, ok := s.Object(int64(addr) + s.offset); ok {
			at := variables[addr].stage
			for w := range s.Targets(v) {
				queue = k.visit(queue, step{v, at}, step{w, at})
			}
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		from := queue[0]
		if k.watched[s.address(from.v)] {
			continue
		}
		if from.stage == inCollection {
			for w := range s.Targets(from.v) {
				queue = k.visit(queue, from, step{w, inCollection})
			}
			continue
		}
		for _, r := range s.References(from.v) {
			queue = k.visit(queue, from, step{r.To, s.after(from, r)})
		}
	}
	return k
}

// visit adds a step to the queue if the search comes to it for the first time. A
// variable is not the test's: a cleanup function of Watch refers to all of them.
func (k *keptSearch) visit(queue []step, from, to step) []step {
	if _, ok := k.from[to]; ok || k.isVariable(to.v) {
		return queue
	}
	k.from[to] = from
	return append(queue, to)
}

// after returns the stage after the reference r of a step.
func (s *snapshot) after(from step, r heapgraph.Reference) stage {
	if from.stage == inFields {
		if s.isElement(r) {
			return inCollection
		}
		return inFields
	}
	if strings.HasPrefix(s.Type(from.v), "map[") || strings.Index(r.Field, "[") > 0 { // a map, or an array in a struct
		return inCollection
	}
	return inFields
}

// path returns a path to the object v that is in a stage at its end, and the
// address of the variable where it begins. It returns nil if there is none.
func (k *keptSearch) path(v heapgraph.Vertex, at stage) (variable uintptr, path []heapgraph.Reference) {
	to := step{v, at}
	for from, ok := k.from[to]; ok; from, ok = k.from[to] {
		for _, r := range k.References(from.v) {
			if r.To == to.v && (k.isVariable(from.v) || k.after(from, r) == to.stage || from.stage == to.stage) {
				path = append(path, r)
				break
			}
		}
		to = from
		if k.isVariable(from.v) {
			slices.Reverse(path)
			return k.address(from.v), path
		}
	}
	return 0, nil
}

// ownCollection returns the address of one of the variables at addresses that
// leads to the object v, or 0. The last reference is an element of a
// collection, or of a variable that an element has captured. The path has no
// watched object but v.
func (s *snapshot) ownCollection(v heapgraph.Vertex, variables map[uintptr]beginning, watched map[uintptr]bool) uintptr {
	seen := map[heapgraph.Vertex]bool{v: true}
	var queue []heapgraph.Vertex
	visit := func(w heapgraph.Vertex) {
		if !seen[w] && s.Kind(w) == heapgraph.KindObject && !watched[s.address(w)] {
			seen[w] = true
			queue = append(queue, w)
		}
	}
	s.visitCollections(v, make(map[heapgraph.Vertex]bool), visit)
	for ; len(queue) > 0; queue = queue[1:] {
		w := queue[0]
		if _, ok := variables[s.address(w)]; ok {
			return s.address(w)
		}
		if !s.isVariable(w) {
			for from := range s.Sources(w) {
				visit(from)
			}
		}
	}
	return 0
}

// visitCollections calls visit for the collections that have v, or a closure
// that has captured v, as an element. seen has the closures on the way.
func (s *snapshot) visitCollections(v heapgraph.Vertex, seen map[heapgraph.Vertex]bool, visit func(heapgraph.Vertex)) {
	for _, r := range s.Referrers(v) {
		switch {
		case s.isElement(r):
			visit(r.From)
		case s.isCaptured(r) && !seen[r.From]:
			seen[r.From] = true
			s.visitCollections(r.From, seen, visit)
		}
	}
}

// isElement reports whether r is an element of a map, slice, channel or list.
func (s *snapshot) isElement(r heapgraph.Reference) bool {
	typ := s.FullType(r.From)
	return !s.isCaptured(r) && (r.Field == "" || strings.Contains(r.Field, "[")) ||
		strings.HasPrefix(typ, "container/") || strings.HasPrefix(typ, "internal/sync.")
}

// isCaptured reports whether r is in a closure, or in the block of a variable
// that closures share. A slice with one element is no such block.
func (s *snapshot) isCaptured(r heapgraph.Reference) bool {
	if r.Offset < 0 || s.Kind(r.From) != heapgraph.KindObject {
		return false
	}
	typ := s.Type(r.From)
	if isClosure := strings.HasPrefix(typ, "func("); isClosure || r.Field != "" {
		return isClosure
	}
	isInterface := r.Offset == int64(s.PointerSize) && s.Size(r.From) == 2*r.Offset && typ != heapgraph.Unknown && !strings.HasPrefix(typ, "[]")
	return strings.HasPrefix(typ, "*") || isInterface
}
