// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds the pointers of objects, by bitmaps and types.

package core

import (
	"encoding/binary"
	"internal/profilerecord"
	"math/bits"
)

// smallBits returns the bitmap of an object without header.
func (o *object) smallBits() uint64 {
	if o.s.bitmap == nil {
		return 0
	}
	n := o.s.slotSize / wordSize
	from := o.index * n
	i, shift := from/64*8, from%64
	word := func(i uint64) uint64 {
		if i+8 > uint64(len(o.s.bitmap)) {
			return 0
		}
		return binary.LittleEndian.Uint64(o.s.bitmap[i:])
	}
	b := word(i) >> shift
	if shift+n > 64 {
		b |= word(i+8) << (64 - shift)
	}
	if n < 64 {
		b &= 1<<n - 1
	}
	return b
}

// pointers calls do with each word of o that is not 0 and that the collector
// takes for a pointer.
func (p *process) pointers(o *object, do func(at, pointer uint64)) {
	s := o.s
	if s.noscan && !s.userArena {
		return
	}
	mem := p.at(o.base)
	visit := func(off uint64) {
		v := uint64(0)
		if off+wordSize <= uint64(len(mem)) {
			v = binary.LittleEndian.Uint64(mem[off:])
		} else {
			v = p.word(o.base + off)
		}
		if v != 0 {
			do(o.base+off, v)
		}
	}
	if s.userArena {
		for w := range s.slotSize / wordSize {
			if bit(s.bitmap, w) {
				visit(w * wordSize)
			}
		}
		return
	}
	if s.slotSize <= p.off(profilerecord.CoreMaxHeaderless) {
		for b := o.smallBits(); b != 0; b &= b - 1 {
			visit(uint64(bits.TrailingZeros64(b)) * wordSize)
		}
		return
	}
	t := p.header(o)
	if t == nil {
		return
	}
	mask := t.mask()
	for elem := s.header; elem < s.slotSize; elem += t.size {
		for w, end := uint64(0), min(t.ptrBytes, s.slotSize-elem)/wordSize; w < end; w++ {
			if w%8 == 0 && w/8 < uint64(len(mask)) && mask[w/8] == 0 {
				w += 7
				continue
			}
			if bit(mask, w) {
				visit(elem + w*wordSize)
			}
		}
	}
}
