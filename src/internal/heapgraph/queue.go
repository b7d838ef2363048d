// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file lets another goroutine deflate and write sections. Records of the
// log of a recording (runtime/mrefslog.go) take more memory than the payloads
// that are made from them. Therefore payloads are made at once, and wait to be
// written.
//
// The goroutine that calls the methods of the Writer adds sections, and the one
// that calls Run takes them. All fields of the queue are under its lock.

package heapgraph

import (
	"errors"
	"sync"
)

// A queue has the sections that wait to be written.
type queue struct {
	mu      sync.Mutex
	changed sync.Cond // signals that a field has changed
	waiting []queued
	free    [][]byte // buffers of payloads that have been written
	bytes   int      // number of bytes of payloads that wait or are being written
	most    int      // if there are more bytes, add waits
	alloc   func(bytes int) []byte
	closed  bool
	err     error // error of the Writer's output
}

// A queued is a section that waits.
type queued struct {
	kind    Kind
	payload []byte
}

// Queue makes the Writer keep sections until [Writer.Run] writes them. While
// the payloads that are kept have more bytes than the limit most, methods of
// the Writer that add a section wait. Queue must be called before anything is
// written.
func (w *Writer) Queue(most int) {
	w.queue = &queue{most: most, alloc: w.alloc}
	w.queue.changed.L = &w.queue.mu
}

// Run deflates and writes sections until the Writer is closed or aborted. It
// must be called in another goroutine than the other methods.
func (w *Writer) Run() {
	q := w.queue
	returns := false
	defer func() {
		if !returns { // the output has panicked, or ended the goroutine
			q.fail()
		}
	}()
	for {
		s, ok := q.next()
		if !ok {
			break
		}
		w.out.write(s.kind, s.payload)
		q.wrote(s, w.out.err)
	}
	returns = true
}

// errStopped is the error of a Writer whose output has ended Run.
var errStopped = errors.New("heapgraph: the output has ended the goroutine that writes to it")

// fail makes the methods of the Writer return, because Run has ended.
func (q *queue) fail() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.err = errStopped
	q.waiting, q.bytes = nil, 0
	q.changed.Broadcast()
}

// next waits for a section. ok is false if there are no more.
func (q *queue) next() (s queued, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) == 0 {
		if q.closed {
			return queued{}, false
		}
		q.changed.Wait()
	}
	s = q.waiting[0]
	q.waiting[0] = queued{}
	q.waiting = q.waiting[1:]
	return s, true
}

// wrote subtracts the bytes of s, which has been written, or lost because of
// err. It keeps err, and the buffer of s for other sections.
func (q *queue) wrote(s queued, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.bytes -= len(s.payload)
	q.free = append(q.free, s.payload)
	q.err = err
	q.changed.Broadcast()
}

// add waits while too many bytes are kept, and then adds a copy of a section.
// After an error, it adds nothing.
func (q *queue) add(k Kind, payload []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.bytes > q.most {
		q.changed.Wait()
	}
	if q.err != nil {
		return
	}
	q.bytes += len(payload)
	q.waiting = append(q.waiting, queued{k, append(q.buffer(len(payload)), payload...)})
	q.changed.Broadcast()
}

// buffer returns an empty buffer with room for n bytes. q.mu is held.
func (q *queue) buffer(n int) []byte {
	for i, b := range q.free {
		if cap(b) >= n {
			last := len(q.free) - 1
			q.free[i] = q.free[last]
			q.free = q.free[:last]
			return b[:0]
		}
	}
	return q.alloc(max(n, flushSize))[:0]
}

// close waits until all sections are written, and lets Run return.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Broadcast()
	for q.bytes > 0 {
		q.changed.Wait()
	}
}

// abort drops the sections that wait, and lets Run return.
func (q *queue) abort() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	for _, s := range q.waiting {
		q.bytes -= len(s.payload)
	}
	q.waiting = nil
	q.changed.Broadcast()
}

// error returns the error of the Writer's output.
func (q *queue) error() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.err
}
