// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file builds the graph from the large sections of the file: references,
// claims, references of roots, and specials. Several goroutines decode them.
// The first decoding marks the objects, and the words that have references.
// After that, the objects can be numbered, and each reference has its place in
// the rows of the graph: the references of an object are in the order of their
// words. The second decoding, which reads references and claims again, writes
// the numbers of the targets to these places. A reference in an object
// therefore takes only the 4 bytes of its target, unless it is an extra (see
// fill.go). A span with references takes 1 bit for each of its words.
//
// Objects in long spans are the exception, because the bits for all their words
// could take more memory than the file. Their references are collected in a
// list and sorted.

package heapgraph

import (
	"cmp"
	"errors"
	"internal/dominators"
	format "internal/heapgraph"
	"math"
	"slices"
	"sync/atomic"
)

// Options are options of [File.Graph].
type Options struct {
	// ByFunc makes all goroutines that began with the same function one
	// root. If it is false, objects that several of these goroutines hold
	// are retained by none of them.
	ByFunc bool

	// Memory is the largest number of bytes that the graph and its dominator
	// tree may take. If it is 0, the limit is 512 MiB and 256 times the size
	// of the file. On 32-bit systems, this is at most 1 GiB, and no limit is
	// above 2 GiB.
	Memory int64
}

// Graph reads the objects and references. A nil *Options means the zero value
// of Options. The File must be open while Graph runs, and may be closed
// afterwards.
func (f *File) Graph(o *Options) (*Graph, error) {
	if o == nil {
		o = new(Options)
	}
	b := &builder{f: f, g: &Graph{Meta: f.Meta, tables: f.tables}, options: *o, most: f.limit(o)}
	if err := b.build(); err == errTooLarge {
		return nil, errLimit(b.most)
	} else if err != nil {
		return nil, err
	}
	return b.g, nil
}

// A builder builds a graph.
type builder struct {
	f       *File
	g       *Graph
	options Options
	most    int64 // limit of memory

	rootRefs []rawRootRef
	specials []format.Special
	owners   []format.Special
	long     []format.Pair // references of objects in long spans, by word and target
	repeated uint64        // number of references in words that had one already
	extras   []extra

	lists atomic.Uint64 // sum of listBytes of all workers, in mark
}

// A rawRootRef is a reference from a root.
type rawRootRef struct {
	goroutine, node uint32
	target          uint64
}

// An extra is a reference from a word to a target other than its lowest one, or
// a reference of a special of an object, such as a finalizer.
type extra struct {
	from, to Vertex
	word     uint64 // address of the word, or noWord
	node     uint32 // node of the special's reference, or 0
}

const noWord = math.MaxUint64

func compareExtras(a, b extra) int {
	return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.word, b.word), cmp.Compare(a.node, b.node), cmp.Compare(a.to, b.to))
}

func (b *builder) build() error {
	g := b.g
	if err := g.init(b.f.tables.records); err != nil {
		return err
	}
	g.records = nil
	if err := b.mark(); err != nil {
		return err
	}
	b.sortLong()
	b.findRoots()
	n := g.number(uint64(len(g.roots)) + 1)
	const most = dominators.Max - 1
	if n > most {
		return errors.New("heapgraph: too many objects")
	}
	g.first, g.end = Vertex(len(g.roots)+1), Vertex(n)
	if !b.fits(0) {
		return errTooLarge
	}
	g.node = make([]uint32, g.end-g.first)
	if err := b.rows(); err != nil {
		return err
	}
	if err := b.fill(); err != nil {
		return err
	}
	b.addSpecials()
	b.insertExtras()
	b.addOwners()
	b.addHulls()
	g.parts = nil
	return nil
}

// sortLong sorts b.long and removes duplicates.
func (b *builder) sortLong() {
	slices.SortFunc(b.long, func(x, y format.Pair) int {
		return cmp.Or(cmp.Compare(x.Addr, y.Addr), cmp.Compare(x.Value, y.Value))
	})
	b.long = slices.Compact(b.long)
}

// rows computes where the rows of the graph are, and writes those of All and of
// the roots.
func (b *builder) rows() error {
	g := b.g
	g.off = make([]uint32, uint64(g.end)+1)
	n := uint64(len(g.roots))
	n += b.rootRows()
	extras := b.repeated + uint64(len(b.specials))
	long := 0
	for i := range g.spans {
		s := &g.spans[i]
		g.objects(s, func(v Vertex, slot uint32) {
			g.off[v] = uint32(n)
			from := s.address(slot)
			if s.dense() {
				n += uint64(s.wordsBefore(from, from+s.size))
				return
			}
			for ; long < len(b.long) && b.long[long].Addr < from+s.size; long++ {
				if long > 0 && b.long[long].Addr == b.long[long-1].Addr {
					extras++
				} else {
					n++
				}
			}
		})
	}
	if n+extras >= dominators.Max {
		return errors.New("heapgraph: too many references")
	}
	if !b.fits(n + extras) {
		return errTooLarge
	}
	g.off[g.end] = uint32(n)
	dst := make([]uint32, n, n+extras)
	copy(dst, g.dst)
	g.dst = dst
	return nil
}
