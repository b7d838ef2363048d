// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package vartable defines the format of two tables in executables that name
// variables: the linker's table of globals and the compiler's frame variables.
// The refs profile of package runtime/pprof names variables by these tables.
//
// cmd/compile and cmd/link encode the tables, and the runtime and
// cmd/heapgraph, which reads core files, decode them. All of them do so by this
// package; no other code knows the layout.
//
// The decoders take any bytes. They read only the bytes that they are given,
// and do not panic. The runtime calls them on the system stack while it marks,
// where nothing may allocate or have a write barrier. Therefore a decoder
// writes offsets and numbers to memory, and never a pointer.
//
// A varint is unsigned, has at most 32 bits, and consists of groups of 7 bits,
// the lowest first, as package encoding/binary writes it.
package vartable

import "internal/goarch"

// appendUvarint appends a varint to b.
func appendUvarint(b []byte, v uint32) []byte {
	for ; v >= 0x80; v >>= 7 {
		b = append(b, byte(v)|0x80)
	}
	return append(b, byte(v))
}

// uvarint decodes the varint in b at the given offset, and returns its value
// and the offset behind it. If there is no varint, it returns 0 and an offset
// behind b.
func uvarint(b []byte, at int) (v uint32, next int) {
	for shift := 0; shift < 32 && uint(at) < uint(len(b)); shift += 7 {
		c := b[at]
		at++
		v |= uint32(c&0x7f) << shift
		if c < 0x80 {
			return v, at
		}
	}
	return 0, len(b) + 1
}

// native returns the number in the first 4 bytes of b, which are in the byte
// order of the machine.
func native(b []byte) uint32 {
	if goarch.BigEndian {
		return uint32(b[3]) | uint32(b[2])<<8 | uint32(b[1])<<16 | uint32(b[0])<<24
	}
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}
