// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file reads the spans of the heap, and finds objects.

package core

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"internal/heapgraph"
	"internal/profilerecord"
	"internal/runtime/gc"
	"internal/runtime/refs"
	"slices"
)

// A span is a span of the heap that is in use.
type span struct {
	base      uint64
	pages     uint64
	slots     uint64
	slotSize  uint64
	class     uint8 // size class, or 0 for large objects
	noscan    bool
	userArena bool
	freeIndex uint64
	allocBits uint64 // address of the bits
	specials  uint64 // address of the first special
	largeType uint64
	header    uint64 // bytes of a slot before its value
	bitmap    []byte // bitmap of objects without header, or nil
	first     uint32 // number of the first slot
}

// An object is a slot of a span.
type object struct {
	s      *span
	index  uint64
	number uint32 // number of the slot
	base   uint64 // address of the slot
	data   uint64 // address of the value

	part, whole refs.Bounds // what a reference to it refers to, and what references can refer to
	doubtful    bool        // the reference may be none, and does not extend the hull
}

// A heap has the spans of the heap.
type heap struct {
	spans []span
	pages map[uint64][]uint32 // by region of pageRegion pages: for each page, 1 + the index of its span, or 0
	base  uint64              // address of the arena in which the lowest span begins
	slots uint32              // number of slots of all spans
	last  uint64              // region that was found last
	found []uint32            // pages of that region
}

// Pages are looked up by regions of 64 MiB, which is the size of an arena on
// linux/amd64.
const (
	pageSize   = 8 << 10
	pageRegion = 8 << 10 // number of pages
	arenaSize  = pageSize * pageRegion

	maxPages = 1 << 35 // largest number of pages of a span

	maxAddress = 1 << 57 // no memory, and no address in a snapshot, is at this address or above
)

// readHeap reads the spans.
func (p *process) readHeap() error {
	if n := p.off(profilerecord.CorePageSize); n != pageSize {
		return fmt.Errorf("the pages of the heap have %d bytes: this tool reads heaps with pages of %d", n, pageSize)
	}
	if n := p.off(profilerecord.CoreSizeClasses); n != gc.NumSizeClasses {
		return fmt.Errorf("the heap has %d size classes: this tool reads heaps with %d", n, gc.NumSizeClasses)
	}
	at := p.variable(profilerecord.CoreAllSpans)
	all := p.slice(at, wordSize)
	if all == nil {
		return fmt.Errorf("the core file does not have the list of spans")
	}
	for ; len(all) >= wordSize; all = all[wordSize:] {
		if s, ok := p.readSpan(binary.LittleEndian.Uint64(all)); ok {
			p.heap.spans = append(p.heap.spans, s)
		}
	}
	return p.indexSpans()
}

// readSpan reads the mspan at an address. ok is false if the span does not hold
// objects, is damaged, or is not in the files.
func (p *process) readSpan(at uint64) (s span, ok bool) {
	if p.uint8(at+p.off(profilerecord.CoreSpanState)) != uint8(p.off(profilerecord.CoreSpanInUse)) {
		return s, false
	}
	class := p.uint8(at + p.off(profilerecord.CoreSpanClass))
	s = span{
		base:      p.word(at + p.off(profilerecord.CoreSpanBase)),
		pages:     p.word(at + p.off(profilerecord.CoreSpanPages)),
		slots:     uint64(p.uint16(at + p.off(profilerecord.CoreSpanSlots))),
		slotSize:  p.word(at + p.off(profilerecord.CoreSpanSlotSize)),
		class:     class >> 1,
		noscan:    class&1 != 0,
		userArena: p.uint8(at+p.off(profilerecord.CoreSpanUserArena)) != 0,
		freeIndex: uint64(p.uint16(at + p.off(profilerecord.CoreSpanFreeIndex))),
		allocBits: p.word(at + p.off(profilerecord.CoreSpanAllocBits)),
		specials:  p.word(at + p.off(profilerecord.CoreSpanSpecials)),
		largeType: p.word(at + p.off(profilerecord.CoreSpanLargeType)),
	}
	size := s.pages * pageSize
	if s.base%pageSize != 0 || s.slotSize == 0 || s.slotSize%wordSize != 0 || s.slots == 0 || s.pages > maxPages ||
		s.slotSize > size || s.slots*s.slotSize > size || s.class >= gc.NumSizeClasses || !p.has(s.base, size) {
		p.damaged.spans++
		return s, false
	}
	switch {
	case s.noscan && !s.userArena:
	case s.slotSize <= p.off(profilerecord.CoreMaxHeaderless), s.userArena:
		n := size / wordSize / 8
		start := s.base + size - n
		if s.slotSize >= p.off(profilerecord.CoreMinInlineMarks) && !s.userArena {
			start -= p.off(profilerecord.CoreInlineMarks)
		}
		s.bitmap = p.bytes(start, n)
	case s.class != 0:
		s.header = p.off(profilerecord.CoreHeaderSize)
	}
	if s.header >= s.slotSize || s.base >= maxAddress || s.slots > heapgraph.MaxSlots {
		p.damaged.spans++
		return s, false
	}
	return s, true
}

