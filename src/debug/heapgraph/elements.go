// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file names references and types with the full paths of packages, as refs
// profiles name references.

package heapgraph

import (
	"cmp"
	"slices"
	"strings"
)

// Elements returns the elements that stand for r in a path, named as in refs
// profiles. If r is from All, there are none. If r is from a root, these are
// the name of the root (see [Graph.Name]), which for a goroutine is not that of
// refs profiles, and the elements below it. If r is in an object, there is one
// element, or several if the object is a closure that has captured a struct. If
// marking came to r.To by another path, there is one element, which lacks the
// type that refs profiles add to a name. If, in addition, the field is not
// known, as in tables of maps, the element is only the type of r.From. If
// r.Outside is set, an element [outside] stands in place of [elem].
func (g *Graph) Elements(r Reference) []string {
	if r.From == All {
		return nil
	}
	names := g.namesOf(r)
	if r.Outside {
		names = slices.Clone(names)
		names[0] = outsideName(names[0])
	}
	return names
}

// outsideName returns the name of an element of an array for one to which no
// reference refers.
func outsideName(elem string) string { return strings.Replace(elem, "[elem]", "[outside]", 1) }

// namesOf is Elements for a reference that is not from All. It does not look at
// r.Outside.
func (g *Graph) namesOf(r Reference) []string {
	to := g.Path(r.To)
	if r.From < g.first {
		elements := []string{g.Name(r.From)}
		if r.Field != "" {
			elements = append(elements, strings.Split(r.Field, pathSeparator)...)
		}
		if n := len(elements); g.Kind(r.From) == KindRoot && len(to) == n+1 && slices.Equal(to[:n], elements) {
			return to
		}
		return elements
	}
	names, hidden := g.partElements(r)
	if !hidden {
		names = []string{g.element(r)}
	}
	if from := g.Path(r.From); len(to) > len(from) && slices.Equal(to[:len(from)], from) {
		rest := to[len(from):]
		if len(rest) == 1 && (hidden || isNameOf(rest[0], names[0])) || hidden && g.isDirect(r) {
			return rest
		}
	}
	return names
}

// partElements returns the elements for a reference in an object that is no
// value of a type: in a closure, these are the captured variable and, if that is
// a struct, the field. In a map or a channel, this is the part. hidden is false
// for other references, unless their field is not known.
func (g *Graph) partElements(r Reference) (names []string, hidden bool) {
	n := g.node[r.From-g.first]
	typ := g.nodes[n].typ
	x := &g.types[typ]
	switch {
	case r.Field == "":
		return []string{g.Type(r.From)}, true
	case r.Field[0] == '(' || x.Size != 0 && !g.isGroup(x):
		return nil, false
	case x.Name == 0:
		f := fieldAt(x, uint64(r.Offset))
		if f == nil {
			return nil, false
		}
		variable := capturedBy(g.typeOf(n), g.strings[f.Name])
		name, _ := g.findWord(uint32(f.Type), uint64(r.Offset)-f.Offset, variable)
		if name == "" {
			return []string{variable}, true
		}
		return []string{variable, name}, true
	}
	t := wordTable{g: g, texts: map[uint32]string{typ: g.typeOf(n)}}
	offset := uint64(r.Offset)
	if x.Size != 0 {
		offset %= x.Size
	}
	names = t.place(typ, offset).names
	return names[:min(1, len(names))], len(names) > 0
}

// capturedBy returns the name of a variable that closures of a type have
// captured.
func capturedBy(closure, variable string) string {
	return strings.TrimSuffix(strings.TrimPrefix(closure, "func("), ")") + "." + variable
}

// isDirect reports whether r stands for the whole path from r.From to r.To: no
// objects are claimed at the nodes between their nodes.
func (g *Graph) isDirect(r Reference) bool {
	claimed := g.claimed.get(func() []bool {
		claimed := make([]bool, len(g.nodes))
		for _, n := range g.node {
			claimed[n] = true
		}
		return claimed
	})
	from, n := g.node[r.From-g.first], g.nodes[g.node[r.To-g.first]].parent
	for n != from && n != 0 && !claimed[n] {
		n = g.nodes[n].parent
	}
	return n == from
}

// isNameOf reports whether an element is the name of a reference, with or
// without a type after it.
func isNameOf(element, name string) bool {
	rest, ok := strings.CutPrefix(element, name)
	return ok && (rest == "" || rest[0] == ' ' || rest[0] == '(')
}

// element returns the name of a reference in an object by the object's type.
func (g *Graph) element(r Reference) string {
	switch {
	case r.Field == "":
		return g.Type(r.From)
	case r.Field[0] == '(': // the reference of a special
		return r.Field
	case r.Field[0] == '[':
		return g.Type(r.From) + withoutIndexes(r.Field)
	}
	return g.FullType(r.From) + "." + withoutIndexes(r.Field)
}

// FullType returns the type of an object with the full paths of packages. For
// an array it is the type of an element. If the snapshot does not have this
// type, as for closures, FullType returns the same as Type.
func (g *Graph) FullType(v Vertex) string {
	if v < g.first {
		return ""
	}
	n := g.node[v-g.first]
	return cmp.Or(g.fullType(n), g.typeOf(n))
}

// withoutIndexes returns a field with "[elem]" in place of each index.
func withoutIndexes(field string) string {
	if !strings.Contains(field, "[") {
		return field
	}
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(field, "[")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		b.WriteString("[elem]")
		_, field, _ = strings.Cut(rest, "]")
	}
}
