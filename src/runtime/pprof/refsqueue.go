// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Requests for recordings of references. Those at the same time share a recording.

package pprof

import (
	"errors"
	"internal/profilerecord"
	"sync"
)

// refsRequests is the queue of all requests for the profile.
var refsRequests = refsQueue{record: pprof_refs}

// A refsQueue makes recordings one after another. All requests that arrive
// while one is made get the next, so that each gets a recording that began after
// it asked, and waits for no more than two.
type refsQueue struct {
	record func(sites bool) (p *profilerecord.RefsProfile, failed string)

	recording sync.Mutex // held while record runs and its nodes are in memory
	mu        sync.Mutex // protects next, and its sites
	next      *refsFlight
}

// A refsFlight is a recording and the requests that share it.
type refsFlight struct {
	sites bool // one of the requests needs allocation sites; not written once it started
	once  sync.Once
	refs  *refs // set by once, as is err
	err   error
}

// take returns a recording that begins after the call to take, with allocation sites if
// sites is set.
func (q *refsQueue) take(sites bool) (*refs, error) {
	return q.fly(q.join(sites))
}

// fly waits for the recording of f, which the first caller makes.
func (q *refsQueue) fly(f *refsFlight) (*refs, error) {
	f.once.Do(func() {
		q.recording.Lock()
		defer q.recording.Unlock()
		q.leave(f)
		f.err = errors.New("recording panicked") // unless it returns
		p, failed := q.record(f.sites)
		if failed != "" {
			f.err = errors.New(failed)
			return
		}
		f.refs = newRefs(p)
		f.err = nil
		refsCount.Store(int64(len(f.refs.samples)))
	})
	return f.refs, f.err
}

// join returns the next flight.
func (q *refsQueue) join(sites bool) *refsFlight {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next == nil {
		q.next = new(refsFlight)
	}
	q.next.sites = q.next.sites || sites
	return q.next
}

// leave makes f, which is the next flight, no longer that: it starts.
func (q *refsQueue) leave(f *refsFlight) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next != f {
		panic("pprof: refs: flight left twice")
	}
	q.next = nil
}
