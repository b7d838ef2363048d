// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Stacks of goroutines that have run since theirs were scanned, once more.
//
// A goroutine allocates while marking runs, and takes what it works on from queues and
// pools. If its stack was scanned before, only the write barrier, or nothing, tells of such
// objects. So when all else is marked, the stacks of goroutines that have run meanwhile are
// scanned again, and those of goroutines that are new. What they hold and no other reference
// has claimed is theirs.
//
// Whether a goroutine has run is told by g.waitsince: markroot sets it when it scans the
// stack of one that waits, and the scheduler clears it when that runs. Coroutines run without
// the scheduler, and are taken to have run.

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
