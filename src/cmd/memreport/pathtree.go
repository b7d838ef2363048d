// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has the trees of the page's flame graphs: paths of references with
// what came at them, or with what is there.

package main

import (
	"cmd/internal/memsite"
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
)

// The parameters that have nodes of the two flame graphs.
const (
	grownID = "grown"
	heldID  = "held"
)

// A pathTree is a tree of elements for a flame graph.
type pathTree struct {
	id, name string // of the parameter with a node; of the first node
	elements []*element
	parents  []int
	children [][]int
	sizes    []int64
}

func (t *pathTree) Parent(n int) int     { return t.parents[n] }
func (t *pathTree) Children(n int) []int { return t.children[n] }
func (t *pathTree) Size(n int) int64     { return t.sizes[n] }

// newPathTree returns the tree of the elements whose own size is positive, and of
// those above them, or nil if there are none. Elements without an own size, and
// what is below them, are left out.
func newPathTree(id, name string, top *element, own func(*element) (int64, bool)) *pathTree {
	if top == nil {
		return nil
	}
	t := &pathTree{id: id, name: name}
	if t.add(top, -1, own); len(t.elements) == 0 {
		return nil
	}
	return t
}

// add adds e and what is below it, if that has a size.
func (t *pathTree) add(e *element, parent int, own func(*element) (int64, bool)) {
	size, ok := own(e)
	if !ok {
		return
	}
	n := len(t.elements)
	t.elements, t.parents = append(t.elements, e), append(t.parents, parent)
	t.children, t.sizes = append(t.children, nil), append(t.sizes, max(0, size))
	for _, c := range e.Children {
		t.add(c, n, own)
	}
	if t.sizes[n] == 0 {
		t.elements, t.parents, t.children, t.sizes = t.elements[:n], t.parents[:n], t.children[:n], t.sizes[:n]
		return
	}
	slices.SortStableFunc(t.children[n], func(a, b int) int { return cmp.Compare(t.sizes[b], t.sizes[a]) })
	if parent >= 0 {
		t.children[parent] = append(t.children[parent], n)
		t.sizes[parent] += t.sizes[n]
	}
}

// cameAt returns what came at e itself. Pools and what the profile could not
// follow do not count, as in findings.
func cameAt(e *element) (int64, bool) {
	return e.own().NewBytes, !e.isPool() && !e.isExplanation()
}

// heldAt returns what is at e itself.
func heldAt(e *element) (int64, bool) {
	n := e.Bytes
	for _, c := range e.Children {
		n -= c.Bytes
	}
	return n, true
}

// tree returns the live heap by paths or, if these are not known, by the code
// that allocated it.
func (f *facts) tree() *element {
	if f.Refs != nil || len(f.Sites) == 0 {
		return f.Refs
	}
	top := new(element)
	index := make(map[string]*element)
	for _, s := range f.Sites {
		e := index[s.Code]
		if e == nil {
			e = &element{Name: s.Code}
			index[s.Code] = e
			top.Children = append(top.Children, e)
		}
		e.Bytes, e.NewBytes = e.Bytes+s.Bytes, e.NewBytes+s.NewBytes
		top.Bytes, top.NewBytes = top.Bytes+s.Bytes, top.NewBytes+s.NewBytes
	}
	return top
}

// picture draws the tree, or the node of it that nodes has.
func (t *pathTree) picture(nodes map[string]int, title, note string) *picture {
	n := nodes[t.id]
	p := &picture{ID: t.id, Title: title, Note: note, Picture: memsite.Draw(t, n)}
	p.Name = title
	if n != 0 {
		p.Whole = t.link(0)
	}
	p.SetLabels(t.label)
	return p
}

// link returns the URL of the page with a node as wide as the picture.
func (t *pathTree) link(n int) string {
	u := url.URL{Path: "/", Fragment: t.id}
	if n != 0 {
		u.RawQuery = t.id + "=" + strconv.Itoa(n)
	}
	return u.String()
}

func (t *pathTree) label(b *memsite.Box) memsite.Label {
	e := t.elements[b.Node]
	l := memsite.Label{Name: printable(cmp.Or(e.Name, t.name)), Link: t.link(b.Node)}
	if b.Rest != nil {
		l.Name = fmt.Sprintf("(%d smaller)", len(b.Rest))
		l.Title = l.Name
		return l
	}
	l.Title = memsite.Cut(l.Name)
	if t.id == grownID {
		l.Title += "\ncame: " + formatSize(t.sizes[b.Node])
	}
	l.Title += "\nnow: " + formatSize(e.Bytes)
	if e.Objects > 0 {
		l.Title += " in " + plural(e.Objects, "object")
	}
	return l
}
