// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has the graph: the properties of a vertex by itself, and the
// targets of its references.

package heapgraph

import (
	format "internal/heapgraph"
	"internal/refpath"
	"iter"
	"slices"
)

// All is the vertex that has a reference to each root.
const All Vertex = 0

// A Graph is the graph of objects and references. Its methods may be called
// from several goroutines at once.
type Graph struct {
	Meta

	slotTable
	tables
	roots      []root   // by vertex, from vertex 1 on
	late       Vertex   // first root of the second class, or the vertex after the last root
	first, end Vertex   // objects are first, first+1, ..., end-1
	node       []uint32 // by object: its node, or 0
	rootPlaces []uint32 // node of each reference of the roots, in order
	longWords  []uint64 // addresses of words of long spans that have references, in order
	extras     []extra  // in order
	owners     []owner  // in order
	hulls      []hull   // in order
	owned      bitset   // by element of rootPlaces: objects have the reference (see owners.go)

	off, dst []uint32 // references, in compressed sparse rows

	cyclic     onceValue[*cycles]
	dominators onceValue[*Dominators]
	referrers  onceValue[*reverse]
	shortest   onceValue[[]Vertex]
	claimed    onceValue[[]bool] // by node: an object has it
	words      onceValue[*wordTable]
	texts      onceValue[*pathTexts]
}

// A Kind is the kind of a vertex.
type Kind uint8

const (
	KindAll       Kind = iota // All
	KindRoot                  // a global variable, or another root that is not a goroutine
	KindGoroutine             // a goroutine or, with Options.ByFunc, several
	KindObject                // an object
)

var kindNames = [...]string{"all", "root", "goroutine", "object"}

// String returns "all", "root", "goroutine" or "object".
func (k Kind) String() string { return kindNames[k] }

// NumVertices returns the number of vertices, which are numbered from 0 on.
func (g *Graph) NumVertices() int { return int(g.end) }

// NumReferences returns the number of references, without those from All.
func (g *Graph) NumReferences() int64 { return int64(len(g.dst) - len(g.roots)) }

// NumChanged returns the number of additional references of words that changed
// while the collection marked, and so had several targets: a word with n
// targets counts n-1 times.
func (g *Graph) NumChanged() int64 {
	n := int64(0)
	for _, x := range g.extras {
		if x.node == 0 {
			n++
		}
	}
	return n
}

// Roots returns the first root and the vertex after the last one.
func (g *Graph) Roots() (from, to Vertex) { return 1, g.first }

// Objects returns the first object and the vertex after the last one. Objects
// are in the order of their addresses.
func (g *Graph) Objects() (from, to Vertex) { return g.first, g.end }

// Kind returns the kind of v.
func (g *Graph) Kind(v Vertex) Kind {
	switch {
	case v == All:
		return KindAll
	case v >= g.first:
		return KindObject
	case g.roots[v-1].isG:
		return KindGoroutine
	}
	return KindRoot
}

// SecondClass reports whether v is a root of the second class.
func (g *Graph) SecondClass(v Vertex) bool { return v >= g.late && v < g.first }

// Size returns the size of an object in bytes, and 0 for other vertices.
func (g *Graph) Size(v Vertex) int64 {
	if v < g.first {
		return 0
	}
	s, _ := g.place(v)
	return g.bytes(s)
}

// bytes returns the size of an object of s in bytes.
func (g *Graph) bytes(s *span) int64 { return int64(s.size) * int64(g.PointerSize) }

// Address returns a number, in bytes, that identifies an object in its
// snapshot. It is not the object's address in the process, but distances
// between objects are the same. It is 0 for other vertices.
func (g *Graph) Address(v Vertex) int64 {
	if v < g.first {
		return 0
	}
	s, slot := g.place(v)
	return int64(s.address(slot)) * int64(g.PointerSize)
}

// Object returns the object that contains the byte at an address. Addresses are
// as Address returns them.
func (g *Graph) Object(address int64) (v Vertex, ok bool) {
	if address < 0 {
		return 0, false
	}
	word := uint64(address) / uint64(g.PointerSize)
	s := g.find(word)
	if s == nil || !g.isObject(s, s.slot(word)) {
		return 0, false
	}
	return g.vertex(s, s.slot(word)), true
}

