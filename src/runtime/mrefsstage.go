// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The state of a recording, and the worker that begins a stage alone. Package
// internal/runtime/refs has the table of stages.
//
// Two references to an object may be equally far from a root. If two workers
// follow them, the faster worker's reference claims the object. The paths of
// all objects behind it may then differ from one recording to the next. A
// single worker follows references in an order that depends on the heap alone,
// so a recording of an unchanged heap has the same order. Structures that lead
// to much of the heap are near the roots. Therefore it suffices that one worker
// marks the first refsAloneWork bytes of a stage alone, which takes some
// milliseconds. During this time other workers are not scheduled, and assists
// do nothing. If a mark worker yields, others may mark: a worker that resumes
// finds the queues in another order, so the order would not depend on the heap
// alone even if that worker marked alone. If the goroutine in gcMarkDone has
// begun the stage and stops early, the next worker goes on alone (see
// handOver). Others may also mark once refsAloneStackWords words of one stack
// have been followed.
//
// No lock is needed. refsStartCycle changes the state of marking with the world
// stopped, and gcMarkDone changes it while no worker marks. Workers and assists
// change only atomic fields, but the worker that has taken refsAlone also
// changes the field left. It gives refsAlone back when it stops marking or has
// done refsAloneWork bytes.

package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/refs"
)

// A refsReleaseStep is a step of releasing objects that are held back. A stage
// has those from refsReleaseCollect (mrefsinfer.go), refsReleaseClaim or
// refsReleaseScan on.
type refsReleaseStep uint8

const (
	refsReleaseNone refsReleaseStep = iota
	refsReleaseCollect
	refsReleaseClaim
	refsReleaseScan
)

// next returns the step that follows s.
func (s refsReleaseStep) next() refsReleaseStep {
	if s == refsReleaseNone || s == refsReleaseScan {
		return refsReleaseNone
	}
	return s + 1
}

// follows reports whether step s follows references, so that its order matters.
func (s refsReleaseStep) follows() bool { return s != refsReleaseCollect && s != refsReleaseClaim }

// refsMarking is the state of marking. refsStartCycle sets all fields with the
// world stopped, and only it sets cycle. The goroutine in gcMarkDone changes
// stage, release and jobBase, and then raises work.markrootJobs. A
// worker sees the change when it takes a job of the stage, or work that such a
// job has queued.
var refsMarking struct {
	stage   refs.Stage
	release refsReleaseStep // step that the root jobs do
	jobBase uint32          // value of work.markrootNext when the stage or its present step began
	cycle   uint32          // number of the cycle that records

	alone    refsAlone
	deferred atomic.Bool // objects of refs.RankRegisters or a better rank may be held back
	delayed  atomic.Bool // borrowers wait for refs.StageBorrowed
}

// refsAloneWork is how much of a stage is marked by one worker at a time, in
// bytes of scan work.
const refsAloneWork = 4 << 20

// refsAlone controls which workers may mark.
type refsAlone struct {
	state   atomic.Uint32
	left    int64        // scan work, in bytes, that is still to be done alone; changed by the worker that has taken refsAlone, or while no worker marks
	assists atomic.Int64 // scan work, in bytes, for which assists have asked while they may not mark
}

const (
	refsAloneNot    = iota // every worker may mark
	refsAloneWanted        // the next worker takes refsAlone and marks alone
	refsAloneTaken         // the worker that has taken refsAlone marks alone
)

// want lets only one worker begin the stage. It is called while no worker
// marks.
func (a *refsAlone) want() {
	a.left = refsAloneWork
	a.assists.Store(0)
	a.state.Store(refsAloneWanted)
}

// take reports whether the calling worker may mark, and whether it marks alone.
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

// lets reports whether an assist that is to do scanWork bytes may mark. If it
// may not, lets also returns for how many bytes of scan work the assist gets
// credit, although it has not done that work. With this credit, its goroutine
// need not wait. All assists together get such credit for at most refsAloneWork
// bytes of a stage.
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

// did notes that the worker that marks alone has done some scan work, in bytes.
// When refsAloneWork has been done, it lets other workers mark and returns
// false.
//
//go:nowritebarrierrec
func (a *refsAlone) did(work int64) bool {
	if a.left -= work; a.left <= 0 {
		a.end()
		return false
	}
	return true
}

// open lets other workers mark once they are scheduled. Any worker that marks
// may call it.
//
//go:nowritebarrierrec
func (a *refsAlone) open() { a.state.Store(refsAloneNot) }

// end lets other workers mark and, if there is work for them, asks for one. It
// must not be called while the caller has a goroutine suspended, because
// enlistWorker must not be called then.
//
//go:nowritebarrierrec
func (a *refsAlone) end() {
	a.open()
	if gcMarkWorkAvailable() {
		gcController.enlistWorker()
	}
}

// handOver ends the turn of a worker that has marked alone. work is the scan
// work that it has done, in bytes. If root jobs or queued work are left and
// less than refsAloneWork has been done, the next worker goes on alone, unless
// open has been called. In all other cases every worker may mark.
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
