// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Draining the work queues: the loops of mark workers and assists.
//
// The queues and the termination of marking are the collector's own. With the
// Green Tea collector, the queues have spans as well as objects. While
// recording, gcDrain and gcDrainN only call refsDrain and refsDrainN
// (mrefshooks.go), which call refsDrainAll and refsAssist. A stage often begins
// with one worker that marks alone (mrefsstage.go).

package runtime

import "internal/goexperiment"

// refsDrainAll is gcDrain while recording (see refsDrain). It runs on the
// system stack.
//
//go:nowritebarrier
func refsDrainAll(gcw *gcWork, flags gcDrainFlags) {
	gp := getg().m.curg
	pp := gp.m.p.ptr()
	preemptible := flags&gcDrainUntilPreempt != 0
	credit := refsCredit{flush: flags&gcDrainFlushBgCredit != 0, old: gcw.heapScanWork}
	yield := refsYield(flags)
	unpolled := int64(0)
	alone, may := refsMarking.alone.take()
	for may && !(gp.preempt && (preemptible || sched.gcwaiting.Load() || pp.runSafePointFn != 0)) {
		job, ok, rooted := uint32(0), false, int64(0)
		if refsMarking.release != refsReleaseScan || !refsScanNext(gcw) {
			if job, ok = refsNextRoot(); ok {
				rooted = refsMarkroot(gcw, job) + refsJobWork
				credit.give(rooted - refsJobWork)
			} else if refsMarking.release == refsReleaseScan || !refsScanNext(gcw) {
				break
			}
		}
		refsEnlist(gcw)
		if ok || gcw.heapScanWork >= gcCreditSlack {
			unpolled += gcw.heapScanWork
			alone = alone && refsMarking.alone.did(gcw.heapScanWork+rooted)
			credit.flushWork(gcw)
			if ok || unpolled >= drainCheckThreshold {
				unpolled = 0
				if yield != nil && yield() {
					break
				}
			}
		}
	}
	refsOf(gcw.id).followAll(gcw)
	credit.flushWork(gcw)
	if alone {
		gcw.dispose() // so that others can take the work
		refsMarking.alone.end()
	}
}

// refsYield returns a function that reports whether an idle or fractional
// worker is to stop. It returns nil for all other workers.
func refsYield(flags gcDrainFlags) func() bool {
	switch {
	case flags&gcDrainIdle != 0:
		return refsPollIdle
	case flags&gcDrainFractional != 0:
		return pollFractionalWorkerExit
	}
	return nil
}

// refsPollIdle reports whether there is something better to do than idle
// marking. A timer of this P that is due counts as better, because a recording
// takes longer than other marking, and this P runs its timers only when the
// worker stops.
func refsPollIdle() bool {
	when := getg().m.p.ptr().timers.wakeTime()
	return when != 0 && when <= nanotime() || pollWork()
}

// refsCredit accounts for the scan work that refsDrainAll does. Mark workers
// give it to assists as credit.
type refsCredit struct {
	flush bool  // whether to give credit
	old   int64 // part of gcw.heapScanWork that was done before refsDrainAll, by an assist, for example
}

// give gives credit for scan work, in bytes.
//
//go:nowritebarrier
func (c *refsCredit) give(work int64) {
	if c.flush && work != 0 {
		gcFlushBgCredit(work)
	}
}

// flushWork adds gcw's scan work to the controller's, and gives credit for the
// part of it that was not done before refsDrainAll.
//
//go:nowritebarrier
func (c *refsCredit) flushWork(gcw *gcWork) {
	if gcw.heapScanWork == 0 {
		return
	}
	gcController.heapScanWork.Add(gcw.heapScanWork)
	c.give(gcw.heapScanWork - c.old)
	c.old = 0
	gcw.heapScanWork = 0
}

// refsJobWork is a number of bytes that is added to the scan work of each root
// job when that work is compared with a limit: the limit of refsDrainSome, or
// that of a worker that marks alone in refsDrainAll. Without refsJobWork, the
// many jobs that scan nothing would not count.
const refsJobWork = 256