// indexSpans sorts the spans, numbers their slots, and makes the index of
// pages.
func (p *process) indexSpans() error {
	h := &p.heap
	slices.SortFunc(h.spans, func(a, b span) int { return cmp.Compare(a.base, b.base) })
	h.pages = make(map[uint64][]uint32)
	end, slots := uint64(0), uint64(0)
	kept := h.spans[:0]
	for _, s := range h.spans {
		if s.base < end { // the heap was changing when the core file was made
			p.damaged.spans++
			continue
		}
		end = s.base + s.pages*pageSize
		s.first = uint32(slots)
		if slots += s.slots; slots >= 1<<32 {
			return fmt.Errorf("the heap has more than 4,294,967,295 slots for objects")
		}
		kept = append(kept, s)
	}
	h.spans, h.slots = kept, uint32(slots)
	for i := range h.spans {
		s := &h.spans[i]
		for page := s.base / pageSize; page < s.base/pageSize+s.pages; page++ {
			region := h.pages[page/pageRegion]
			if region == nil {
				region = make([]uint32, pageRegion)
				h.pages[page/pageRegion] = region
			}
			region[page%pageRegion] = uint32(i + 1)
		}
	}
	if len(h.spans) > 0 {
		h.base = h.spans[0].base &^ (arenaSize - 1)
	}
	return nil
}

// spanOf returns the span that has the address, or nil.
func (p *process) spanOf(addr uint64) *span {
	h := &p.heap
	page := addr / pageSize
	if page/pageRegion != h.last || h.found == nil {
		region := h.pages[page/pageRegion]
		if region == nil {
			return nil
		}
		h.last, h.found = page/pageRegion, region
	}
	if i := h.found[page%pageRegion]; i != 0 {
		return &h.spans[i-1]
	}
	return nil
}

// find returns the object to which a pointer refers.
func (p *process) find(pointer uint64) (o object, ok bool) {
	if pointer < pageSize {
		return o, false
	}
	s := p.spanOf(pointer)
	if s == nil {
		return o, false
	}
	index := (pointer - s.base) / s.slotSize
	if index >= s.slots {
		return o, false
	}
	return s.object(index), true
}

// object returns the object in a slot.
func (s *span) object(index uint64) object {
	base := s.base + index*s.slotSize
	return object{s: s, index: index, number: s.first + uint32(index), base: base, data: base + s.header}
}

// objectOf returns the object with a number.
func (h *heap) objectOf(number uint32) object {
	i, ok := slices.BinarySearchFunc(h.spans, number, func(s span, n uint32) int { return cmp.Compare(s.first, n) })
	if !ok {
		i--
	}
	return h.spans[i].object(uint64(number - h.spans[i].first))
}

// isAllocated reports whether the slot is in use. A word that is not a pointer
// may seem to refer to a free slot.
func (p *process) isAllocated(o *object) bool {
	return o.index < o.s.freeIndex || p.uint8(o.s.allocBits+o.index/8)>>(o.index%8)&1 != 0
}