// Targets returns the targets of the references from v, in the order of
// References. It is faster than References, because it names no fields.
func (g *Graph) Targets(v Vertex) iter.Seq[Vertex] {
	return func(yield func(Vertex) bool) {
		for _, w := range g.row(v) {
			if !yield(Vertex(w)) {
				return
			}
		}
	}
}

// row returns the targets of the references from v.
func (g *Graph) row(v Vertex) []uint32 { return g.dst[g.off[v]:g.off[v+1]] }

// Unknown is the type of objects whose type is not known, such as objects that
// were allocated while the collection marked and that no reference claimed.
const Unknown = "(unknown)"

// Type returns the type of an object, or [Unknown]. It is empty for other
// vertices.
func (g *Graph) Type(v Vertex) string {
	if v < g.first {
		return ""
	}
	return g.typeOf(g.node[v-g.first])
}

func (g *Graph) typeOf(n uint32) string {
	if s := g.strings[g.nodes[n].text]; s != "" {
		return s
	}
	return Unknown
}

// Path returns the path by which marking came to an object first, as a refs
// profile has it: the root, and then each reference. Recursion is folded. The
// path of a root that is not a goroutine has the root only. Path returns nil
// for All, for goroutines, and for objects that no reference in the file
// claims. Such objects were allocated while the collection marked, or claims
// are missing.
func (g *Graph) Path(v Vertex) []string {
	switch g.Kind(v) {
	case KindObject:
		return g.elements(g.node[v-g.first], 0)
	case KindRoot:
		return g.elements(g.roots[v-1].id, 0)
	}
	return nil
}

// elements returns the elements of the nodes on the path from node above to
// node n, without the element of above. Nodes without an element, such as those
// of fields that refs profiles do not show, are not part of a path.
func (g *Graph) elements(n, above uint32) []string {
	var path []string
	for x := n; x != above; x = g.nodes[x].parent {
		if e := g.strings[g.nodes[x].element]; e != "" {
			path = append(path, e)
		}
	}
	slices.Reverse(path)
	return path
}

// Name returns a name of v: "(all roots)" for All, the element of a root,
// "goroutine F" for goroutines that began with the function F, "(this request)"
// for the goroutine that took the snapshot for a request, and the type of an
// object. If v has the second-class references of a root that is itself of
// the first class, " (second class)" follows.
func (g *Graph) Name(v Vertex) string {
	switch g.Kind(v) {
	case KindAll:
		return "(all roots)"
	case KindRoot:
		r := &g.roots[v-1]
		return r.nameOf(g.strings[g.nodes[r.id].element], g.nodes[r.id].second)
	case KindGoroutine:
		r := &g.roots[v-1]
		first := &g.goroutines[r.goroutines[0]]
		if g.isRequest(r.goroutines[0]) {
			return refpath.ThisRequest
		}
		return r.nameOf("goroutine "+g.strings[first.Func], first.Class == format.SecondClass)
	}
	return g.Type(v)
}

// A Goroutine is a goroutine at the time of the snapshot.
type Goroutine struct {
	Number int    // in the file, from 1 on
	Func   string // the function with which it began
	Wait   string // the reason for which it waits or, if it does not wait, last waited; or ""
	Labels [][2]string

	// Minutes is for how long it has waited, or been in a system call. It is
	// 0 for less than a minute, and if it is not known, as in core files.
	Minutes int

	Creator Creator
}

// Goroutines returns the goroutines that v stands for.
func (g *Graph) Goroutines(v Vertex) []Goroutine {
	if g.Kind(v) != KindGoroutine {
		return nil
	}
	var list []Goroutine
	for _, n := range g.roots[v-1].goroutines {
		x := &g.goroutines[n]
		y := Goroutine{Number: int(n), Func: g.strings[x.Func], Wait: g.strings[x.Wait], Minutes: g.minutes(n), Creator: g.creator(n)}
		for _, l := range x.Labels {
			y.Labels = append(y.Labels, [2]string{g.strings[l.Key], g.strings[l.Value]})
		}
		list = append(list, y)
	}
	return list
}
