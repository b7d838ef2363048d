// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// What the rules need to know of a process: its memory, its types and its
// functions. A process that records reads its own, and knows all layouts when
// it is compiled. A core file has those of a process that may have been built
// with another release.

package refs

import (
	"internal/abi"
	"internal/goarch"
	"internal/runtime/gc"
)

// A Heap is the memory of a process. Its methods take and return no pointers
// but those to types, so that calling them allocates nothing. A pointer to a
// type may be wrong until IsType has checked it.
type Heap interface {
	// Word returns the word at p. If the recorder has the right type, the
	// words at p and near belong to the same value. If not, p may be at
	// memory that cannot be read, and the result is 0.
	Word(p, near uintptr) uintptr

	// Byte returns the byte at p, which is in an object.
	Byte(p uintptr) uint8

	// IsReadable reports whether the n bytes at p can be read, which may be
	// part of a type or a dictionary.
	IsReadable(p, n uintptr) bool

	// TypeIn returns the type to which a word refers, and ItabTypeIn the
	// type in the itab to which it refers. They return nil if the word does
	// not refer to one.
	TypeIn(word uintptr) *abi.Type
	ItabTypeIn(word uintptr) *abi.Type

	// IsType reports whether t may be read as a type.
	IsType(t *abi.Type) bool

	// IsModuleType reports whether t is a type in a module, and not one
	// that package reflect has made. Only such a type has a Name, as package
	// reflect writes it, and a PkgPath.
	IsModuleType(t *abi.Type) bool
	Name(t *abi.Type) string
	PkgPath(t *abi.Type) string

	// LargeType returns the type in the span of the large object at base. It
	// returns nil if there is none, or if IsType is false for it.
	LargeType(base uintptr) *abi.Type

	// PointerBits returns a bit for each word of the object at base, which
	// has no allocation header: whether it is a pointer.
	PointerBits(base uintptr) uint64

	// Padded returns how many bytes an allocation of n bytes takes if there
	// are red zones.
	Padded(n uintptr) uintptr

	// IsEntry reports whether a function starts at pc.
	IsEntry(pc uintptr) bool

	// Captured returns the variable at a position in closures of the
	// function at pc. Local returns the variable at a position in a frame.
	// The parameter user is that of the Edge, frame is that of the Frame,
	// and place and pos are as in Reaches.
	Captured(user, pc, pos uintptr) (v Variable, ok bool)
	Local(user, frame uintptr, place uint8, pos uintptr) (v Variable, ok bool)

	// CallAt returns call i of those at a return PC: its own return PC, or 0
	// if there is none, and its function. Call 0 is the outermost one, and
	// the others are inlined.
	CallAt(pc uintptr, i int) (own uintptr, function string)
}

// A Layout has offsets in the objects that maps, map iterators and channels
// consist of, the sizes of these objects, and sizes of the heap. Maps, tables of
// maps, and channels begin with the number of their entries: 8 bytes, 2 bytes,
// and a word.
type Layout struct {
	MapSize     uintptr
	MapDir      uintptr
	MapDirLen   uintptr
	TableSize   uintptr
	TableGroups uintptr

	IterKey   uintptr
	IterElem  uintptr
	IterType  uintptr
	IterMap   uintptr
	IterTable uintptr

	ChanSize      uintptr
	ChanBuffer    uintptr
	ChanReceivers uintptr
	ChanSenders   uintptr

	MaxHeaderless uintptr // size up to which objects have no allocation header
	TinySize      uintptr // size of blocks of tiny objects
	RedZones      bool    // objects have the address sanitizer's red zones behind them
}

// Known has the addresses of types that the rules mention, or 0 for those that
// a core file does not have.
type Known struct {
	Byte      uintptr
	Iter      uintptr // internal/runtime/maps.Iter
	Defer     uintptr // runtime._defer
	Sudog     uintptr // runtime.sudog
	TimeTimer uintptr // runtime.timeTimer, which begins with a time.Timer or a time.Ticker
	Timer     uintptr // runtime.timer

	G, M, PaddedM, P uintptr // runtime.g, m, mPadded and p
}

// An Edge is a reference that is being followed.
type Edge struct {
	From uint32  // node of the object or variable that has it; 0 for a word of a stack
	Off  uintptr // offset of the word in the object or variable, folded by the node's stride
	Slot uintptr // address of the word; the word may change
	Val  uintptr // the word, as it was read
	User uintptr // what the user of this package needs in Captured and Local
}

// A Target is the object to which a reference leads.
type Target struct {
	Base  uintptr // address of the slot in the span
	Data  uintptr // address of the value, which may be behind an allocation header
	Size  uintptr // size of the slot, in bytes
	Class uint8   // span class: the size class, or 0 if the object is large, and a bit that is set if it has no pointers
	Hint
}

// noscan reports whether o has no pointers.
func (o *Target) noscan() bool { return o.Class&1 != 0 }

// A Hint says on which word the result of resolving a reference depends. The
// runtime keeps results for references that resolve alike; a reader of a core
// file ignores hints. Such a result also depends on the node and the offset of
// the reference, and on the class and the allocation header of its target.
type Hint struct {
	Check  Check
	Stride uint32  // for CheckSlice: size of an element, in bytes; for CheckTypeless: see Infers
	Seen   uintptr // the word that Check names, or 0 or 1 if Check asks a question
	Extent Extent  // which bytes the reference refers to
}

// A Check says which further word decides how a reference resolves.
type Check uint8

const (
	CheckNone     Check = iota // no word decides
	CheckIface                 // the type in the interface
	CheckFunc                  // the closure's program counter
	CheckSlice                 // whether the slice's capacity fits the object
	CheckDirLen                // whether the map has a directory
	CheckBits                  // in which words of the object pointers are
	CheckTypeless              // no word decides; if types are inferred, as CheckBits
	CheckNever                 // other words decide, so that no result is kept
)

// Fits reports whether an allocation of n bytes, with the given number of bytes
// before its value, would have a slot of size bytes in a span of the class.
func Fits(n, header, size uintptr, class uint8) bool {
	n += header
	if c := class >> 1; c != 0 {
		return n <= size && n > uintptr(gc.SizeClassToSize[c-1])
	}
	return n <= size && size-n < pageSize
}

const pageSize = 8 << 10

// fits reports whether an allocation of n bytes would have o's size.
func (ps *Paths) fits(o *Target, n uintptr) bool {
	if ps.Layout.RedZones {
		n = ps.Heap.Padded(n)
	}
	return Fits(n, o.Data-o.Base, o.Size, o.Class)
}

// fitsRow reports whether an allocation of n bytes times a power of two would
// have o's size.
func (ps *Paths) fitsRow(o *Target, n uintptr) bool {
	for ; n != 0 && n <= o.Size; n *= 2 {
		if ps.fits(o, n) {
			return true
		}
	}
	return false
}

// Header returns the type in o's allocation header or, if o is large, in its
// span. It returns nil if there is none. If o is an array, this is the type of
// its elements.
//
//go:nowritebarrierrec
func (ps *Paths) Header(o *Target) *abi.Type {
	if o.noscan() || o.Size <= ps.Layout.MaxHeaderless {
		return nil
	}
	var t *abi.Type
	if o.Class>>1 != 0 {
		t = ps.Heap.TypeIn(ps.Heap.Word(o.Base, o.Base))
	} else {
		t = ps.Heap.LargeType(o.Base)
	}
	if t == nil || t.Size_ == 0 || t.PtrBytes == 0 {
		return nil
	}
	return t
}

const ptrSize = goarch.PtrSize
