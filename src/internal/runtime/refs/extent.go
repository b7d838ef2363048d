// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Which bytes of an object its references refer to. The rest is unused, because
// the program cannot reach it: a name cut from a long text uses the bytes of the
// name.
//
// The extent of a reference is what its type says that it refers to: for *T the
// size of T, for a slice or a string its length. A reference that does not say
// so, such as a func, an unsafe.Pointer or a register, refers to the whole
// object. Entries of maps and channels count as if they stood at the beginning:
// a map that had 500,000 entries and has 10 uses the bytes of 10.
//
// The used bytes of an object of more than MinHull bytes are the hull of the
// extents of all its references, whichever comes first. A smaller object has
// those of the reference that claims it, because a hull for each would take as
// much memory as the object's word.
//
// A word that may be no pointer, or whose type nobody knows, counts only if
// nothing else refers to the object. Such words are in the registers of a
// preempted goroutine, where a collection has left a dozen pointers of its work
// queue, and in the runtime's frames of a goroutine that waits for a channel.

package refs

import "internal/goarch"

// MinHull is the size in bytes up to which objects have no hull.
const MinHull = 512

// An Extent says how many bytes behind its pointer a reference refers to.
type Extent struct {
	Form ExtentForm
	Unit uintptr // size in bytes of the value, or of an element
}

type ExtentForm uint8

const (
	ExtentWhole    ExtentForm = iota // the whole object
	ExtentDoubtful                   // the whole object, if nothing else refers to it
	ExtentOne                        // one value
	ExtentChan                       // a channel, with as many elements as it says
	ExtentMany                       // as many elements as the word behind the pointer says
	ExtentGroup                      // as many entries as the map says that has the pointer to its only group
	ExtentTable                      // as many entries as the table of a map says that has the pointer
	ExtentBuffer                     // as many elements as the channel says that has the pointer
)

// Extends reports whether the reference extends the hull of an object.
func (x Extent) Extends() bool { return x.Form != ExtentDoubtful }

// Bounds are offsets in the slot of an object: those of the first byte to which
// a reference refers, and of the byte behind the last one. They are equal if
// there is no such byte.
type Bounds struct{ First, End uintptr }

// Len returns the number of bytes.
func (b Bounds) Len() uintptr { return b.End - b.First }

// HasBounds reports whether a reference to an object of size bytes counts with
// its bounds, and not as one to the whole object. A small object does not
// remember the bounds of a reference that holds it back, so none that is not
// exact counts there.
func HasBounds(exact bool, size uintptr) bool { return exact || size > MinHull }

// BoundsOf returns the bounds of a reference in the word at slot, which has been
// read as val. whole are those of the whole object.
//
//go:nowritebarrierrec
func (ps *Paths) BoundsOf(x Extent, slot, val uintptr, o *Target, whole Bounds) Bounds {
	n := x.Unit
	if x.Form <= ExtentDoubtful || slot == 0 && x.Form >= ExtentMany {
		return whole
	}
	if x.Form != ExtentOne {
		n = ps.Counted(x, slot, o.Base, whole.End)
	}
	first := max(val-o.Base, whole.First)
	return Bounds{min(first, whole.End), min(first+n, whole.End)}
}

// Counted returns the number of bytes to which a reference in the word at slot
// refers, if a count somewhere decides it. base is that of the target. The
// result is most if the count is too large, because it is that of another value
// by now.
//
//go:nowritebarrierrec
func (ps *Paths) Counted(x Extent, slot, base, most uintptr) uintptr {
	l, n, fixed := &ps.Layout, uintptr(0), uintptr(0)
	switch x.Form {
	case ExtentMany:
		n = ps.Heap.Word(slot+ptrSize, slot)
	case ExtentGroup:
		n = ps.low(slot-l.MapDir, slot, 8)
	case ExtentTable:
		n = ps.low(slot-l.TableGroups, slot, 2)
	case ExtentBuffer:
		n = ps.Heap.Word(slot-l.ChanBuffer, slot)
	case ExtentChan:
		n, fixed = ps.Heap.Word(base, base), l.ChanSize
	}
	if x.Unit != 0 && n > most/x.Unit {
		return most
	}
	return fixed + n*x.Unit
}

// low returns the low word of the number of size bytes at p, which is aligned to
// a word.
//
//go:nowritebarrierrec
func (ps *Paths) low(p, near, size uintptr) uintptr {
	switch {
	case size > ptrSize && goarch.BigEndian:
		p += size - ptrSize
	case size < ptrSize && goarch.BigEndian:
		return ps.Heap.Word(p, near) >> (8 * (ptrSize - size))
	}
	return ps.Heap.Word(p, near) & (1<<(8*size) - 1)
}

// Whole returns the bounds of all that references can refer to. If the type of
// o's elements is known, this ends with the last element.
//
//go:nowritebarrierrec
func (ps *Paths) Whole(o *Target) Bounds {
	b := Bounds{o.Data - o.Base, o.Size}
	if h := ps.Header(o); h != nil {
		b.End = b.First + b.Len()/h.Size_*h.Size_
	}
	return b
}

// A Hull has the bounds of all references to an object so far. 0 stands for no
// reference. Counted is a flag: the unused bytes are counted at the object's
// node, so whoever extends the hull has to count again.
type Hull uint64

const (
	Counted Hull = 1 << 63

	hullBits  = 31
	hullMax   = 1<<hullBits - 1
	hullEmpty = Hull(hullMax << 32) // references to no byte
)

// hullShift returns the binary logarithm of the unit of bounds in an object of
// size bytes. Objects of less than 2 GiB have bounds in bytes.
func hullShift(size uintptr) (shift uint) {
	for uint64(size)>>shift > hullMax {
		shift++
	}
	return shift
}

// With returns h extended by b. size is that of the object.
func (h Hull) With(b Bounds, size uintptr) Hull {
	add := hullEmpty
	if b.First < b.End {
		shift := hullShift(size)
		unit := uint64(1)<<shift - 1
		add = Hull(uint64(b.First)>>shift<<32 | (uint64(b.End)+unit)>>shift)
	}
	flag := h & Counted
	if h &^= Counted; h == 0 {
		return add | flag
	}
	return min(h>>32, add>>32)<<32 | max(h&hullMax, add&hullMax) | flag
}

// Used returns the number of bytes in h, which is not 0.
func (h Hull) Used(size uintptr) uintptr { return h.Bounds(size).Len() }

// Bounds returns the bounds in h, which is not 0.
func (h Hull) Bounds(size uintptr) Bounds {
	h &^= Counted
	first, end := h>>32, h&hullMax
	if first >= end {
		return Bounds{}
	}
	shift := hullShift(size)
	return Bounds{uintptr(first) << shift, min(uintptr(end)<<shift, size)}
}
