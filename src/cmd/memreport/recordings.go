// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// References are recorded at the beginning of the watch and at its end. If there
// is no recording at both, the heap profile has the call stacks that grow.
//
// A server that limits recordings (GODEBUG=pprofrecording=interval) answers with
// an older one until the interval has passed.

package main

import (
	"errors"
	"time"
)

var errRepeated = errors.New("the server repeats recordings: watch for longer than the interval of its GODEBUG=pprofrecording")

// recording takes refs and, for want of a recording, heap after a collection.
// After the first recording it takes heap in any case, because the last one may
// be refused. It returns an error if another process has answered.
func (f *fetcher) recording(i int) error {
	if f.has("refs") {
		f.add(numbered("refs", i), "refs")
	}
	if err := f.compareRecordings(); err != nil {
		return err
	}
	switch {
	case !f.has("refs") || f.take.isOld(i):
		f.add(numbered("heap", i), "heap?gc=1")
	case i == 1:
		f.addIfAny(numbered("heap", i), "heap")
	}
	return nil
}

// compareRecordings removes the last recording if it is not a later one of the
// same process.
func (f *fetcher) compareRecordings() error {
	first, last := f.take.profile("refs.1.pb.gz"), f.take.profile("refs.2.pb.gz")
	if last == nil || cycle(last) > cycle(first) {
		return nil
	}
	delete(f.take.files, "refs.2.pb.gz")
	if cycle(last) < cycle(first) {
		return errOtherProcess
	}
	f.take.Missing["refs"] = errRepeated.Error()
	return nil
}

// isOld reports whether a recording is older than the goroutine profile of the
// moment before it.
func (t *take) isOld(recording int) bool {
	moment := 0
	if recording == 2 {
		moment = spaced
	}
	p, before := t.profile(numbered("refs", recording)), t.profile(numbered("goroutine", moment))
	return p != nil && before != nil && p.TimeNanos < before.TimeNanos
}

// betweenRecordings returns the time between the recordings, or that of the
// watch if it is not known.
func (t *take) betweenRecordings() time.Duration {
	first, last := t.profile("refs.1.pb.gz"), t.profile("refs.2.pb.gz")
	if first == nil || last == nil || last.TimeNanos <= first.TimeNanos {
		return time.Duration(t.Seconds * float64(time.Second))
	}
	return time.Duration(last.TimeNanos - first.TimeNanos)
}
