// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Refs: the log of all references of a recording, from which runtime/pprof
// makes the heap graph. runtime/mrefslog.go writes the log while the collector
// marks, and runtime/pprof/heapgraph.go reads it.

package profilerecord

// A RefsGraph is the part of a recording of the heap graph that is not in the
// log of references.
//
// Addresses are in words of the pointer size, counted from the lowest arena of
// the heap when the recording began. An arena that was mapped later may be
// below it. On 64-bit systems, the addresses there are negative numbers modulo
// 1<<64.
type RefsGraph struct {
	Refs  *RefsProfile // Nodes is indexed by the numbers of nodes in the log
	Spans []RefsGraphSpan
	Hulls []RefsGraphHull

	MainPath string // path of the main package, or ""

	Objects          int64 // number of objects that the cycle marked
	AllocatedObjects int64 // number of these that were allocated while marking, and not claimed
	AllocatedBytes   int64

	Dropped uint64 // number of references that were not logged, because of the log's limit or for want of memory
	Lost    uint64 // number of claims that were not logged, for the same reasons
}

// A RefsGraphSpan is a span with objects of one size.
type RefsGraphSpan struct {
	Base   uint64 // address
	Slots  uint32
	Size   uint64 // size of a slot, in bytes
	Header uint32 // bytes of a slot before its value
}

// A RefsGraphHull says which part of an object references refer to. An object
// that has none is used as a whole, or is too small for a hull.
type RefsGraphHull struct {
	Object     uint64 // address
	First, End uint64 // distances in bytes of the first byte, and of the one behind the last, from the beginning of the slot
}

// A RefsLogKind is the kind of the records of a chunk of the log. In a chunk of
// kind RefsLogOther, each record has a kind of its own.
type RefsLogKind uint8

const (
	// RefsLogReference is the kind of references in objects. A record is
	// two numbers: the address of the word that has the reference, and the
	// address of the object to which it refers.
	RefsLogReference RefsLogKind = iota

	// RefsLogClaim is the kind of claims. A record is two numbers: the
	// address of the object, and the number of its node.
	RefsLogClaim

	// RefsLogOther is the kind of records of four words, of which the first
	// is one of the kinds below. The comments name the other three words.
	RefsLogOther

	RefsLogRoot      // ID of the goroutine or 0, node, address of the target
	RefsLogSpecial   // address of the object that has the special, node, address of the target
	RefsLogOwned     // address of the word that has the reference, or of the object that has the special; node, address of the target (see OWNERS in internal/heapgraph)
	RefsLogLone      // address of an object that is in none of Spans, size of its slot in bytes, bytes of the slot before the value
	RefsLogGoroutine // ID; PC of its function; a RefsLogState
	RefsLogWait      // ID of a goroutine, for how many minutes it has waited, 1 if in a system call
)

// A RefsLogState describes a goroutine in one word.
type RefsLogState uint64

// NewRefsLogState returns the state of a goroutine. creator is the PC to which
// the go statement that started it returned, or 0, and wait is the reason for
// which it waits or last waited. system is set if it is the runtime's own.
func NewRefsLogState(creator uintptr, wait uint8, system bool) RefsLogState {
	s := RefsLogState(creator)<<9 | RefsLogState(wait)<<1
	if system {
		s |= 1
	}
	return s
}

// Creator returns the creator.
func (s RefsLogState) Creator() uintptr { return uintptr(s >> 9) }

// Wait returns the number of the reason for which the goroutine waits.
func (s RefsLogState) Wait() uint64 { return uint64(s>>1) & 0xff }

// System reports whether the goroutine is the runtime's own.
func (s RefsLogState) System() bool { return s&1 != 0 }

// RefsLogLong is the upper half of the first word of a record of kind
// RefsLogReference or RefsLogClaim if the next two words are the two numbers of
// the record. All other records of these kinds are one word, whose halves are
// the two numbers, the first in the upper half.
const RefsLogLong = 1<<32 - 1

// RefsLogPair returns the first record of the words of a chunk of kind
// RefsLogReference or RefsLogClaim, and the words after it.
func RefsLogPair(words []uint64) (a, b uint64, rest []uint64) {
	if a, b = words[0]>>32, words[0]&RefsLogLong; a == RefsLogLong {
		return words[1], words[2], words[3:]
	}
	return a, b, words[1:]
}
