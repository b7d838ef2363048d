// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has the roots. Each root of the file that has references is a
// vertex. With Options.ByFunc, goroutines that began with the same function are
// one root. Those that took the snapshot for a request are one root in any case,
// because what they hold together is not the program's. A root with references
// of both classes, such as a goroutine with words that may be no pointers, is two
// vertices.

package heapgraph

import (
	"cmp"
	format "internal/heapgraph"
	"slices"
)

// A root is a vertex that is a root.
type root struct {
	second     bool
	isG        bool
	id         uint32   // node that has no parent; for goroutines, the goroutine or, with ByFunc, its function
	goroutines []uint32 // numbers of goroutines
}

// secondClass is added to the name of a root of the first class. The result is
// the name of the vertex with the root's references of the second class.
const secondClass = " (second class)"

// nameOf returns the name of the vertex for r, given the name of r's node or
// goroutine. second is set if the node or goroutine is itself of the second
// class.
func (r *root) nameOf(name string, second bool) string {
	if r.second && !second {
		name += secondClass
	}
	return name
}

// compareRoots orders roots of the first class before others, and goroutines
// last in each class.
func compareRoots(a, b root) int {
	order := func(r root) int {
		n := 0
		if r.second {
			n += 2
		}
		if r.isG {
			n++
		}
		return n
	}
	return cmp.Or(cmp.Compare(order(a), order(b)), cmp.Compare(a.id, b.id))
}

// root returns the root of a reference.
func (b *builder) root(r rawRootRef) root {
	n := &b.g.nodes[r.node]
	if r.goroutine == 0 {
		return root{second: n.second, id: n.root}
	}
	g := &b.g.tables.goroutines[r.goroutine]
	x := root{second: n.second || g.Class == format.SecondClass, isG: true, id: r.goroutine}
	switch {
	case b.options.ByFunc:
		x.id = uint32(g.Func)
	case b.g.isRequest(r.goroutine):
		x.id = b.g.request
	}
	return x
}

// findRoots makes the roots of all references, and sorts the references by
// them.
func (b *builder) findRoots() {
	g := b.g
	slices.SortFunc(b.rootRefs, func(x, y rawRootRef) int {
		return cmp.Or(compareRoots(b.root(x), b.root(y)), cmp.Compare(x.target, y.target),
			cmp.Compare(x.node, y.node), cmp.Compare(x.goroutine, y.goroutine))
	})
	for _, r := range b.rootRefs {
		x := b.root(r)
		if n := len(g.roots); n == 0 || compareRoots(g.roots[n-1], x) != 0 {
			g.roots = append(g.roots, x)
		}
		if !x.isG {
			continue
		}
		last := &g.roots[len(g.roots)-1]
		last.goroutines = append(last.goroutines, r.goroutine)
	}
	g.late = Vertex(len(g.roots) + 1)
	for i := range g.roots {
		r := &g.roots[i]
		slices.SortFunc(r.goroutines, cmp.Compare)
		r.goroutines = slices.Compact(r.goroutines)
		if r.second {
			g.late = min(g.late, Vertex(i+1))
		}
	}
}

// rootRows writes the rows of All and of the roots. It returns the number of
// references of the roots.
func (b *builder) rootRows() uint64 {
	g := b.g
	for i := range g.roots {
		g.dst = append(g.dst, uint32(i+1))
	}
	v := Vertex(0)
	for i, r := range b.rootRefs {
		if v == 0 || compareRoots(b.root(r), g.roots[v-1]) != 0 {
			v++
			g.off[v] = uint32(len(g.dst))
		} else if last := b.rootRefs[i-1]; last.target == r.target && last.node == r.node {
			continue // another goroutine has the same reference
		}
		s := g.find(r.target)
		g.dst = append(g.dst, uint32(g.vertex(s, s.slot(r.target))))
		g.rootPlaces = append(g.rootPlaces, r.node)
	}
	b.findOwned()
	b.rootRefs = nil
	return uint64(len(g.rootPlaces))
}
