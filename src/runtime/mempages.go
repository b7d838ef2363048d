// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Which of Go's memory has pages, for the profile named memory.
//
// Memory that Go has taken may have no pages, because nothing has touched it
// yet or because it is swapped out. Memory that Go has returned may have pages,
// because the system takes them only when it needs them (MADV_FREE), or has
// added them to make a huge page. A page that was only read has no memory of its
// own. The kernel is asked for each page of the heap and of the larger ones of
// the runtime's structures; all others count as present. Nothing is stopped meanwhile. A page that is being allocated or
// freed may therefore count in the wrong class.

package runtime

import (
	"internal/profilerecord"
	"internal/runtime/atomic"
	"unsafe"
)

// memPages has the differences between taken memory and memory with pages.
type memPages struct {
	absent     profilerecord.MemClasses // taken, and without pages
	persistent uint64                   // the same in memory of persistentalloc, which several classes share
	returned   uint64                   // not taken, and with pages
	objects    map[memPagesSample]uint64

	// fill, if it can, sets a byte of present for each page from base on, and
	// knows more than mincore does.
	fill func(base, n uintptr, present []byte) bool

	// The window is the memory whose pages are being looked at.
	base, limit uintptr
	present     []byte // for each physical page of the window, bit 0 says whether it is present
	scavenged   pageBits
}

// A memPagesSample stands for sampled objects without pages.
type memPagesSample struct {
	b      *bucket
	labels *memLabelRecord
	recent bool
}

// read looks at all pages. It reports whether the system tells which are
// present.
func (m *memPages) read() bool {
	m.present = make([]byte, pallocChunkBytes/physPageSize)
	if page := alignDown(uintptr(unsafe.Pointer(&mheap_)), physPageSize); !m.look(page, physPageSize) || !m.isPresent(page) {
		return false // a sandbox need not tell
	}
	m.objects = make(map[memPagesSample]uint64)
	for _, r := range memPagesHeap() {
		for base := r.base.addr(); base < r.limit.addr(); base += pallocChunkBytes {
			if !m.look(base, pallocChunkBytes) {
				*m = memPages{}
				return false
			}
			systemstack(func() {
				lock(&mheap_.lock)
				m.scavenged = mheap_.pages.chunkOf(chunkIndex(base)).scavenged
				unlock(&mheap_.lock)
			})
			m.readHeap()
		}
	}
	m.readStructures()
	return true
}

// memPagesHeap returns the ranges of addresses into which the heap has grown.
func memPagesHeap() []addrRange {
	ranges := make([]addrRange, 16)
	for {
		n := 0
		systemstack(func() {
			lock(&mheap_.lock)
			n = len(mheap_.pages.inUse.ranges)
			copy(ranges, mheap_.pages.inUse.ranges)
			unlock(&mheap_.lock)
		})
		if n <= len(ranges) {
			return ranges[:n]
		}
		ranges = make([]addrRange, 2*n)
	}
}

// look makes the n bytes at base the window. They are at most a chunk of the
// heap, and begin and end at physical pages.
func (m *memPages) look(base, n uintptr) bool {
	m.base, m.limit = base, base+n
	if m.fill != nil && m.fill(base, n, m.present) {
		return true
	}
	return memPagesPresent(base, n, unsafe.SliceData(m.present))
}

// step is the size of the pieces in which the window is divided. A piece is not
// larger than a page of the system's or of the heap's.
func (m *memPages) step() uintptr { return min(physPageSize, pageSize) }

func (m *memPages) isPresent(addr uintptr) bool {
	return m.present[(addr-m.base)/physPageSize]&1 != 0
}

// absentIn returns the number of bytes without pages in a part of the window.
func (m *memPages) absentIn(from, to uintptr) (n uint64) {
	for addr := from; addr < to; addr += m.step() {
		if !m.isPresent(addr) {
			n += uint64(m.step())
		}
	}
	return n
}

// readHeap counts the pages of the window, a chunk of the heap.
func (m *memPages) readHeap() {
	for addr := m.base; addr < m.limit; {
		next := addr + m.step()
		present, scavenged := m.isPresent(addr), m.scavenged.get(chunkPageIndex(addr)) != 0
		switch {
		case present && scavenged:
			m.returned += uint64(m.step())
		case !present && !scavenged:
			next = m.readAbsent(addr)
		}
		addr = next
	}
}

