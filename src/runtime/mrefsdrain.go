// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Draining the work queues: the loops of mark workers and assists.
//
// The queues are the collector's own, with spans in them if Green Tea is on,
// and so is the termination of marking. gcDrain and gcDrainN call refsDrain and
// refsDrainN when they begin.

package runtime

import "internal/goexperiment"

// refsDrainAll does what gcDrain does.
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
		gcw.dispose() // nobody has taken any of it
		refsMarking.alone.end()
	}
}

// refsYield returns the function that tells a worker to stop, or nil.
func refsYield(flags gcDrainFlags) func() bool {
	switch {
	case flags&gcDrainIdle != 0:
		return pollWork
	case flags&gcDrainFractional != 0:
		return pollFractionalWorkerExit
	}
	return nil
}

// refsCredit is what refsDrainAll does with the scan work done: workers give it
// to assists as credit.
type refsCredit struct {
	flush bool
	old   int64 // of gcw.heapScanWork, was done by an assist
}

// give gives credit for scan work.
//
//go:nowritebarrier
func (c *refsCredit) give(work int64) {
	if c.flush && work != 0 {
		gcFlushBgCredit(work)
	}
}

// flushWork adds gcw's scan work to the controller's, and gives credit for it.
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

// refsJobWork is what a root job counts as in refsDrainSome, in bytes of scan
// work, because many scan nothing.
const refsJobWork = 256

// refsAssist does what gcDrainN does.
//
//go:nowritebarrier
//go:systemstack
func refsAssist(gcw *gcWork, scanWork int64) int64 {
	if done, ok := refsMarking.alone.lets(scanWork); !ok {
		return done
	}
	return refsDrainSome(gcw, scanWork)
}

// refsDrainFirst is refsDrainSome for the beginning of a stage, unless another
// worker has begun it. If it does not come to the end, another goes on alone.
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

// refsDrainSome marks until it has done so much scan work, in bytes, or nothing
// is left, or the goroutine is to be preempted.
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

// refsEnlist asks for another worker if gcw has flushed work, and others may do
// it.
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

// refsNextRoot claims a root job. It never passes markrootJobs, which the next
// stage raises.
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

// refsScanNext scans the next object or span, or follows what has been
// gathered. It reports whether there was anything.
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

// refsNextWork takes from the queues in the order that mgcwork.go gives.
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
