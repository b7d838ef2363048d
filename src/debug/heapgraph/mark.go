// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file decodes the large sections for the first time: it marks objects and
// words, and checks all addresses.

package heapgraph

import (
	format "internal/heapgraph"
	"sync/atomic"
)

// mark marks the objects and words of all records, and compares the counts of
// records with those in END.
func (b *builder) mark() error {
	var counts [format.KindSpecials + 1]atomic.Uint64
	workers, err := b.eachSection(func(w *worker, d *format.Decoder) error {
		if err := w.mark(d); err != nil {
			return err
		}
		if k := d.Kind(); int(k) < len(counts) {
			counts[k].Add(d.Records())
		}
		return nil
	}, format.KindRefs, format.KindClaims, format.KindRootRefs, format.KindSpecials, format.KindOwners)
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
		b.owners = append(b.owners, w.owners...)
		w.long = nil
	}
	return nil
}

// mark marks the objects and words of a section's records.
func (w *worker) mark(d *format.Decoder) error {
	for d.More() {
		if !w.listsFit() {
			return errTooLarge
		}
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
		case format.KindOwners:
			if err := w.addOwner(d); err != nil {
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
