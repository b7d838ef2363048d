// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// A span of the heap is divided into slots, each of which has room for one
// object. This file finds the slot of an address, and numbers the slots that
// have objects, in the order of their addresses. A span has a cell for each 64
// slots. A cell takes 16 bytes. It has a bit for each slot, which is set if the
// slot has an object, and the number of its first object. The number of another
// object in the cell is this number plus the count of set bits before the
// object's slot.
//
// Bits are set by several goroutines at once, with atomic operations. The
// objects are numbered after that.

package heapgraph

import (
	"cmp"
	"errors"
	format "internal/heapgraph"
	"math/bits"
	"slices"
	"sort"
	"sync/atomic"
)

// A Vertex is the number of a vertex of a graph. It has no meaning in another
// graph.
type Vertex uint32

// A slotTable has the spans of a heap and the objects in them.
type slotTable struct {
	spans []span
	cells []cell

	// The span of an address is the first one whose end is after the
	// address. If the address is at least low + i<<shift, its span is
	// spans[near[i]] or a later one.
	near  []uint32
	low   uint64
	shift uint

	// Objects i*placeStep to (i+1)*placeStep, counted from the first one,
	// are in spans places[i] to places[i+1].
	places []uint32
}

// A span is a span of the heap. Addresses and sizes are in words.
type span struct {
	start, end uint64
	size       uint64 // size of a slot
	skip       uint64 // words before the value in each slot: the allocator's header
	slots      uint32
	cell       uint32 // index of its first cell
	first      Vertex // vertex of the first object in it or after it

	// If the span is dense, words has a bit for each word of the span,
	// which is set if the word has a reference. It is nil while no bit is
	// set.
	words atomic.Pointer[[]uint64]
}

// A cell has a bit for each of 64 slots, and the vertex of the first object in
// it or after it.
type cell struct {
	bits uint64
	rank Vertex
	_    uint32 // keeps bits aligned on 32-bit platforms
}

// maxDense is the largest number of words of a dense span. Most spans of small
// objects are dense.
const maxDense = 2048

func (s *span) dense() bool { return s.end-s.start <= maxDense }

// init makes the table of the spans of a file.
func (t *slotTable) init(spans []format.Span) error {
	t.spans = make([]span, len(spans))
	spans = slices.Clone(spans)
	slices.SortFunc(spans, func(a, b format.Span) int { return cmp.Compare(a.Start, b.Start) })
	cells, words := 0, uint64(0)
	for i := range spans {
		x, s := &spans[i], &t.spans[i]
		if i > 0 && x.Start < spans[i-1].End() {
			return errors.New("heapgraph: SPANS overlap")
		}
		if words += x.End() - x.Start; words > format.MaxWords {
			return errors.New("heapgraph: SPANS are longer than any memory")
		}
		s.start, s.end, s.size, s.skip, s.slots = x.Start, x.End(), x.SlotSize, x.Skip, uint32(x.Slots)
		s.cell = uint32(cells)
		cells += (int(x.Slots) + 63) / 64
	}
	t.cells = make([]cell, cells)
	t.initNear()
	return nil
}

// initNear fills near, with at most 4n+1 entries for n spans.
func (t *slotTable) initNear() {
	n := len(t.spans)
	if n == 0 {
		return
	}
	t.low = t.spans[0].start
	length := t.spans[n-1].end - t.low
	for length>>t.shift > 4*uint64(n) {
		t.shift++
	}
	t.near = make([]uint32, length>>t.shift+1)
	s := 0
	for i := range t.near {
		for s < n && t.spans[s].end <= t.low+uint64(i)<<t.shift {
			s++
		}
		t.near[i] = uint32(s)
	}
}

// find returns the span that has an address, or nil.
func (t *slotTable) find(addr uint64) *span {
	i := (addr - t.low) >> t.shift
	if i >= uint64(len(t.near)) {
		return nil
	}
	from, to := int(t.near[i]), len(t.spans)
	if i+1 < uint64(len(t.near)) {
		to = min(to, int(t.near[i+1])+1)
	}
	if to-from > 8 {
		from += sort.Search(to-from, func(k int) bool { return t.spans[from+k].end > addr })
	}
	for ; from < to; from++ {
		if s := &t.spans[from]; s.end > addr {
			if s.start > addr {
				return nil
			}
			return s
		}
	}
	return nil
}

// has reports whether s has the address.
func (s *span) has(addr uint64) bool { return s != nil && addr-s.start < s.end-s.start }

// slot returns the index of the slot that has the address.
func (s *span) slot(addr uint64) uint32 {
	d := addr - s.start
	if d|s.size < 1<<32 {
		return uint32(d) / uint32(s.size)
	}
	return uint32(d / s.size)
}

// address returns the address of a slot.
func (s *span) address(slot uint32) uint64 { return s.start + uint64(slot)*s.size }

