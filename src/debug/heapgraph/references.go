// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has the references of a vertex, with the names of the fields that
// have them.

package heapgraph

import (
	"cmp"
	format "internal/heapgraph"
	"iter"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// A Reference is a reference from one vertex to another.
type Reference struct {
	From, To Vertex

	// Field says where the reference is. In an object, it is a field, such
	// as "conf.tls", "[3].next" or "[7]". It is empty if the object's type
	// or its layout is not known, or if the object is a single value
	// without fields, such as a pointer or a slice. For a reference from
	// All, it is empty, too. For a root, it is the path below the root,
	// such as "main.serve > main.serve.conns []*conn". If a special of the
	// object, such as a cleanup, has the reference, Field is "(function)"
	// with the type of a function, "(argument)" with the type of the
	// cleanup's argument, or "(weak handle)".
	Field string

	// Offset is the distance, in bytes, from the beginning of the object's
	// value to the word that has the reference. It is -1 if no word of an
	// object's value has it.
	Offset int64

	// Changed reports whether the word had several targets while the
	// collection marked. To is one of them.
	Changed bool

	// Outside reports whether the reference is in a part of the object to
	// which no reference refers, such as an element before the beginning of
	// the slice that refers to an array.
	Outside bool
}

// References returns the references from v.
func (g *Graph) References(v Vertex) []Reference {
	refs := make([]Reference, len(g.row(v)))
	n := g.namer(v)
	for i := range refs {
		refs[i] = n.reference(i)
	}
	return refs
}

// Reference returns element i of [Graph.References]. It does not name the other
// references, because an object may have millions.
func (g *Graph) Reference(v Vertex, i int) Reference { return g.namer(v).reference(i) }

// A namer finds the places of the references of a vertex. In the row of an
// object, one reference of each word comes first, and then the extras: other
// references of words, and references of specials.
type namer struct {
	g      *Graph
	v      Vertex
	row    []uint32
	s      *span
	slot   uint64 // address of the slot
	typ    uint32
	extras []extra
	out    func(word uint64) bool // see outsideOf
	paths  map[uint32]string      // paths of references of a root, which may have the same one millions of times
}

func (g *Graph) namer(v Vertex) *namer {
	n := &namer{g: g, v: v, row: g.row(v)}
	if v >= g.first {
		s, slot := g.place(v)
		n.s, n.slot = s, s.address(slot)
		n.typ = g.nodes[g.node[v-g.first]].typ
		n.extras = g.extrasOf(v)
		n.out = g.outsideOf(v)
	}
	return n
}

// reference returns the reference that is the ith in the row.
func (n *namer) reference(i int) Reference {
	g := n.g
	r := Reference{From: n.v, To: Vertex(n.row[i]), Offset: -1}
	if n.v < g.first {
		if n.v != All {
			r.Field = n.path(g.rootPlaces[g.off[n.v]-g.off[1]+uint32(i)])
		}
		return r
	}
	var word uint64
	if words := len(n.row) - len(n.extras); i < words {
		word = g.nthWord(n.s, n.slot, i)
		_, r.Changed = slices.BinarySearchFunc(n.extras, word, func(x extra, word uint64) int {
			return cmp.Compare(x.word, word)
		})
	} else if x := n.extras[i-words]; x.node != 0 {
		r.Field = g.strings[g.nodes[x.node].element]
		return r
	} else {
		word = x.word
		r.Changed = true
	}
	if value := n.slot + n.s.skip; word >= value {
		r.Offset = int64(word-value) * int64(g.PointerSize)
		r.Field = g.field(n.typ, uint64(r.Offset), n.several())
		r.Outside = n.out != nil && n.out(word)
	}
	return r
}

// smallestSlot is the size of the smallest slots, in bytes. On 32-bit systems,
// a struct with one pointer takes half of such a slot.
const smallestSlot = 8

// several reports whether the object has several values of its type. A smallest
// slot has one value, because values are more common than arrays, but a slice's
// has several.
func (n *namer) several() bool {
	size := n.g.bytes(n.s)
	if n.g.types[n.typ].Size > uint64(size)/2 {
		return false
	}
	return size > smallestSlot || strings.HasPrefix(n.g.Type(n.v), "[]")
}

// path returns the path of a root's reference below the root.
func (n *namer) path(place uint32) string {
	text, ok := n.paths[place]
	if !ok {
		if n.paths == nil {
			n.paths = make(map[uint32]string)
		}
		text = n.g.pathText(place, n.g.nodes[place].root)
		n.paths[place] = text
	}
	return text
}

// nthWord returns the address of the nth word with a reference, counted from 0,
// among the words of s whose addresses are not below the parameter from.
func (g *Graph) nthWord(s *span, from uint64, n int) uint64 {
	if s.dense() {
		return s.word(from, uint32(n))
	}
	i, _ := slices.BinarySearch(g.longWords, from)
	return g.longWords[i+n]
}

// extrasOf returns the extras of v.
func (g *Graph) extrasOf(v Vertex) []extra { return extrasFrom(g.extras, v) }

// extrasFrom returns the elements of a table, which is sorted, that come from v.
func extrasFrom(table []extra, v Vertex) []extra {
	from := sort.Search(len(table), func(i int) bool { return table[i].from >= v })
	to := from
	for to < len(table) && table[to].from == v {
		to++
	}
	return table[from:to]
}

// maxDepth is the largest number of fields within fields in a name. It protects
// against files whose types contain themselves.
const maxDepth = 64

// field returns the name of the word at an offset in an object of type n. If
// several is set, the object has several values of that type, one after
// another.
func (g *Graph) field(n uint32, offset uint64, several bool) string {
	t := &g.types[n]
	if t.Size == 0 && len(t.Fields) == 0 {
		return ""
	}
	var b strings.Builder
	if t.Size == 0 {
		several = false
	} else if i := offset / t.Size; i > 0 || several {
		b.WriteString("[" + strconv.FormatUint(i, 10) + "]")
		offset %= t.Size
	}
	for range maxDepth {
		t := &g.types[n]
		i := sort.Search(len(t.Fields), func(i int) bool { return t.Fields[i].Offset > offset }) - 1
		if i < 0 {
			break
		}
		f := &t.Fields[i]
		name := shorten(g.strings[f.Name], maxField/2)
		if b.Len()+len(name) > maxField {
			b.WriteString("…")
			break
		}
		offset -= f.Offset
		n = uint32(f.Type)
		switch {
		case name == format.Elem:
			if size := g.types[n].Size; size != 0 {
				b.WriteString("[" + strconv.FormatUint(offset/size, 10) + "]")
				offset %= size
			}
		case b.Len() > 0:
			b.WriteString("." + name)
		default:
			b.WriteString(name)
		}
	}
	return b.String()
}

// A reverse has the sources of the references to each vertex, in compressed
// sparse rows.
type reverse struct{ off, src []uint32 }

func (g *Graph) reversed() *reverse {
	return g.referrers.get(func() *reverse {
		n := uint64(g.end)
		r := &reverse{off: make([]uint32, n+2), src: make([]uint32, len(g.dst))}
		for _, w := range g.dst {
			r.off[uint64(w)+2]++
		}
		for v := uint64(2); v < n+2; v++ {
			r.off[v] += r.off[v-1]
		}
		for v := range g.end {
			for _, w := range g.row(v) {
				r.src[r.off[w+1]] = uint32(v)
				r.off[w+1]++
			}
		}
		return r
	})
}

// sources returns the sources of the references to v, in order.
func (g *Graph) sources(v Vertex) []uint32 {
	r := g.reversed()
	return r.src[r.off[v]:r.off[v+1]]
}

// Sources returns the vertices that have references to v, in order. A vertex
// that has several references to v occurs several times. The first call of
// Sources or Referrers for a graph goes through the whole graph, and takes 4
// bytes for each vertex and each reference.
func (g *Graph) Sources(v Vertex) iter.Seq[Vertex] {
	return func(yield func(Vertex) bool) {
		for _, w := range g.sources(v) {
			if !yield(Vertex(w)) {
				return
			}
		}
	}
}

// Referrers returns the references to v.
func (g *Graph) Referrers(v Vertex) []Reference {
	var refs []Reference
	for i, from := range g.sources(v) {
		if i > 0 && g.sources(v)[i-1] == from {
			continue
		}
		refs = append(refs, g.between(Vertex(from), v)...)
	}
	return refs
}

// between returns the references from one vertex to another. It does not name
// the other references of from, because an object may have millions.
func (g *Graph) between(from, to Vertex) []Reference {
	var refs []Reference
	n := g.namer(from)
	for i, w := range n.row {
		if Vertex(w) == to {
			refs = append(refs, n.reference(i))
		}
	}
	return refs
}
