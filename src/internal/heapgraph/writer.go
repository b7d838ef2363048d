// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes a heap graph. Each kind of section has a buffer of its own,
// because records of several kinds come in turns. A buffer is written as a
// section when it is full. Records of REFS and CLAIMS are not collected: each
// batch becomes one or more sections.

package heapgraph

import (
	"encoding/binary"
	"errors"
	"io"
)

// A Writer writes a heap graph. Its methods return no errors, except for
// [Writer.Err] and [Writer.Close]. After an error, they write nothing. A Writer
// is used by one goroutine at a time, apart from [Writer.Run].
type Writer struct {
	out   output
	queue *queue // nil if sections are written at once
	err   error  // not of out

	payloads [numKinds]payload
	owners   payload // of OWNERS, which is not counted
	sums     payload // of SUMS, which is not counted
	creators payload // of CREATORS, which is not counted
	hulls    payload // of HULLS, which is not counted
	waits    payload // of WAITS, which is not counted
	counts   Counts
	sections uint64 // number of sections that were written or queued

	strings map[string]uint64
	order   []Pair // scratch space of sortPairs
	alloc   func(bytes int) []byte
}

// A payload is the payload of a section that is not written yet. Distances in
// its next record count from addr and target.
type payload struct {
	b            []byte
	addr, target uint64
}

// NewWriter returns a Writer that writes a heap graph to w.
func NewWriter(w io.Writer) *Writer {
	gw := &Writer{out: output{w: w}, strings: make(map[string]uint64)}
	gw.Alloc(func(n int) []byte { return make([]byte, n) })
	return gw
}

// Alloc makes the Writer take memory from alloc for sorting, for payloads of
// REFS and CLAIMS, and for payloads that are deflated or queued. Memory from
// alloc has no pointers, and the Writer does not free it. If sections are
// queued, two goroutines may call alloc at the same time. Alloc must be called
// before any other method.
func (w *Writer) Alloc(alloc func(bytes int) []byte) { w.alloc, w.out.alloc = alloc, alloc }

// Err returns the error that made the Writer stop writing, or nil.
func (w *Writer) Err() error {
	switch {
	case w.err != nil:
		return w.err
	case w.queue != nil:
		return w.queue.error()
	}
	return w.out.err
}

// Size returns the number of bytes that have been written to the underlying
// writer. If sections are queued, Size must not be called before Close.
func (w *Writer) Size() int64 { return w.out.size }

// Close writes the rest of the sections, and END. It does not close the
// underlying writer. It returns the error of the Writer, as Err does.
func (w *Writer) Close() error {
	for k := KindMeta; int(k) < numKinds; k++ {
		w.flush(k)
	}
	w.flushOwners()
	w.flushPayload(KindSums, &w.sums)
	w.flushPayload(KindCreators, &w.creators)
	w.flushPayload(KindHulls, &w.hulls)
	w.flushPayload(KindWaits, &w.waits)
	if w.sections == 0 {
		w.write(KindMeta, nil)
	}
	end := binary.AppendUvarint(nil, w.sections)
	for _, n := range w.counts[1:] {
		end = binary.AppendUvarint(end, n)
	}
	w.write(KindEnd, end)
	if w.queue != nil {
		w.queue.close()
	}
	if err := w.Err(); err != nil {
		return err
	}
	w.err = errors.New("heapgraph: Writer is closed")
	return nil
}

// errAborted is the error of a Writer that has been aborted.
var errAborted = errors.New("heapgraph: Writer is aborted")

// Abort ends a Writer that is not closed, without END. Sections that are queued
// are not written. It has no effect on a Writer that is closed.
func (w *Writer) Abort() {
	if w.err == nil {
		w.err = errAborted
	}
	if w.queue != nil {
		w.queue.abort()
	}
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

// flush writes the payload of kind k as a section, unless the payload is empty.
func (w *Writer) flush(k Kind) { w.flushPayload(k, &w.payloads[k]) }

func (w *Writer) flushOwners() { w.flushPayload(KindOwners, &w.owners) }

func (w *Writer) flushPayload(k Kind, p *payload) {
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

// write writes a section, or queues it.
func (w *Writer) write(k Kind, b []byte) {
	if len(b) > MaxPayload && w.err == nil {
		w.err = sectionError(int(w.sections), k, "a record is too long")
	}
	if w.err != nil {
		return
	}
	w.sections++
	if w.queue != nil {
		w.queue.add(k, b)
		return
	}
	w.out.write(k, b)
}
