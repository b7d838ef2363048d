// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Scanning the stacks of goroutines that have run since their scan once more.
//
// A goroutine allocates while marking runs, and takes what it works on from queues and
// pools. If its stack was scanned before, only the write barrier, or nothing, tells of such
// objects. So when all else is marked, the stacks of goroutines that have run meanwhile, or
// are new, are scanned again. What they hold, and no other reference has claimed, is theirs.
//
// g.waitsince says whether a goroutine has run: markroot sets it when it scans the stack of
// one that waits, and the scheduler clears it when it runs that. Coroutines run without the
// scheduler, and are taken to have run.
//
// work.stackRoots grows for this, and work.nStackRoots does not: gcMarkRootCheck wants the
// goroutines that were there at the start scanned, and new ones that wait need not be. A
// stack's g.gcscandone is cleared only if its scan follows, which sets it again.

package runtime

// refsStacksAgainJobs prepares for the stage, and returns the number of root jobs. It is
// called with no mark worker at work.
func refsStacksAgainJobs() uint32 {
	lock(&allglock)
	work.stackRoots = allGsSnapshot() // which begins with the goroutines that it had before
	unlock(&allglock)
	n := uint32(len(work.stackRoots))
	work.baseEnd = work.baseStacks + n
	return n
}

// refsMarkStackAgain follows the references in a stack, if its goroutine may have run since
// the stack was scanned.
//
//go:nowritebarrier
func refsMarkStackAgain(rp *refsP, gcw *gcWork, i uint32) int64 {
	gp := work.stackRoots[i]
	switch readgstatus(gp) &^ _Gscan {
	case _Gidle, _Gdead, _Gdeadextra:
		return 0
	}
	if gp.gcscandone && gp.waitsince != 0 || isSystemGoroutine(gp, false) {
		return 0
	}
	gp.gcscandone = false
	return refsScanStackUncounted(rp, gcw, i)
}

// refsMayRun notes that gp, whose stack has been scanned, may run without the scheduler.
//
//go:nowritebarrierrec
func refsMayRun(gp *g) {
	if gp.waitreason == waitReasonCoroutine {
		gp.waitsince = 0
	}
}