// readAbsent counts the pages from addr, which is absent, to the end of the
// span or of the window. It returns that end.
func (m *memPages) readAbsent(addr uintptr) (end uintptr) {
	s := spanOf(addr)
	state := mSpanDead
	if s != nil {
		state = s.state.get()
		end = min(s.base()+s.npages*pageSize, m.limit)
	}
	if state == mSpanDead || addr < s.base() || addr >= end {
		m.absent.Free += uint64(m.step())
		return addr + m.step()
	}
	switch {
	case state == mSpanInUse:
		m.readSpan(s, addr, end)
	case s.elemsize != 0: // set by stackalloc, and not for work buffers
		m.absent.Stacks += m.absentIn(addr, end)
	default:
		m.absent.MetadataOther += m.absentIn(addr, end)
	}
	return end
}

// readSpan counts the absent pages of s from the first address to the second.
func (m *memPages) readSpan(s *mspan, from, to uintptr) {
	slots := memPagesSlots{base: s.base(), size: s.elemsize, n: uintptr(s.nelems), next: uintptr(s.freeIndexForScan), bits: s.allocBits}
	if slots.size == 0 || slots.bits == nil {
		return // s has just been freed
	}
	for addr := from; addr < to; addr += m.step() {
		if m.isPresent(addr) {
			continue
		}
		for p := addr; p < addr+m.step(); {
			slot := (p - slots.base) / slots.size
			end := min(slots.base+(slot+1)*slots.size, addr+m.step())
			switch slots.use(slot) {
			case slotFree:
				m.absent.Fragmented += uint64(end - p)
			case slotNew:
				m.absent.New += uint64(end - p)
			default:
				m.absent.Live += uint64(end - p)
			}
			p = end
		}
	}
	if slots.size >= physPageSize {
		m.readSampled(s, &slots, from, to)
	}
}

// A slotUse is the use of an object's place in a span.
type slotUse uint8

const (
	slotLive slotUse = iota // the latest collection found the object alive
	slotNew                 // the object was allocated since
	slotFree
)

// memPagesSlots is what readSpan has read of a span.
type memPagesSlots struct {
	base, size, n uintptr
	next          uintptr // all slots below are allocated
	bits          *gcBits // slots that were alive
}

// use returns the use of a slot. A slot that does not exist is free, as the end
// of a span is. If the span was freed meanwhile, bits may have fewer bits than
// there are slots, and the byte after them may not be mapped. Therefore a slot
// whose bit is in another page than the first bit counts as live.
func (s *memPagesSlots) use(slot uintptr) slotUse {
	bits := uintptr(unsafe.Pointer(s.bits))
	switch {
	case slot >= s.n:
		return slotFree
	case (bits+slot/8)/physPageSize != bits/physPageSize:
		return slotLive
	}
	if p, mask := s.bits.bitp(slot); *p&mask != 0 {
		return slotLive
	}
	if slot < s.next {
		return slotNew
	}
	return slotFree
}

// readSampled counts the absent pages of the sampled objects of s.
func (m *memPages) readSampled(s *mspan, slots *memPagesSlots, from, to uintptr) {
	var found [64]struct { // a span has fewer objects of a page or more
		offset uintptr
		sample memPagesSample
	}
	n := 0
	mp := acquirem()
	if s.keeps(slots) {
		lock(&s.speciallock)
		for sp := s.specials; sp != nil && n < len(found); sp = sp.next {
			if sp.kind == _KindSpecialProfile {
				profile := (*specialprofile)(unsafe.Pointer(sp))
				found[n].offset, found[n].sample.b, found[n].sample.labels = sp.offset, profile.b, profile.labelled
				n++
			}
		}
		unlock(&s.speciallock)
	}
	releasem(mp)
	for i := range found[:n] {
		f := &found[i]
		slot := f.offset / slots.size
		f.sample.recent = slots.use(slot) == slotNew
		begin := alignUp(slots.base+slot*slots.size, m.step())
		if bytes := m.absentIn(max(begin, from), min(slots.base+(slot+1)*slots.size, to)); bytes != 0 {
			m.objects[f.sample] += bytes
		}
	}
}

