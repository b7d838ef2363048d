// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Stages of a recording, and the worker that begins a stage alone.
//
// Two references to an object may be equally far from a root. If two workers
// follow them, the faster worker's reference claims the object, and the paths
// of all objects behind it differ from one recording to the next. One worker
// follows references in an order that depends on the heap alone, so the next
// recording has the same order. Structures that lead to much of the heap are
// near the roots. Therefore it suffices that one worker marks the first
// refsAloneWork bytes of a stage, which takes some milliseconds. Meanwhile
// other workers are not scheduled, and assists do nothing. If the worker
// yields, others may mark, because a worker that resumes finds the queues in
// another order.
//
// A worker that marks, or gcMarkDone while no worker marks, makes every change,
// so that no lock is needed. The worker that has taken refsAlone gives it back
// when it stops marking.

package runtime

import "internal/runtime/atomic"

type refsStage uint8

const (
	refsStageSamples refsStage = iota // only for allocation sites; marks nothing
	refsStageOwn                      // globals of the program's own packages
	refsStageMainOwn                  // frames of these packages in the main goroutine's stack
	refsStageMain                     // the rest of the stack of the main goroutine
	refsStageGlobals                  // globals of other packages
	refsStageModules                  // globals of plugins and shared libraries
	refsStageGlobalsUntyped
	refsStageOldest   // the stacks of the oldest goroutines, one after the other
	refsStageBorrowed // what callbacks and contexts refer to
	refsStageStacks
	refsStageStacksUntyped
	refsStageSpecials // timers, finalizers, cleanups and weak handles
	refsStageSpecialsUntyped
	refsStageRuntime
	refsStageRuntimeUntyped
	refsStageSystem // stacks of the runtime's own goroutines, which hold its Ms and Ps
	refsStagePools  // what only a sync.Pool holds
	refsStageAgain  // stacks of goroutines that have run since theirs were scanned
	refsStageBarrier
	refsStageSites // only for allocation sites; marks nothing
)

// untyped reports whether references of unknown type claim at once in stage s.
// From refsStageSystem on they all do: after refsStageBarrier, which releases
// whatever is held back, nothing may be.
func (s refsStage) untyped() bool {
	switch s {
	case refsStageGlobalsUntyped, refsStageStacksUntyped, refsStageSpecialsUntyped, refsStageRuntimeUntyped:
		return true
	}
	return s >= refsStageSystem
}

// Ranks of what objects are held back for, the worst first.
const (
	refsRankBarrier   = iota // only the write barrier has told of it, or it is new
	refsRankLost             // its node could not be added
	refsRankPool             // a sync.Pool holds it
	refsRankRegisters        // a word that may be none, or left over
	refsRankUntyped
)

// releases returns the rank from which on stage s releases objects.
func (s refsStage) releases() int {
	switch s {
	case refsStageGlobalsUntyped: // the main goroutine's registers wait for those of others
		return refsRankUntyped
	case refsStagePools:
		return refsRankPool
	case refsStageBarrier:
		return refsRankBarrier
	}
	return refsRankRegisters
}

// A refsReleaseStep is a step of releasing what is held back.
type refsReleaseStep uint8

const (
	refsReleaseNone refsReleaseStep = iota
	refsReleaseClaim
	refsReleaseScan
)

// next returns the step that follows s.
func (s refsReleaseStep) next() refsReleaseStep {
	if s == refsReleaseClaim {
		return refsReleaseScan
	}
	return refsReleaseNone
}

// refsMarking is how marking goes on. The goroutine in gcMarkDone changes the
// first fields before it raises work.markrootJobs, and whoever takes a job of
// the stage, or works on what that leads to, sees the change.
var refsMarking struct {
	stage   refsStage
	release refsReleaseStep // that the root jobs do
	untyped bool            // references of unknown type claim at once
	jobBase uint32          // work.markrootNext when the stage began
	cycle   uint32          // that records

	alone    refsAlone
	deferred atomic.Bool // objects are held back till the stage's typed references are drained
	delayed  atomic.Bool // objects wait for refsStageBorrowed to be scanned
}

// refsAloneWork is how much a stage's first worker marks alone, in bytes of
// scan work.
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

// take reports whether the calling worker may mark, and whether it does so
// alone.
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

// lets reports whether an assist may mark. If not, done is for how much scan
// work, of what it was to do, it gets credit all the same, so that its
// goroutine does not wait. That is as much as the worker alone does.
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

// did notes some work of the worker that marks alone, and reports whether it
// goes on to do so.
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

// end lets others mark, and asks for one. It must not be called while a
// goroutine is suspended, because enlistWorker must not.
//
//go:nowritebarrierrec
func (a *refsAlone) end() {
	a.open()
	if gcMarkWorkAvailable() {
		gcController.enlistWorker()
	}
}

// handOver lets another worker go on alone after some work, or all if little is
// left.
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
