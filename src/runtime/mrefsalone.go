// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// One worker alone begins each stage.
//
// Two references to an object may be as far from a root. If two workers follow them, it
// depends on their speed which claims the object, and with it the paths of everything
// behind it. One worker follows references in an order that only the heap decides, and so
// in the same order in the next recording. Structures that much is behind are near the
// roots, so that it suffices if one worker marks the first refsAloneWork bytes of a stage,
// which takes some milliseconds. Meanwhile other workers are not scheduled, and assists do
// nothing. If the worker yields, that is over: who goes on where it has left off finds the
// queues in another order.
//
// Every change is made by a worker that marks, or by gcMarkDone with nobody marking, and no
// lock is needed. Whoever has taken the state gives it back when it stops marking.

package runtime

import "internal/runtime/atomic"

// refsAloneWork is how much a stage's first worker marks alone, in bytes of scan work.
const refsAloneWork = 4 << 20

// refsAlone is who may mark.
type refsAlone struct {
	state   atomic.Uint32
	left    int64        // of refsAloneWork. Written by who has taken it, or with nobody marking
	assists atomic.Int64 // scan work that assists have not done meanwhile
}

const (
	refsAloneNot    = iota // everybody
	refsAloneWanted        // the next worker alone
	refsAloneTaken         // the worker that has taken this
)

// want lets only one worker begin the stage. It is called with nobody marking.
func (a *refsAlone) want() {
	a.left = refsAloneWork
	a.assists.Store(0)
	a.state.Store(refsAloneWanted)
}

// take reports whether the calling worker may mark, and whether it does so alone.
//
//go:nowritebarrierrec
func (a *refsAlone) take() (alone, ok bool) {
	if a.state.Load() == refsAloneNot {
		return false, true
	}
	alone = a.state.CompareAndSwap(refsAloneWanted, refsAloneTaken)
	return alone, alone
}

// isTaken reports whether a worker marks alone.
//
//go:nowritebarrierrec
func (a *refsAlone) isTaken() bool { return a.state.Load() == refsAloneTaken }

// lets reports whether an assist may mark. If not, done is for how much scan work, of what it
// was to do, it gets credit all the same, so that its goroutine does not wait. That is as much
// as the worker alone does.
//
//go:nowritebarrierrec
func (a *refsAlone) lets(scanWork int64) (done int64, ok bool) {
	if a.state.Load() == refsAloneNot {
		return 0, true
	}
	if scanWork > refsAloneWork || a.assists.Add(scanWork) > refsAloneWork {
		return 0, false
	}
	return scanWork, false
}

// did notes some work of the worker that marks alone, and reports whether it goes on to do so.
//
//go:nowritebarrierrec
func (a *refsAlone) did(work int64) bool {
	if a.left -= work; a.left <= 0 {
		a.end()
		return false
	}
	return true
}

// open lets others mark, when they come to that. Whoever marks may call it.
//
//go:nowritebarrierrec
func (a *refsAlone) open() { a.state.Store(refsAloneNot) }

// end lets others mark, and asks for one. It must not be called while a goroutine is
// suspended, because enlistWorker must not.
//
//go:nowritebarrierrec
func (a *refsAlone) end() {
	a.open()
	if gcMarkWorkAvailable() {
		gcController.enlistWorker()
	}
}

// handOver lets another worker go on alone after some work, or all if little is left.
//
//go:nowritebarrierrec
func (a *refsAlone) handOver(work int64) {
	switch {
	case !a.did(work):
	case gcMarkWorkAvailable():
		a.state.CompareAndSwap(refsAloneTaken, refsAloneWanted) // unless it has been opened
	default:
		a.end()
	}
}