// keeps reports whether s still is the span of slots, swept and with objects.
// Nothing frees it then until the caller can be preempted, because no collection
// begins: the sweeper has visited s, or s was allocated since. A span that the
// sweeper is about to free has no objects any more, and is freed with the heap's
// lock held. Therefore, the fields that are read with this lock belong to the
// same use of s.
func (s *mspan) keeps(slots *memPagesSlots) (ok bool) {
	if s.state.get() != mSpanInUse {
		return false
	}
	s.ensureSwept()
	systemstack(func() {
		lock(&mheap_.lock)
		ok = s.state.get() == mSpanInUse && s.allocCount != 0 && s.base() == slots.base && s.elemsize == slots.size
		unlock(&mheap_.lock)
	})
	return ok
}

// sampled returns the bytes without pages of the sampled objects of b with
// these labels.
func (m *memPages) sampled(b *bucket, labels *memLabelRecord) (live, recent int64) {
	if len(m.objects) == 0 {
		return 0, 0
	}
	return int64(m.objects[memPagesSample{b, labels, false}]), int64(m.objects[memPagesSample{b, labels, true}])
}

// readStructures counts the absent pages of the runtime's larger structures.
func (m *memPages) readStructures() {
	m.absent.Buckets += m.readRange(uintptr(buckhash.Load()), unsafe.Sizeof(buckhashArray{}))
	if unsafe.Sizeof(memLabelsMem{}) >= 64<<10 { // a mapping of its own
		m.absent.Buckets += m.readRange(uintptr(unsafe.Pointer(memLabels.mem)), unsafe.Sizeof(memLabelsMem{}))
	}
	for _, l2 := range &mheap_.pages.chunks {
		m.absent.MetadataOther += m.readRange(uintptr(unsafe.Pointer(l2)), unsafe.Sizeof(*l2))
	}
	var spans []*mspan
	systemstack(func() {
		lock(&mheap_.lock)
		spans = mheap_.allspans
		unlock(&mheap_.lock)
	})
	m.absent.Other += m.readRange(uintptr(unsafe.Pointer(unsafe.SliceData(spans))), uintptr(cap(spans))*unsafe.Sizeof(spans[0]))
	for chunk := atomic.Loaduintptr((*uintptr)(unsafe.Pointer(&persistentChunks))); chunk != 0; chunk = *(*uintptr)(unsafe.Pointer(chunk)) {
		m.persistent += m.readRange(chunk, persistentChunkSize)
	}
}

// readRange returns the number of bytes without pages of the n bytes at p. They
// are not in the heap, and are never unmapped. p may be 0.
func (m *memPages) readRange(p, n uintptr) (absent uint64) {
	if p == 0 {
		return 0
	}
	for p, end := alignUp(p, physPageSize), alignDown(p+n, physPageSize); p < end; p += pallocChunkBytes {
		if size := min(end-p, pallocChunkBytes); m.look(p, size) {
			absent += m.absentIn(p, p+size)
		}
	}
	return absent
}

// subtract sets the parts of u that depend on pages. No part exceeds its class.
// Memory of persistentalloc that was never touched is mostly the end of a
// chunk, which counts as Other, or free structures.
func (m *memPages) subtract(u *profilerecord.MemUsage) {
	u.Returned, u.Lazy = min(m.returned, u.Released), debug.madvdontneed == 0
	u.Absent = m.absent
	for _, c := range []struct{ absent, taken *uint64 }{
		{&u.Absent.Live, &u.Live},
		{&u.Absent.New, &u.New},
		{&u.Absent.Fragmented, &u.Fragmented},
		{&u.Absent.Free, &u.Free},
		{&u.Absent.Stacks, &u.Stacks},
		{&u.Absent.Other, &u.Other},
		{&u.Absent.MSpanFree, &u.MSpanFree},
		{&u.Absent.MCacheFree, &u.MCacheFree},
		{&u.Absent.Buckets, &u.Buckets},
		{&u.Absent.MetadataOther, &u.MetadataOther},
	} {
		*c.absent = min(*c.absent, *c.taken)
		switch c.taken {
		case &u.Other, &u.MSpanFree, &u.MCacheFree, &u.Buckets, &u.MetadataOther:
			rest := min(m.persistent, *c.taken-*c.absent)
			*c.absent += rest
			m.persistent -= rest
		}
	}
}