// refsAssist is gcDrainN while recording (see refsDrainN).
//
//go:nowritebarrier
//go:systemstack
func refsAssist(gcw *gcWork, scanWork int64) int64 {
	if done, ok := refsMarking.alone.lets(scanWork); !ok {
		return done
	}
	return refsDrainSome(gcw, scanWork)
}

// refsDrainFirst is refsDrainSome for refsMarkStages, which calls it when a
// stage has begun. It does nothing if another worker marks alone. If the caller
// itself marks alone, and stops before it has done refsAloneWork bytes although
// work is left, the next worker continues alone (see refsAlone.handOver).
//
//go:nowritebarrier
//go:systemstack
func refsDrainFirst(gcw *gcWork, scanWork int64) (done int64) {
	alone, ok := refsMarking.alone.take()
	if ok {
		done = refsDrainSome(gcw, scanWork)
	}
	if alone {
		gcw.dispose()
		refsMarking.alone.handOver(done)
	}
	return done
}

// refsDrainSome marks until it has done scanWork bytes of scan work (see
// refsJobWork), until nothing is left, or until the goroutine is to be
// preempted or the CPU limiter limits assists. It returns the scan work done,
// in bytes, without refsJobWork.
//
//go:nowritebarrier
//go:systemstack
func refsDrainSome(gcw *gcWork, scanWork int64) int64 {
	done := -gcw.heapScanWork
	gp := getg().m.curg
	for jobs := int64(0); !gp.preempt && !gcCPULimiter.limiting() && done+gcw.heapScanWork+jobs*refsJobWork < scanWork; {
		if !refsScanNext(gcw) {
			job, ok := refsNextRoot()
			if !ok {
				break
			}
			done += refsMarkroot(gcw, job)
			jobs++
		}
		if gcw.heapScanWork >= gcCreditSlack {
			gcController.heapScanWork.Add(gcw.heapScanWork)
			done += gcw.heapScanWork
			gcw.heapScanWork = 0
		}
		refsEnlist(gcw)
	}
	refsOf(gcw.id).followAll(gcw)
	return done + gcw.heapScanWork
}

// refsEnlist asks for another worker if gcw has queued work that others can
// take, and if others may mark. Without Green Tea, the queues themselves ask
// for workers.
//
//go:nowritebarrier
func refsEnlist(gcw *gcWork) {
	if goexperiment.GreenTeaGC && gcw.mayNeedWorker && !refsMarking.alone.isTaken() {
		gcw.mayNeedWorker = false
		if gcphase == _GCmark {
			gcController.enlistWorker()
		}
	}
}

// refsNextRoot takes the next root job of the stage. It returns the job's
// number, and whether there was a job. It never raises markrootNext beyond
// markrootJobs, because jobs that the next stage adds would then be skipped.
func refsNextRoot() (uint32, bool) {
	for {
		next := work.markrootNext.Load()
		if next >= work.markrootJobs.Load() {
			return 0, false
		}
		if work.markrootNext.CompareAndSwap(next, next+1) {
			return next - refsMarking.jobBase, true
		}
	}
}

// refsScanNext scans the next object or span, or follows the references that
// have been gathered. It reports whether there was anything to do.
//
//go:nowritebarrier
func refsScanNext(gcw *gcWork) bool {
	if work.full == 0 && !refsMarking.alone.isTaken() {
		gcw.balance()
	}
	b, s := refsNextWork(gcw)
	switch {
	case b != 0:
		refsScanObject(b, gcw)
	case s != 0:
		refsScanSpan(s, gcw)
	default:
		rp := refsOf(gcw.id)
		if rp.batch.n == 0 {
			return false
		}
		rp.followAll(gcw)
	}
	return true
}

// refsNextWork takes an object or a span from the queues, in the order that
// mgcwork.go requires.
//
//go:nowritebarrier
func refsNextWork(gcw *gcWork) (b uintptr, s objptr) {
	if b = gcw.tryGetObjFast(); b != 0 {
		return b, 0
	}
	if s = gcw.tryGetSpanFast(); s != 0 {
		return 0, s
	}
	for tries := range 2 {
		if tries != 0 {
			wbBufFlush()
		}
		if b = gcw.tryGetObj(); b != 0 {
			return b, 0
		}
		if s = gcw.tryGetSpan(); s != 0 {
			return 0, s
		}
	}
	return 0, gcw.tryStealSpan()
}
