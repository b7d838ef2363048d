// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Arrays of records that grow while they are used: nodes, and the runtime's
// allocation sites.
//
// An array consists of segments, each twice as long as the one before. A
// segment is added when its first record is taken, and never moves. Records are
// found by a hash of their keys. The low bits of the hash select one of many
// trees. In a tree, each record links to at most four others. A walk down the
// tree takes two more bits of the hash at each step. Nothing is moved or
// resized, and a link never changes once it is set. Therefore any P can add
// records with compare-and-swap, and no P waits.

package refs

import (
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// A Memory provides zeroed memory. Alloc returns 0 if there is none. The runtime
// takes it from the system, so the records must not have pointers.
type Memory interface {
	Alloc(n uintptr) uintptr
	Free(p, n uintptr)
}

const (
	segmentLen  = 1 << 11 // number of records of the first segment
	segmentsMax = 20

	headBits = 10
)

// An Array is an array of records.
type Array struct {
	Memory Memory
	n      atomic.Uint32 // number of records that are taken, with the numbers 0 to n-1
	size   uintptr       // size of a record, in bytes

	segments [segmentsMax]atomic.Uintptr
	heads    atomic.Uintptr // *heads
}

// heads has the number of the first record of each tree, or 0.
type heads struct {
	slots [1 << headBits]atomic.Uint32
}

// Links has the numbers of the four records that a record links to, or 0.
type Links [4]atomic.Uint32

// Make prepares the array for records of size bytes, and takes record 0, which
// has no key. It reports whether there is memory.
func (a *Array) Make(m Memory, size uintptr) bool {
	a.Memory, a.size = m, size
	a.heads.Store(m.Alloc(unsafe.Sizeof(heads{})))
	if a.heads.Load() == 0 {
		return false
	}
	_, ok := a.Add(1)
	return ok
}

// Free frees the memory of the array.
func (a *Array) Free() {
	for i := range a.segments {
		if p := a.segments[i].Swap(0); p != 0 {
			a.Memory.Free(p, a.segmentSize(i))
		}
	}
	a.n.Store(0)
	if p := a.heads.Swap(0); p != 0 {
		a.Memory.Free(p, unsafe.Sizeof(heads{}))
	}
}

// IsMade reports whether Make has found memory.
func (a *Array) IsMade() bool { return a.heads.Load() != 0 }

// Len returns the number of records that are taken.
func (a *Array) Len() uint32 { return a.n.Load() }

// segmentOf returns the segment of record n, and the index of the record in
// that segment.
func segmentOf(n uint32) (segment int, record uintptr) {
	segment = sys.Len64(uint64(n/segmentLen+1)) - 1
	return segment, uintptr(n - (1<<segment-1)*segmentLen)
}

// segmentSize returns the size in bytes of segment i.
func (a *Array) segmentSize(i int) uintptr { return segmentLen << i * a.size }

// At returns the address of the record with number n, which must be taken.
func (a *Array) At(n uint32) uintptr {
	segment, record := segmentOf(n)
	return a.segments[segment%segmentsMax].Load() + record*a.size
}

// Add takes the record with the next number, n. It takes none if that number is
// not below limit, or if there is no memory for the record. ok reports whether
// it took one.
func (a *Array) Add(limit uint32) (n uint32, ok bool) {
	for {
		n := a.n.Load()
		if n >= limit {
			return 0, false
		}
		if segment, _ := segmentOf(n); !a.makeSegment(segment) {
			return 0, false
		}
		if a.n.CompareAndSwap(n, n+1) {
			return n, true
		}
	}
}

// makeSegment makes segment i unless there is one, and reports whether there is
// one now.
func (a *Array) makeSegment(i int) bool {
	segment := &a.segments[i]
	if segment.Load() != 0 {
		return true
	}
	p := a.Memory.Alloc(a.segmentSize(i))
	if p == 0 {
		return segment.Load() != 0
	}
	if !segment.CompareAndSwap(0, p) {
		a.Memory.Free(p, a.segmentSize(i))
	}
	return true
}

// A Walk is a walk down the tree of a hash.
type Walk struct {
	slot uintptr // *atomic.Uint32: the link at which the walk is
	hash uint64  // bits of the hash that are left
}

// Walk begins a walk.
func (a *Array) Walk(hash uint64) Walk {
	h := (*heads)(unsafe.Pointer(a.heads.Load()))
	return Walk{uintptr(unsafe.Pointer(&h.slots[hash%(1<<headBits)])), hash >> headBits}
}

// Link returns the link at which the walk is: the number of a record, or 0.
func (w Walk) Link() *atomic.Uint32 { return (*atomic.Uint32)(unsafe.Pointer(w.slot)) }

// Down continues the walk at links, the links of the record to which w.Link
// links.
func (w Walk) Down(links *Links) Walk {
	return Walk{uintptr(unsafe.Pointer(&links[w.hash%4])), w.hash >> 2}
}