// mark records that the slot has an object.
func (t *slotTable) mark(s *span, slot uint32) {
	c := &t.cells[s.cell+slot/64]
	if bit := uint64(1) << (slot % 64); atomic.LoadUint64(&c.bits)&bit == 0 {
		atomic.OrUint64(&c.bits, bit)
	}
}

// markWord records that the word at an address has a reference. It reports
// whether this was recorded before. The span must be dense.
func (s *span) markWord(addr uint64) bool {
	p := s.words.Load()
	if p == nil {
		words := make([]uint64, (s.end-s.start+63)/64)
		s.words.CompareAndSwap(nil, &words)
		p = s.words.Load()
	}
	d := addr - s.start
	bit := uint64(1) << (d % 64)
	return atomic.OrUint64(&(*p)[d/64], bit)&bit != 0
}

// number gives the objects consecutive numbers, beginning with the parameter
// first, and returns the number after the last one.
func (t *slotTable) number(first uint64) uint64 {
	n := first
	for i := range t.spans {
		s := &t.spans[i]
		s.first = Vertex(n)
		for k := range t.cellsOf(s) {
			c := &t.cells[int(s.cell)+k]
			c.rank = Vertex(n)
			n += uint64(bits.OnesCount64(c.bits))
		}
	}
	t.initPlaces(first, n)
	return n
}

// placeStep is the number of objects for each entry of places.
const placeStep = 64

// initPlaces fills places.
func (t *slotTable) initPlaces(first, end uint64) {
	t.places = make([]uint32, (end-first+placeStep-1)/placeStep+1)
	s := 0
	for i := range t.places {
		for s+1 < len(t.spans) && uint64(t.spans[s+1].first) <= first+uint64(i)*placeStep {
			s++
		}
		t.places[i] = uint32(s)
	}
}

// cellsOf returns the cells of s.
func (t *slotTable) cellsOf(s *span) []cell {
	return t.cells[s.cell:][:(s.slots+63)/64]
}

// vertex returns the vertex of the object in a slot, which must have one.
func (t *slotTable) vertex(s *span, slot uint32) Vertex {
	c := &t.cells[s.cell+slot/64]
	return c.rank + Vertex(bits.OnesCount64(c.bits&(1<<(slot%64)-1)))
}

// isObject reports whether the slot has an object.
func (t *slotTable) isObject(s *span, slot uint32) bool {
	return t.cells[s.cell+slot/64].bits>>(slot%64)&1 != 0
}

// place returns the span and the slot of an object.
func (t *slotTable) place(v Vertex) (*span, uint32) {
	// A span without objects has the same first as the next span. Therefore
	// the last span whose first is at most v has v.
	step := (v - t.spans[0].first) / placeStep
	spans := t.spans[t.places[step] : t.places[step+1]+1]
	i := sort.Search(len(spans), func(i int) bool { return spans[i].first > v }) - 1
	s := &spans[i]
	cells := t.cellsOf(s)
	k := sort.Search(len(cells), func(k int) bool { return cells[k].rank > v }) - 1
	b := cells[k].bits
	for range v - cells[k].rank {
		b &= b - 1
	}
	return s, uint32(k*64 + bits.TrailingZeros64(b))
}

// objects calls yield with the objects of s in order.
func (t *slotTable) objects(s *span, yield func(v Vertex, slot uint32)) {
	v := s.first
	for k, c := range t.cellsOf(s) {
		for b := c.bits; b != 0; b &= b - 1 {
			yield(v, uint32(k*64+bits.TrailingZeros64(b)))
			v++
		}
	}
}

// wordsBefore returns the number of words with references whose addresses are
// in [from, to). The span must be dense.
func (s *span) wordsBefore(from, to uint64) uint32 {
	p := s.words.Load()
	if p == nil || from == to {
		return 0
	}
	w := *p
	from, to = from-s.start, to-s.start
	first, last := from/64, (to-1)/64
	if first == last {
		return uint32(bits.OnesCount64(w[first] >> (from % 64) << (from%64 + 63 - (to-1)%64)))
	}
	n := bits.OnesCount64(w[first] >> (from % 64))
	for _, x := range w[first+1 : last] {
		n += bits.OnesCount64(x)
	}
	return uint32(n + bits.OnesCount64(w[last]<<(63-(to-1)%64)))
}

// word returns the address of the nth word with a reference, counted from 0,
// among the words of s whose addresses are not below the parameter from.
func (s *span) word(from uint64, nth uint32) uint64 {
	w := *s.words.Load()
	d := from - s.start
	i := d / 64
	b := w[i] >> (d % 64) << (d % 64)
	for uint32(bits.OnesCount64(b)) <= nth {
		nth -= uint32(bits.OnesCount64(b))
		i++
		b = w[i]
	}
	for range nth {
		b &= b - 1
	}
	return s.start + i*64 + uint64(bits.TrailingZeros64(b))
}
