// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds how many bytes of an object a collection scans, as the
// runtime does (runtime/mrefsscanwork.go).

package core

import (
	"internal/profilerecord"
	"math/bits"
)

// oblet is the size of the parts in which a collection scans large objects.
const oblet = 128 << 10

// scanWork returns how many bytes of o a collection scans: of each oblet, those
// up to the end of the last word that it takes for a pointer.
func (p *process) scanWork(o *object) (n uint64) {
	s := o.s
	switch {
	case s.noscan && !s.userArena:
		return 0
	case s.slotSize <= p.off(profilerecord.CoreMaxHeaderless) && !s.userArena:
		return uint64(bits.Len64(o.smallBits())) * wordSize
	}
	isPointer, size, ptrBytes := func(w uint64) bool { return bit(s.bitmap, w) }, s.slotSize, s.slotSize
	if !s.userArena {
		t := p.header(o)
		if t == nil {
			return 0
		}
		mask := t.mask()
		isPointer, size, ptrBytes = func(w uint64) bool { return bit(mask, w) }, t.size, t.ptrBytes
	}
	for from := uint64(0); from < s.slotSize; from += oblet {
		n += lastPointer(s.header, size, ptrBytes, from, min(from+oblet, s.slotSize), isPointer)
	}
	return n
}

// lastPointer returns the distance from the offset from to the end of the last
// word in [from, end) that isPointer says is a pointer, or 0. The elements of
// the object begin at the offset first. They have a size, and pointers in their
// first ptrBytes bytes.
func lastPointer(first, size, ptrBytes, from, end uint64, isPointer func(word uint64) bool) uint64 {
	if size == 0 || end <= first {
		return 0
	}
	for elem := first + (end-1-first)/size*size; elem+ptrBytes > from; elem -= size {
		for w := min(ptrBytes, end-elem) / wordSize; w > 0 && elem+w*wordSize > from; w-- {
			if isPointer(w - 1) {
				return elem + w*wordSize - from
			}
		}
		if elem < first+size {
			break
		}
	}
	return 0
}
