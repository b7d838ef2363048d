// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes a heap graph. Each kind of section has a buffer of its own,
// because records of several kinds come in turns. A buffer is written as a
// section when it is full. REFS and CLAIMS have none: a batch is a section.

package heapgraph

import (
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
)

// flushSize is the length of a payload from which on it is written.
const flushSize = 256 << 10

// A Writer writes a heap graph. Its methods return no errors, except for
// [Writer.Close]: after an error, they do nothing. A Writer is used by one
// goroutine at a time.
type Writer struct {
	w   io.Writer
	err error

	payloads [numKinds]payload
	counts   Counts
	sections uint64 // that were written
	size     int64  // bytes that were written

	strings map[string]uint64
	deflate *flate.Writer
	packed  packed
	order   []Pair // space of sort
}

// A payload is the payload of a section that is not written yet, and what
// distances of its next record count from.
type payload struct {
	b            []byte
	addr, target uint64
}

// NewWriter returns a Writer that writes a heap graph to w.
func NewWriter(w io.Writer) *Writer {
	return &Writer{w: w, strings: make(map[string]uint64)}
}

// Err returns the first error.
func (w *Writer) Err() error { return w.err }

// Size returns the number of bytes that have been written to the underlying
// writer.
func (w *Writer) Size() int64 { return w.size }

// Close writes what is not written yet, and END. It does not close the
// underlying writer. It returns the first error of the Writer.
func (w *Writer) Close() error {
	for k := KindMeta; int(k) < numKinds; k++ {
		w.flush(k)
	}
	if w.sections == 0 {
		w.write(KindMeta, nil)
	}
	end := binary.AppendUvarint(nil, w.sections)
	for _, n := range w.counts[1:] {
		end = binary.AppendUvarint(end, n)
	}
	w.write(KindEnd, end)
	if w.err != nil {
		return w.err
	}
	w.err = errors.New("heapgraph: Writer is closed")
	return nil
}

// begin counts a record of kind k and returns the payload to append it to.
func (w *Writer) begin(k Kind) *payload {
	w.counts[k]++
	return &w.payloads[k]
}

// end ends a record. It writes the payload as a section if it is long enough.
func (w *Writer) end(k Kind) {
	if len(w.payloads[k].b) >= flushSize {
		w.flush(k)
	}
}

// flush writes the payload of kind k as a section, if there is one.
func (w *Writer) flush(k Kind) {
	p := &w.payloads[k]
	if len(p.b) == 0 {
		return
	}
	if w.sections == 0 && k != KindMeta {
		// META is first, although it may be empty.
		w.write(KindMeta, w.payloads[KindMeta].b)
		w.payloads[KindMeta].reset()
	}
	w.write(k, p.b)
	p.reset()
}

func (p *payload) reset() { *p = payload{b: p.b[:0]} }

// write writes a section.
func (w *Writer) write(k Kind, b []byte) {
	if w.sections == 0 {
		w.writeBytes([]byte(Magic))
	}
	if len(b) > MaxPayload && w.err == nil {
		w.err = sectionError(int(w.sections), k, "a record is too long")
	}
	if w.err != nil {
		return
	}
	stored := w.pack(b)
	h := header{kind: k, length: uint32(len(b)), stored: uint32(len(stored))}
	var hb [headerSize]byte
	h.encode(&hb, stored)
	w.writeBytes(hb[:])
	w.writeBytes(stored)
	w.sections++
}

// writeBytes writes to the underlying writer.
func (w *Writer) writeBytes(b []byte) {
	if w.err != nil {
		return
	}
	n, err := w.w.Write(b)
	w.size += int64(n)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	w.err = err
}

// packed is what a deflated payload is written to. It has no more space than
// the payload has bytes.
type packed struct{ b []byte }

var errNotShorter = errors.New("heapgraph: payload is not shorter when deflated")

func (p *packed) Write(b []byte) (int, error) {
	if len(p.b)+len(b) >= cap(p.b) {
		return 0, errNotShorter
	}
	p.b = append(p.b, b...)
	return len(b), nil
}

// pack returns the payload b deflated, or b if that is not longer.
func (w *Writer) pack(b []byte) []byte {
	if cap(w.packed.b) < len(b) {
		w.packed.b = make([]byte, 0, max(len(b), flushSize+flushSize/4))
	}
	w.packed.b = w.packed.b[:0:len(b)]
	defer func() { w.packed.b = w.packed.b[:0] }()
	if w.deflate == nil {
		// The level is one that exists.
		w.deflate, _ = flate.NewWriter(&w.packed, level)
	} else {
		w.deflate.Reset(&w.packed)
	}
	if _, err := w.deflate.Write(b); err != nil {
		return b
	}
	if err := w.deflate.Close(); err != nil {
		return b
	}
	return w.packed.b
}
