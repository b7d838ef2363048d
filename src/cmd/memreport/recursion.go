// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// A path has recursion once: the nodes of a list are all at the reference to the
// first of them. A reader who knows that there is one such reference, or a ring
// of ten, would not believe the path.

package main

import "strings"

// recursionText says why many objects came at one reference.
func (f *facts) recursionText(g trail) []string {
	e := g.at()
	if g[0].Root != "global" || e.NewCount <= 0 || e.own().NewCount < manyObjects || !e.isPointer() {
		return nil
	}
	if strings.Contains(e.Name, "*sync.indirect[") {
		return nil // the tree of a sync.Map
	}
	if !g.isOne((*element).ownNow) {
		return nil
	}
	return []string{"all are found through one reference: they refer to each other, as in a list, or it is in an array"}
}

// isPointer reports whether e is a pointer, or an interface with one.
func (e *element) isPointer() bool {
	_, t, _ := strings.Cut(e.Name, " ")
	return strings.HasPrefix(t, "*") || strings.HasSuffix(t, ")") && strings.Contains(t, "(*")
}

// isArray reports whether e is a slice, or a pointer to an array.
func (e *element) isArray() bool {
	_, t, _ := strings.Cut(e.Name, " ")
	return strings.HasPrefix(strings.TrimPrefix(t, "*"), "[")
}
