// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has the pointer masks of types.

package core

import "internal/abi"

// mask returns the pointer mask of type t. It has a bit for each word of the
// first ptrBytes bytes of a value.
func (t *Type) mask() []byte {
	if !t.masked {
		t.masked = true
		at := t.p.word(t.addr + typeGCData)
		if t.flags&abi.TFlagGCMaskOnDemand != 0 {
			at = t.p.word(at)
		}
		if at != 0 {
			t.bits = t.p.bytes(at, (t.ptrBytes/wordSize+7)/8)
		}
		if t.bits == nil {
			t.bits = t.buildMask()
		}
	}
	return t.bits
}

// buildMask makes the mask from the fields and elements of t, as the runtime
// does for types whose mask is made on demand.
func (t *Type) buildMask() []byte {
	if t.ptrBytes > maxCopied*8*wordSize {
		return nil
	}
	mask := make([]byte, (t.ptrBytes/wordSize+7)/8)
	t.addMask(mask, 0, 0)
	return mask
}

// addMask sets the bits of a value of type t at an offset.
func (t *Type) addMask(mask []byte, off uint64, depth int) {
	set := func(at uint64) {
		if w := at / wordSize; w/8 < uint64(len(mask)) {
			mask[w/8] |= 1 << (w % 8)
		}
	}
	switch {
	case t.ptrBytes == 0 || depth > maxTypeDepth:
	case t.kind == abi.Struct:
		for _, f := range t.structFields() {
			f.typ.addMask(mask, off+f.off, depth+1)
		}
	case t.kind == abi.Array:
		if e := t.elemType(); e != nil && e.size != 0 {
			for i := range t.arrayLen() {
				if (off+i*e.size)/wordSize/8 >= uint64(len(mask)) {
					break
				}
				e.addMask(mask, off+i*e.size, depth+1)
			}
		}
	case t.kind == abi.Interface:
		set(off + wordSize) // the first word refers to a type, which need not be marked
	default:
		set(off)
	}
}
