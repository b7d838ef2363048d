// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Goroutines at work for a recording: those that write a profile of it, and those that mark
// for it. The memory that they take meanwhile is the recording's and not the program's, and
// other profiles leave it out or show it at a frame of its own.

package runtime

import (
	"internal/runtime/atomic"
	_ "unsafe" // for linkname
)

// refsGoroutines is the number of goroutines whose recording field is set. While it is
// 0, nobody looks at that field.
var refsGoroutines atomic.Int32

// pprof_setRecording notes whether the calling goroutine is writing a profile of a
// recording from now on, and returns whether it was. The caller restores that, also if
// it panics.
//
//go:linkname pprof_setRecording
func pprof_setRecording(on bool) (was bool) {
	return getg().setRecording(on)
}

// setRecording notes whether gp, which runs on this M, is at work for a recording from now
// on, and returns whether it was.
//
//go:nowritebarrierrec
func (gp *g) setRecording(on bool) (was bool) {
	was, gp.recording = gp.recording, on
	switch {
	case on && !was:
		refsGoroutines.Add(1)
	case was && !on:
		refsGoroutines.Add(-1)
	}
	return was
}

// refsIsRecorder reports whether the goroutine that runs on this M is at work for a
// recording. It may be called on any stack and with any locks held.
//
//go:nosplit
//go:nowritebarrierrec
func refsIsRecorder() bool {
	if refsGoroutines.Load() == 0 {
		return false
	}
	gp := getg().m.curg
	return gp != nil && gp.recording
}

// refsTakesSpan reports whether a span for typ, which is being allocated on this M, is a
// recording's: its goroutine's, one of the collector's queues, or the stack of a thread
// that starts in order to mark.
func refsTakesSpan(typ spanAllocType) bool {
	if refsIsRecorder() {
		return true
	}
	pp := getg().m.p.ptr()
	return refs.on && (typ == spanAllocWorkBuf || pp != nil && pp.gcMarkWorkerMode != gcMarkWorkerNotWorker)
}
