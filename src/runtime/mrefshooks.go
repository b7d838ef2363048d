// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// What the garbage collector calls of the recorder of references.
//
// These functions are in every program, so they are small, and call the recorder
// itself through variables that refsRecord sets: the linker leaves the recorder and
// the table of globals out of programs that cannot ask for a recording. The compiler
// checks annotations of callees through no variable, so each of these functions has
// those of its caller.

package runtime

// refsRecorder is the recorder. It is set before refs.pending is.
var refsRecorder refsFunctions

type refsFunctions struct {
	start      func()
	beginStage func()
	markSome   func()
	stop       func()
	drain      func(*gcWork, gcDrainFlags)
	drainN     func(*gcWork, int64) int64
	grey       func(obj, base, off uintptr, span *mspan, gcw *gcWork, index uintptr)
	scanned    func(*gcWork)
	newNoscan  func(*mspan, uintptr)
}

// refsMode returns the mode of a cycle that would have the given one. From the first
// recording on, all cycles mark while the program runs, even with GODEBUG=gcstoptheworld.
// Between stages a recording gives worldsema back, and if user goroutines were not scheduled,
// one that waits for worldsema would be woken and never take it, with gcMarkDone behind it;
// and one that a recording has left in gcMarkDone would keep the next cycle's workers from it.
// It is called by gcStart.
func refsMode(mode gcMode) gcMode {
	if refs.ever.Load() {
		return gcBackgroundMode
	}
	return mode
}

// refsWorkersWait reports whether workers are not to be scheduled, because one marks alone.
// It is called by gcShouldScheduleWorker.
//
//go:nowritebarrierrec
func refsWorkersWait() bool {
	return refs.on && refs.alone.isTaken()
}

// refsStart begins to record if a recording is pending. It is called by gcStart
// when the root jobs are prepared and before anything is marked. A cycle that finds
// leaked goroutines is left alone, for it has another order of roots.
func refsStart() {
	if refs.pending.Load() != 0 {
		refsRecorder.start()
	}
}

// refsLastStage reports whether no stage follows, so that the end of marking may
// be prepared. It is called by gcMarkDone and true when nothing is recorded.
func refsLastStage() bool {
	return !refs.on || refs.sites.lastStage() && refs.release != refsReleaseClaim
}

// refsWeakBlocks reports whether weak pointers must wait for the end of marking before
// they become strong ones, because what they refer to would be queued and marking not
// end. It is called by gcMarkDone and true when nothing is recorded. While recording,
// such objects are held back before refsStageBarrier.
func refsWeakBlocks() bool {
	return refsLastStage() || refs.stage >= refsStageBarrier
}

// refsNextStage begins the next stage that has roots and reports whether there is
// one. It is called by gcMarkDone when no grey objects are left, with worldsema
// held; as pointers found by the write barrier are held back, none can come.
func refsNextStage() bool {
	if refsLastStage() {
		return false
	}
	was := getg().setRecording(true)
	refsRecorder.beginStage()
	getg().setRecording(was)
	gcController.enlistWorker()
	return true
}

// refsMarkSome does what the stages that refsNextStage begins have to do, as far as it is
// little. It is called by gcMarkDone without locks.
func refsMarkSome() {
	was := getg().setRecording(true)
	refsRecorder.markSome()
	getg().setRecording(was)
}

// refsHeapNeedsArena gives up what a recording keeps in reserve for the heap. It is called
// with the heap's lock held, on the system stack.
func refsHeapNeedsArena() { refs.reserve.giveUp() }

// refsStop ends recording. It is called with the world stopped when all is marked
// and the marked bytes are summed up.
func refsStop() {
	if refs.on {
		refsRecorder.stop()
	}
}

// refsDrain is gcDrain while recording.
//
//go:nowritebarrier
func refsDrain(gcw *gcWork, flags gcDrainFlags) {
	gp := getg().m.curg
	was := gp.setRecording(true)
	refsRecorder.drain(gcw, flags)
	gp.setRecording(was)
}

// refsDrainN is gcDrainN while recording.
//
//go:nowritebarrier
//go:systemstack
func refsDrainN(gcw *gcWork, scanWork int64) int64 {
	gp := getg().m.curg
	was := gp.setRecording(true)
	done := refsRecorder.drainN(gcw, scanWork)
	gp.setRecording(was)
	return done
}

// refsGrey keeps the reference to obj that greyobject was called for, in the word at
// base+off of a stack that is being scanned, for refsStackScanned, or holds obj back, if
// only a write barrier or the like has found it. It is called by greyobject while recording.
//
//go:nowritebarrierrec
func refsGrey(obj, base, off uintptr, span *mspan, gcw *gcWork, index uintptr) {
	refsRecorder.grey(obj, base, off, span, gcw, index)
}

// refsStackScanned follows the references that refsGrey was called for in the stack that has
// just been scanned. It is called by markroot before the goroutine runs again.
//
//go:nowritebarrierrec
//go:systemstack
func refsStackScanned(gcw *gcWork) {
	if refs.on {
		refsRecorder.scanned(gcw)
	}
}

// refsFlushed holds back what pp's write barrier buffer had and returns nil, or returns
// ptrs if nothing is recorded. It is called by wbBufFlush1, whose M need not have a P: in
// forEachP it flushes the buffers of Ps that are idle or handed off, with sched.lock held.
//
//go:nowritebarrierrec
//go:systemstack
func refsFlushed(pp *p, ptrs []uintptr) []uintptr {
	if !refs.on {
		return ptrs
	}
	for _, ptr := range ptrs {
		if obj, span, index := findObject(ptr, 0, 0); obj != 0 {
			refsGrey(obj, 0, 0, span, &pp.gcw, index)
		}
	}
	return nil
}

// refsAllocated counts an object that is allocated black while recording, and reports
// whether references are being recorded. It is called by gcmarknewobject before that marks
// the object, which is at obj in span s.
//
//go:nosplit
//go:nowritebarrier
func refsAllocated(s *mspan, obj uintptr) bool {
	if !refs.on {
		return false
	}
	rp := refsOf(getg().m.p.ptr().id)
	rp.newObjects++
	rp.newBytes += uint64(s.elemsize)
	if s.spanclass.noscan() && s.elemsize >= refsMinNewNoscan {
		systemstack(func() { refsRecorder.newNoscan(s, obj) })
	}
	return true
}

// refsNotMarked takes back that an object of span s was counted as marked when it
// was scanned without being marked. It is called by addfinalizer.
//
//go:nowritebarrierrec
func refsNotMarked(gcw *gcWork, s *mspan) {
	if refs.on {
		gcw.bytesMarked -= uint64(min(s.elemsize, maxObletBytes))
	}
}
