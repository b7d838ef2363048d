// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file queues requests for recordings of references. Requests that arrive
// at the same time share a recording.

package pprof

import (
	"errors"
	"internal/profilerecord"
	"sync"
)

// refsRequests is the queue of all requests for the refs and inuse profiles.
var refsRequests = refsQueue{record: pprof_refs, alone: hasRefsLimit}

// A refsQueue makes one recording after another. All requests that arrive while
// one is made share the next one. Each request therefore gets a recording that
// began after the request, and waits for at most two recordings of the queue. A
// goroutine whose recordings have a limit of memory makes its own, because
// nobody else may make it without the limit, or get what is incomplete with it.
type refsQueue struct {
	record func(sites bool) (p *profilerecord.RefsProfile, failed string)
	alone  func() bool // whether the calling goroutine shares no recording

	recording sync.Mutex // held while record runs and while its nodes are in memory
	mu        sync.Mutex // protects next, and next.sites
	next      *refsFlight
}

// A refsFlight is a recording and the requests that share it.
type refsFlight struct {
	sites bool // whether a request needs allocation sites; not written after the recording has started
	once  sync.Once
	refs  *refs // once sets refs and err
	err   error
}

// take returns a recording that begins after the call of take. It has
// allocation sites if sites is true.
func (q *refsQueue) take(sites bool) (*refs, error) {
	if q.alone() {
		q.recording.Lock()
		defer q.recording.Unlock()
		return q.make(sites)
	}
	return q.fly(q.join(sites))
}

// make makes a recording. The caller holds q.recording.
func (q *refsQueue) make(sites bool) (*refs, error) {
	p, failed := q.record(sites)
	if failed != "" {
		return nil, errors.New(failed)
	}
	r := newRefs(p)
	refsCount.Store(int64(len(r.samples)))
	return r, nil
}

// fly waits for the recording of f. The first caller makes it.
func (q *refsQueue) fly(f *refsFlight) (*refs, error) {
	f.once.Do(func() {
		q.recording.Lock()
		defer q.recording.Unlock()
		q.leave(f)
		f.err = errors.New("recording panicked") // remains if record or newRefs panics
		f.refs, f.err = q.make(f.sites)
	})
	return f.refs, f.err
}

// join returns the next flight, and asks it for allocation sites if sites is
// true.
func (q *refsQueue) join(sites bool) *refsFlight {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next == nil {
		q.next = new(refsFlight)
	}
	q.next.sites = q.next.sites || sites
	return q.next
}

// leave removes f, which must be the next flight, from the queue, because its
// recording starts.
func (q *refsQueue) leave(f *refsFlight) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next != f {
		panic("pprof: refs: flight left twice")
	}
	q.next = nil
}
