// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Refs: the log of all references of a recording, from which runtime/pprof
// makes the heap graph. runtime/mrefslog.go writes the log while it marks, and
// runtime/pprof/heapgraph.go reads it.

package profilerecord

// A RefsGraph is the part of a recording of the heap graph that the log of
// references does not have.
//
// Addresses are in words of the pointer size, counted from the lowest arena of
// the heap. They are modulo 1<<64, because an arena that was mapped meanwhile
// may be below it.
type RefsGraph struct {
	Refs  *RefsProfile // Nodes is indexed by the numbers of nodes in the log
	Spans []RefsGraphSpan

	MainPath string // path of the main package, or ""

	Objects          int64 // that the cycle marked
	AllocatedObjects int64 // of Objects: allocated while marking, and not claimed
	AllocatedBytes   int64

	Dropped uint64 // references that were not logged for want of memory
	Lost    uint64 // claims that were not logged for want of memory
}

// A RefsGraphSpan is a span with objects of one size.
type RefsGraphSpan struct {
	Base   uint64 // address
	Slots  uint32
	Size   uint64 // of a slot, in bytes
	Header uint32 // bytes of a slot before its value
}

// A RefsLogKind says which records a chunk of the log has, and which record
// of a chunk of kind RefsLogOther follows.
type RefsLogKind uint8

const (
	// RefsLogReference is references in objects. A record is two numbers:
	// the address of the word that has the reference, and the address of
	// the object that it refers to.
	RefsLogReference RefsLogKind = iota

	// RefsLogClaim is claims. A record is two numbers: the address of the
	// object, and the number of its node.
	RefsLogClaim

	// RefsLogOther is records of four words, of which the first is one of
	// the kinds that follow.
	RefsLogOther

	RefsLogRoot      // ID of the goroutine or 0, node, address of the target
	RefsLogSpecial   // address of the object that has the special, node, address of the target
	RefsLogLone      // address of an object that is in none of Spans, size of its slot in bytes, bytes of the slot before the value
	RefsLogGoroutine // ID, PC of its function, and the reason for which it waits, shifted left by one bit, of which the lowest bit is set if the goroutine is the runtime's own
)

// RefsLogLong, in the upper half of a word of RefsLogReference or RefsLogClaim,
// says that the next two words are the two numbers of the record. Otherwise the
// numbers are less, and are the halves of the word, the first above the second.
const RefsLogLong = 1<<32 - 1

// RefsLogPair returns the first record of the words of a chunk of kind
// RefsLogReference or RefsLogClaim, and the words after it.
func RefsLogPair(words []uint64) (a, b uint64, rest []uint64) {
	if a, b = words[0]>>32, words[0]&RefsLogLong; a == RefsLogLong {
		return words[1], words[2], words[3:]
	}
	return a, b, words[1:]
}
