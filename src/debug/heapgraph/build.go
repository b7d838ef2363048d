// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file builds the graph from the large sections, which it decodes twice, on
// all processors. The first time it marks the objects and the words that have
// references. Then the objects can be numbered, and each reference has its place in
// the rows of the graph: the references of an object are in the order of their
// words. The second time it writes the numbers of the targets there. So
// references need no memory but the 4 bytes of their target, and a bit.
//
// Objects in long spans are the exception, because a bit for each of their words
// could be more than the file is worth. Their references are collected in a list
// and sorted.

package heapgraph

import (
	"cmp"
	"errors"
	format "internal/heapgraph"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Options are options of [File.Graph].
type Options struct {
	// ByFunc makes all goroutines that began with the same function one
	// root. Otherwise, what several of them hold is retained by none of
	// them.
	ByFunc bool
}

// Graph reads the objects and references. A nil *Options is the zero value. The File
// must be open while Graph runs, and is not needed by the Graph.
func (f *File) Graph(o *Options) (*Graph, error) {
	if o == nil {
		o = new(Options)
	}
	b := &builder{f: f, g: &Graph{Meta: f.Meta, tables: f.tables}, options: *o}
	if err := b.build(); err != nil {
		return nil, err
	}
	return b.g, nil
}

// A builder builds a graph.
type builder struct {
	f       *File
	g       *Graph
	options Options

	rootRefs []rawRootRef
	specials []format.Special
	long     []format.Pair // references of objects in long spans, by word and target
	repeated uint64        // references of words that had one already
	extras   []extra
}

// A rawRootRef is a reference from a root.
type rawRootRef struct {
	goroutine, node uint32
	target          uint64
}

// An extra is a reference that is no word's first: of a word that has several
// targets, or of a special.
type extra struct {
	from, to Vertex
	word     uint64 // address of the word, or 0
	node     uint32 // of the special, or 0
}

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
	const most = 1<<32 - 3
	if n > most {
		return errors.New("heapgraph: too many objects")
	}
	g.first, g.end = Vertex(len(g.roots)+1), Vertex(n)
	g.node = make([]uint32, g.end-g.first)
	if refs, ok := b.rows(); !ok || refs > most {
		return errors.New("heapgraph: too many references")
	}
	if err := b.fill(); err != nil {
		return err
	}
	b.addSpecials()
	b.insertExtras()
	return nil
}

// A worker decodes sections, one after another.
type worker struct {
	b        *builder
	loader   format.Loader
	pairs    [2048]format.Pair
	from, to *span // of the latest reference

	// What it has found.
	long     []format.Pair
	repeated uint64
	rootRefs []rawRootRef
	specials []format.Special
	extras   []extra
}

