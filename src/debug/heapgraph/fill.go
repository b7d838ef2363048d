// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file decodes the sections of references and claims for the second time.
// It writes the nodes of objects and the targets of references to their places
// in the arrays. Several goroutines write to the same arrays, with atomic
// operations. The result does not depend on the order in which they write.
// References that have no place in the arrays are extras: all but one of the
// targets of a word, and references of specials, such as finalizers. They are
// inserted after everything else has been written.

package heapgraph

import (
	format "internal/heapgraph"
	"slices"
	"sync/atomic"
)

// fill writes claims, and the targets of references.
func (b *builder) fill() error {
	workers, err := b.eachSection((*worker).fill, format.KindRefs, format.KindClaims)
	if err != nil {
		return err
	}
	for _, w := range workers {
		b.extras = append(b.extras, w.extras...)
	}
	b.fillLong()
	return nil
}

// fill writes the records of a section. The first decoding has checked all
// addresses.
func (w *worker) fill(d *format.Decoder) error {
	for d.More() {
		for _, p := range w.pairs[:d.Pairs(w.pairs[:])] {
			if d.Kind() == format.KindRefs {
				w.fillRef(p)
			} else if err := w.fillClaim(d, p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *worker) fillClaim(d *format.Decoder, p format.Pair) error {
	g := w.b.g
	if p.Value == 0 || p.Value >= uint64(len(g.nodes)) {
		return d.Error("a node does not exist")
	}
	s, slot := w.object(w.to, p.Addr)
	w.to = s
	if !atomic.CompareAndSwapUint32(&g.node[g.vertex(s, slot)-g.first], 0, uint32(p.Value)) {
		return d.Error("an object has two claims")
	}
	return nil
}

// fillRef writes the target of a reference. If a word has several targets, the
// lowest gets the word's place in the row, whatever the order in which they
// come, and the others become extras.
func (w *worker) fillRef(p format.Pair) {
	g := w.b.g
	from := w.span(w.from, p.Addr)
	to := w.span(w.to, p.Value)
	w.from, w.to = from, to
	if !from.dense() {
		return
	}
	slot := from.slot(p.Addr)
	v, x := g.vertex(from, slot), uint32(g.vertex(to, to.slot(p.Value)))
	place := &g.dst[g.off[v]+from.wordsBefore(from.address(slot), p.Addr)]
	if atomic.CompareAndSwapUint32(place, 0, x) {
		return
	}
	for {
		old := atomic.LoadUint32(place)
		if old == x {
			return
		}
		if old < x || atomic.CompareAndSwapUint32(place, old, x) {
			w.extras = append(w.extras, extra{from: v, to: Vertex(max(old, x)), word: p.Addr})
			return
		}
	}
}

// fillLong writes the targets of references of objects in long spans.
func (b *builder) fillLong() {
	g := b.g
	if len(b.long) == 0 {
		return
	}
	g.longWords = make([]uint64, 0, len(b.long))
	var v Vertex
	var place uint32
	for i, p := range b.long {
		from, to := g.find(p.Addr), g.find(p.Value)
		x := g.vertex(to, to.slot(p.Value))
		if i > 0 && p.Addr == b.long[i-1].Addr {
			b.extras = append(b.extras, extra{from: v, to: x, word: p.Addr})
			continue
		}
		if w := g.vertex(from, from.slot(p.Addr)); w != v {
			v, place = w, g.off[w]
		}
		g.dst[place] = uint32(x)
		place++
		g.longWords = append(g.longWords, p.Addr)
	}
	b.long = nil
}

// addSpecials adds the references of specials to the extras.
func (b *builder) addSpecials() {
	g := b.g
	at := func(addr uint64) Vertex {
		s := g.find(addr)
		return g.vertex(s, s.slot(addr))
	}
	for _, s := range b.specials {
		b.extras = append(b.extras, extra{from: at(s.Object), to: at(s.Target), word: noWord, node: uint32(s.Node)})
	}
}

// insertExtras puts the extras behind the other references of their objects. It
// begins with the last extra, so that each reference moves only once.
func (b *builder) insertExtras() {
	g := b.g
	slices.SortFunc(b.extras, compareExtras)
	b.extras = slices.Compact(b.extras)
	if len(b.extras) == 0 {
		return
	}
	g.extras = slices.Clip(b.extras)
	n := uint32(len(g.dst))
	g.dst = append(g.dst, make([]uint32, len(g.extras))...)
	for k := len(g.extras); k > 0; k-- {
		// The first k extras are not inserted yet. Everything after the
		// row of extra k-1 moves by k places.
		x := g.extras[k-1]
		end := g.off[x.from+1]
		copy(g.dst[end+uint32(k):], g.dst[end:n])
		g.dst[end+uint32(k)-1] = uint32(x.to)
		n = end
	}
	added := uint32(0)
	for v := g.first; v <= g.end; v++ {
		g.off[v] += added
		for int(added) < len(g.extras) && g.extras[added].from == v {
			added++
		}
	}
}
