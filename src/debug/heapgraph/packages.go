// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds the package of an object by the text of its type. If that
// names no package, it looks at the references on the path to the object, the
// last one first.

package heapgraph

import (
	"cmp"
	"strings"
)

// NoPackage is the package of objects whose package is not known.
const NoPackage = "(no package)"

// packageOf returns the package of the objects of node n.
func (g *Graph) packageOf(n uint32) string {
	p := typePackage(cmp.Or(g.fullType(n), g.strings[g.nodes[n].text]))
	for p == "" && n != 0 {
		p = elementPackage(g.strings[g.nodes[n].element])
		n = g.nodes[n].parent
		// The element of a reference in an object of an unnamed type,
		// such as []app.T[elem], has the package's name, not its path.
		if full := typePackage(g.fullType(n)); p != "" && strings.HasSuffix(full, "/"+p) {
			p = full
		}
	}
	return cmp.Or(p, NoPackage)
}

// fullType returns the type of the objects of node n with the full paths of
// packages, or "" if the snapshot does not have it.
func (g *Graph) fullType(n uint32) string { return g.strings[g.types[g.nodes[n].typ].Name] }

// typePackage returns the package of a type. For a pointer, a slice, an array
// or a channel, it is the package of its element type. For a map, it is the
// package of its values or, if these have none, of its keys.
func typePackage(t string) string {
	for {
		switch {
		case strings.HasPrefix(t, "*"):
			t = t[1:]
		case strings.HasPrefix(t, "chan "), strings.HasPrefix(t, "<-chan "), strings.HasPrefix(t, "chan<- "):
			t = t[strings.Index(t, " ")+1:]
		case strings.HasPrefix(t, "["):
			t = t[closing(t):]
		case strings.HasPrefix(t, "map["):
			end := closing(t[3:]) + 3
			return cmp.Or(typePackage(t[end:]), typePackage(t[4:max(4, end-1)]))
		default:
			return named(t)
		}
	}
}

// closing returns the index after the bracket that closes the first one of t.
func closing(t string) int {
	depth := 0
	for i := range len(t) {
		switch t[i] {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(t)
}

// named returns the package of a name that begins with a package's path, or "".
func named(t string) string {
	t, _, _ = strings.Cut(t, "[")
	if strings.ContainsAny(t, " ({*") {
		t = t[:strings.IndexAny(t, " ({*")]
	}
	slash := strings.LastIndex(t, "/") + 1
	dot := strings.Index(t[slash:], ".")
	if dot <= 0 {
		return ""
	}
	return t[:slash+dot]
}

// elementPackage returns the package of the owner of a reference.
func elementPackage(e string) string {
	if strings.HasPrefix(e, "(") {
		_, e, _ = strings.Cut(e, ") ")
	}
	e, _, _ = strings.Cut(e, " ")
	return typePackage(e)
}