// eachSection calls do with all sections of the kinds, from several goroutines, and
// returns the workers. The error is of the first section that has one.
func (b *builder) eachSection(do func(*worker, *format.Decoder) error, kinds ...format.Kind) ([]*worker, error) {
	var sections []int
	for i := range b.f.f.Sections {
		if slices.Contains(kinds, b.f.f.Sections[i].Kind) {
			sections = append(sections, i)
		}
	}
	var (
		workers = make([]*worker, max(1, min(runtime.GOMAXPROCS(0), len(sections))))
		errs    = make([]error, len(sections))
		next    atomic.Int64
		failed  atomic.Bool
		wait    sync.WaitGroup
	)
	for i := range workers {
		w := &worker{b: b}
		workers[i] = w
		wait.Go(func() {
			for !failed.Load() {
				i := int(next.Add(1)) - 1
				if i >= len(sections) {
					return
				}
				errs[i] = w.section(sections[i], do)
				if errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return workers, nil
}

func (w *worker) section(i int, do func(*worker, *format.Decoder) error) error {
	d, err := w.loader.Load(w.b.f.f, i)
	if err != nil {
		return err
	}
	if err := do(w, d); err != nil {
		return err
	}
	return d.Err()
}

// span returns the span of an address, which is likely to be s.
func (w *worker) span(s *span, addr uint64) *span {
	if s.has(addr) {
		return s
	}
	return w.b.g.find(addr)
}

// object returns the span and the slot of the object with an address. The span is
// likely to be s, and is nil if there is no such slot.
func (w *worker) object(s *span, addr uint64) (*span, uint32) {
	s = w.span(s, addr)
	if s == nil {
		return nil, 0
	}
	slot := s.slot(addr)
	if s.address(slot) != addr {
		return nil, 0
	}
	return s, slot
}

// mark marks what the sections have, and checks their numbers of records.
func (b *builder) mark() error {
	var counts [format.KindSpecials + 1]atomic.Uint64
	workers, err := b.eachSection(func(w *worker, d *format.Decoder) error {
		if err := w.mark(d); err != nil {
			return err
		}
		counts[d.Kind()].Add(d.Records())
		return nil
	}, format.KindRefs, format.KindClaims, format.KindRootRefs, format.KindSpecials)
	if err != nil {
		return err
	}
	for i := range counts {
		k := format.Kind(i)
		if n := counts[i].Load(); !small(k) && n != b.f.f.Counts[i] {
			return countError(k, n, b.f.f.Counts[i])
		}
	}
	for _, w := range workers {
		b.long = append(b.long, w.long...)
		b.repeated += w.repeated
		b.rootRefs = append(b.rootRefs, w.rootRefs...)
		b.specials = append(b.specials, w.specials...)
		w.long = nil
	}
	return nil
}

// mark marks what a section has.
func (w *worker) mark(d *format.Decoder) error {
	for d.More() {
		switch d.Kind() {
		case format.KindRefs, format.KindClaims:
			for _, p := range w.pairs[:d.Pairs(w.pairs[:])] {
				if err := w.markPair(d, p); err != nil {
					return err
				}
			}
		case format.KindRootRefs:
			if err := w.markRootRef(d); err != nil {
				return err
			}
		case format.KindSpecials:
			if err := w.markSpecial(d); err != nil {
				return err
			}
		}
	}
	return nil
}

const noObject = "an address is not that of a slot"

func (w *worker) markPair(d *format.Decoder, p format.Pair) error {
	g := w.b.g
	if d.Kind() == format.KindClaims {
		s, slot := w.object(w.to, p.Addr)
		if s == nil {
			return d.Error(noObject)
		}
		w.to = s
		g.mark(s, slot)
		return nil
	}
	from := w.span(w.from, p.Addr)
	to, slot := w.object(w.to, p.Value)
	if from == nil || to == nil {
		return d.Error(noObject)
	}
	w.from, w.to = from, to
	g.mark(to, slot)
	g.mark(from, from.slot(p.Addr))
	if !from.dense() {
		w.long = append(w.long, p)
	} else if from.markWord(p.Addr) {
		w.repeated++
	}
	return nil
}

func (w *worker) markRootRef(d *format.Decoder) error {
	g := w.b.g
	r := d.RootRef()
	if d.Err() != nil {
		return d.Err()
	}
	s, slot := w.object(w.to, r.Target)
	if s == nil {
		return d.Error(noObject)
	}
	if r.Node == 0 || r.Node >= uint64(len(g.nodes)) || r.Goroutine >= uint64(len(g.goroutines)) {
		return d.Error("a node or goroutine does not exist")
	}
	w.to = s
	g.mark(s, slot)
	w.rootRefs = append(w.rootRefs, rawRootRef{uint32(r.Goroutine), uint32(r.Node), r.Target})
	return nil
}

func (w *worker) markSpecial(d *format.Decoder) error {
	g := w.b.g
	r := d.Special()
	if d.Err() != nil {
		return d.Err()
	}
	from, fromSlot := w.object(nil, r.Object)
	to, toSlot := w.object(nil, r.Target)
	if from == nil || to == nil {
		return d.Error(noObject)
	}
	if r.Node == 0 || r.Node >= uint64(len(g.nodes)) {
		return d.Error("a node does not exist")
	}
	g.mark(from, fromSlot)
	g.mark(to, toSlot)
	w.specials = append(w.specials, r)
	return nil
}

// sortLong sorts b.long and removes references that are there twice.
func (b *builder) sortLong() {
	slices.SortFunc(b.long, func(x, y format.Pair) int {
		return cmp.Or(cmp.Compare(x.Addr, y.Addr), cmp.Compare(x.Value, y.Value))
	})
	b.long = slices.Compact(b.long)
}

// rows computes where the rows of the graph are, and writes those of the roots. It
// returns the number of references.
func (b *builder) rows() (refs uint64, ok bool) {
	g := b.g
	g.off = make([]uint32, uint64(g.end)+1)
	n := uint64(len(g.roots))
	n += b.rootRows()
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
				if long == 0 || b.long[long].Addr != b.long[long-1].Addr {
					n++
				}
			}
		})
	}
	extras := b.repeated + uint64(len(b.long)) + uint64(len(b.specials))
	if n+extras >= 1<<32-1 {
		return n, false
	}
	g.off[g.end] = uint32(n)
	g.dst = append(g.dst, make([]uint32, n-uint64(len(g.dst)))...)
	return n, true
}

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

// fill writes what a section has. The first decoding has checked all addresses.
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

// fillRef writes the target of a reference. Of several targets of a word, the
// lowest has the word's place in the row, in whichever order they come.
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
		b.extras = append(b.extras, extra{from: at(s.Object), to: at(s.Target), node: uint32(s.Node)})
	}
}

// insertExtras puts the extras behind the other references of their objects, from
// the last one to the first.
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
		// row of the last of them moves by k.
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
