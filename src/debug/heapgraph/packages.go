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

// packages returns the package of the objects of each node.
func (g *Graph) packages() []string {
	known := make(map[string]string) // packages of types
	ofType := func(t string) string {
		p, ok := known[t]
		if !ok {
			p = typePackage(t, maxDepth)
			known[t] = p
		}
		return p
	}
	list := make([]string, len(g.nodes))
	path := make([]string, len(g.nodes)) // package of the last reference that has one
	for n := range list {
		if n > 0 {
			element, up := g.strings[g.nodes[n].element], g.nodes[n].parent
			// The name of a reference in an object begins with the
			// object's type, or with its text if the type has no
			// name.
			if full := g.fullType(up); full != "" && (strings.HasPrefix(element, full) || strings.HasPrefix(element, g.strings[g.nodes[up].text])) {
				path[n] = ofType(full)
			} else {
				path[n] = elementPackage(element)
			}
			path[n] = cmp.Or(path[n], path[up])
		}
		list[n] = cmp.Or(ofType(cmp.Or(g.fullType(uint32(n)), g.strings[g.nodes[n].text])), path[n], NoPackage)
	}
	return list
}

// fullType returns the type of the objects of node n with the full paths of
// packages, or "" if the snapshot does not have it.
func (g *Graph) fullType(n uint32) string { return g.strings[g.types[g.nodes[n].typ].Name] }

// typePackage returns the package of a type. For a pointer, a slice, an array
// or a channel, it is the package of its element type. For a map, it is the
// package of its values or, if these have none, of its keys. depth limits the
// number of maps within maps.
func typePackage(t string, depth int) string {
	for {
		switch {
		case strings.HasPrefix(t, "*"):
			t = t[1:]
		case strings.HasPrefix(t, "chan "), strings.HasPrefix(t, "<-chan "), strings.HasPrefix(t, "chan<- "):
			t = t[strings.Index(t, " ")+1:]
		case strings.HasPrefix(t, "["):
			t = t[closing(t):]
		case strings.HasPrefix(t, "map["):
			if depth == 0 {
				return ""
			}
			end := closing(t[3:]) + 3
			return cmp.Or(typePackage(t[end:], depth-1), typePackage(t[4:max(4, end-1)], depth-1))
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

// named returns the package of a named type, or "". Only the package's path has
// slashes and dots.
func named(t string) string {
	t = firstName(t)
	return t[:max(0, strings.LastIndexByte(t, '.'))]
}

// firstName returns t up to its type arguments, and to other characters that
// names do not have.
func firstName(t string) string {
	if i := strings.IndexAny(t, "[ ({*"); i >= 0 {
		return t[:i]
	}
	return t
}

// elementPackage returns the package of the type, function or variable that an
// element names first.
func elementPackage(e string) string {
	if strings.HasPrefix(e, "(") {
		_, e, _ = strings.Cut(e, ") ")
	}
	e, _, _ = strings.Cut(e, " ")
	if strings.HasPrefix(e, "*") || strings.HasPrefix(e, "[") || strings.HasPrefix(e, "map[") {
		return typePackage(e, maxDepth)
	}
	e = firstName(e)
	slash := strings.LastIndexByte(e, '/') + 1
	dot := max(0, strings.IndexByte(e[slash:], '.'))
	if dot == 0 {
		return ""
	}
	return unescaper.Replace(e[:slash+dot])
}

// unescaper replaces the dots that the compiler escapes in the last element of a
// package's path, in names of functions and variables. In the name of a closure
// of a function that has been inlined in another package, they can be escaped
// twice.
var unescaper = strings.NewReplacer("%252e", ".", "%2e", ".", "%25", "%")
