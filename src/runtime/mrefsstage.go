// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Stages of a recording, and the worker that begins a stage alone.
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

import "internal/runtime/atomic"

// A refsStage is a stage of a recording.
type refsStage uint8

const (
	refsStageSamples        refsStage = iota // only with allocation sites; marks nothing
	refsStageOwn                             // globals of the program's own packages
	refsStageMainOwn                         // frames of functions of these packages in the main goroutine's stack
	refsStageMain                            // the rest of the stack of the main goroutine
	refsStageGlobals                         // globals of other packages, except the runtime's
	refsStageModules                         // globals of modules without a table of variables
	refsStageGlobalsUntyped                  // references of unknown type from the stages before
	refsStageOldest                          // the stacks of the oldest goroutines, one after the other
	refsStageBorrowed                        // objects that borrowers refer to (mrefsclaim.go)
	refsStageStacks                          // stacks of the other goroutines of the program
	refsStageStacksUntyped
	refsStageSpecials // timers, finalizers, cleanups and weak handles
	refsStageSpecialsUntyped
	refsStageRuntime // the runtime's own globals
	refsStageRuntimeUntyped
	refsStageSystem  // stacks of the runtime's own goroutines, which hold Ms and Ps
	refsStagePools   // objects that only a sync.Pool holds
	refsStageAgain   // stacks of goroutines that are new or have run since their stacks were scanned
	refsStageBarrier // objects that only the write barrier has found, and others that are still held back, except some new ones without pointers (mrefsclaim.go)
	refsStageSites   // only with allocation sites; marks nothing
)

// untyped reports whether references of unknown type claim at once in stage s.
// They do in the stages that exist for them, and from refsStageSystem on. From
// refsStageBarrier on they must, because no later stage releases objects that
// are held back.
func (s refsStage) untyped() bool {
	switch s {
	case refsStageGlobalsUntyped, refsStageStacksUntyped, refsStageSpecialsUntyped, refsStageRuntimeUntyped:
		return true
	}
	return s >= refsStageSystem
}

// Ranks of objects that are held back, by the reason for holding them back. The
// worst rank is first.
const (
	refsRankBarrier   = iota // the object has been found only outside of the recorder's own scans, for example by the write barrier; it was allocated while marking and nothing has found it; or it is a G, an M or a P that waits (see isRuntimes)
	refsRankLost             // its node is missing (see refsLost)
	refsRankPool             // a sync.Pool refers to it
	refsRankRegisters        // a word of a register or of a conservatively scanned frame refers to it; the word may be no pointer, or one that is no longer used
	refsRankUntyped          // a reference of unknown type refers to it
)

// releases returns the lowest rank of the objects that stage s releases.
func (s refsStage) releases() int {
	switch s {
	case refsStageGlobalsUntyped, refsStageStacksUntyped: // objects of refsRankRegisters wait for refsStageSpecialsUntyped
		return refsRankUntyped
	case refsStagePools:
		return refsRankPool
	case refsStageBarrier:
		return refsRankBarrier
	}
	return refsRankRegisters
}

// lets reports whether stage s releases the objects that are held back at node
// n.
//
//go:nowritebarrierrec
func (s refsStage) lets(n uint32) bool {
	return refsRank(n) >= s.releases()
}

// next returns the stage that follows s. refsStageOldest is repeated.
func (s refsStage) next() refsStage {
	if s == refsStageOldest && refsRoots.oldest.n != 0 {
		return s
	}
	return s + 1
}

// A refsReleaseStep is a step of releasing objects that are held back.
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

// refsMarking is the state of marking. refsStartCycle sets all fields with the
// world stopped, and only it sets cycle. The goroutine in gcMarkDone changes
// stage, release, untyped and jobBase, and then raises work.markrootJobs. A
// worker sees the change when it takes a job of the stage, or work that such a
// job has queued.
var refsMarking struct {
	stage   refsStage
	release refsReleaseStep // step that the root jobs do
	untyped bool            // references of unknown type claim at once
	jobBase uint32          // value of work.markrootNext when the stage or its present step began
	cycle   uint32          // number of the cycle that records

	alone    refsAlone
	deferred atomic.Bool // objects of refsRankRegisters or a better rank may be held back
	delayed  atomic.Bool // borrowers wait for refsStageBorrowed
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
