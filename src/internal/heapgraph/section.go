// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has the header of a section, the usual length of payloads, and
// errors.

package heapgraph

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

const headerSize = 13

// A header is the header of a section.
type header struct {
	kind   Kind
	length uint32 // length of the payload
	stored uint32 // length of the payload in the file
	sum    uint32
}

// encode sets the checksum of the section in h, and writes h into b. stored is
// the payload as it is in the file.
func (h *header) encode(b *[headerSize]byte, stored []byte) {
	b[0] = byte(h.kind)
	binary.LittleEndian.PutUint32(b[1:], h.length)
	binary.LittleEndian.PutUint32(b[5:], h.stored)
	h.sum = checksum(b, stored)
	binary.LittleEndian.PutUint32(b[9:], h.sum)
}

// decode reads h from b. It reports whether the kind and the lengths are valid.
func (h *header) decode(b *[headerSize]byte) bool {
	h.kind = Kind(b[0])
	h.length = binary.LittleEndian.Uint32(b[1:])
	h.stored = binary.LittleEndian.Uint32(b[5:])
	h.sum = binary.LittleEndian.Uint32(b[9:])
	return h.kind.known() && h.length <= MaxPayload && h.stored <= h.length
}

// known reports whether readers accept sections of the kind.
func (k Kind) known() bool {
	return k > 0 && int(k) < numKinds || k == KindEnd || k >= firstOptional
}

// checksum returns the checksum of a section.
func checksum(b *[headerSize]byte, stored []byte) uint32 {
	t := crc32.MakeTable(crc32.Castagnoli)
	return crc32.Update(crc32.Checksum(b[:9], t), t, stored)
}

// flushSize is the length, in bytes, from which on the Writer writes a payload
// that collects records.
const flushSize = 256 << 10

// ErrIncomplete is the error of a file that ends before its END. The part that
// the file has is not damaged.
var ErrIncomplete = errors.New("heapgraph: file is incomplete: it has no END")

// sectionError returns the error of a section.
func sectionError(index int, kind Kind, text string) error {
	return fmt.Errorf("heapgraph: section %d (%s): %s", index, kind, text)
}
