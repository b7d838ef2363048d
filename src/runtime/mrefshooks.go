// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The hooks of the recorder: functions that the garbage collector, the
// allocator, the scheduler and other profiles call.
//
// They are in every program, so they are small. They call the large parts of
// the recorder only through the functions in refsRecorder, which refsRecord
// sets. Therefore the linker leaves the recorder and the table of global
// variables out of programs that cannot request a recording. The compiler does
// not search functions that are called through variables for write barriers.
// Therefore, if a hook forbids write barriers, the function in refsRecorder
// that it calls forbids them, too.
//
// A goroutine is at work for a recording while it marks or begins a stage for
// the recording, and while it takes the recording and writes its profile. While
// it is at work, the memory that it takes is the recording's and not the
// program's. The growth profile shows this memory at a frame of its own, and
// the peak profile does not count it as memory in use.
//
// The reader of a recording reads the types that package reflect has made and
// the labels of goroutines, as far as these existed when the recording ended.
// The goroutines that wrote them need not have synchronized with the reader: at
// the end of marking, they were stopped or had ended. The race detector does
// not see this, so the functions at the end of this file report it to the race
// detector.

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// refsRecorder has the functions of the recorder, or nil functions before the
// first recording. refsRecord sets it before refsRecording.pending.
var refsRecorder refsFunctions

// refsFunctions has the functions of the recorder that hooks call.
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
	notMarked  func(*mspan, uintptr)
	moved      func(refsMove)
}

// refsMode returns the mode of a cycle that would have the given mode without
// recordings. gcStart calls it. When a recording has been requested for the
// first time, all cycles from then on mark while the program runs, even with
// GODEBUG=gcstoptheworld. There are two reasons. First, a recording gives
// worldsema back between stages. If user goroutines were not scheduled, a
// goroutine that waits for worldsema would be woken and never take it, and
// gcMarkDone would wait behind it. Second, a goroutine may still be in
// gcMarkDone when a recording has ended. If it were not scheduled in the next
// cycle, it would keep that cycle's workers out of gcMarkDone.
func refsMode(mode gcMode) gcMode {
	if refsRecording.ever.Load() {
		return gcBackgroundMode
	}
	return mode
}

// refsWorkersWait reports whether workers are not to be scheduled, because one
// worker marks alone. gcShouldScheduleWorker calls it.
//
//go:nowritebarrierrec
func refsWorkersWait() bool {
	return refsRecording.on && refsMarking.alone.isTaken()
}

// refsStart begins to record if a recording is pending. gcStart calls it, with
// the world stopped, after it has prepared the root jobs and before anything is
// marked. Some cycles cannot record, and leave the recording pending (see
// refsStartCycle). For example, cycles that look for leaked goroutines have
// another order of roots.
func refsStart() {
	if refsRecording.pending.Load() != 0 {
		refsRecorder.start()
	}
}

// refsLastStage reports whether neither another stage nor another step of the
// present stage follows (see refsReleaseStep). If it returns true, marking can
// end. It also returns true if nothing is recorded.
func refsLastStage() bool {
	return !refsRecording.on || refsSites.lastStage() && refsMarking.release.next() == refsReleaseNone
}

// refsWeakBlocks reports whether weak pointers must wait for the end of marking
// before they become strong. They must if the objects to which they refer would
// be queued, because marking might then never end. Before refs.StageBarrier, a
// recording holds such objects back instead. refsWeakBlocks returns true if
// nothing is recorded. gcMarkDone calls it.
func refsWeakBlocks() bool {
	return refsLastStage() || !refsMarking.stage.HoldsFound()
}

// refsNextStage begins the next step of the stage, or the next stage that has
// roots. It returns false, and does nothing, if no step or stage follows the
// present one, or if nothing is recorded. gcMarkDone calls it with worldsema
// held, when no object is queued. Before refs.StageBarrier, objects that the
// write barrier finds are held back. Therefore none is queued until the new
// stage begins, except objects that can have no word (see hold).
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

// refsMarkSome does the work of the stage that refsNextStage has begun, and of
// the stages that follow, as long as there is little work (see refsMarkStages).
// gcMarkDone calls it after it has given worldsema back.
func refsMarkSome() {
	was := getg().setRecording(true)
	refsRecorder.markSome()
	getg().setRecording(was)
}

// refsHeapNeedsArena gives up the address space that a recording keeps in
// reserve for the heap, if there is such a reserve. mheap.grow calls it on the
// system stack, with the heap's lock held.
func refsHeapNeedsArena() { refsMemory.reserve.giveUp() }

// refsStop ends recording. gcMarkTermination calls it with the world stopped,
// when all is marked and the marked bytes are summed up.
func refsStop() {
	if refsRecording.on {
		refsRecorder.stop()
	}
}

// refsDrain is gcDrain while recording. gcDrain calls it.
//
//go:nowritebarrier
func refsDrain(gcw *gcWork, flags gcDrainFlags) {
	gp := getg().m.curg
	was := gp.setRecording(true)
	refsRecorder.drain(gcw, flags)
	gp.setRecording(was)
}

// refsDrainN is gcDrainN while recording. gcDrainN calls it.
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

// refsGrey handles the reference to obj for which greyobject was called. It
// does nothing unless obj is claimable or references are logged. If a stack is
// being scanned and the reference is in the word at base+off, refsGrey follows
// the reference at once, keeps it for later (see keepWord), or leaves it to
// refs.StageMain. In all other cases, for example if the write barrier has
// found obj, refsGrey holds obj back or, from refs.StageBarrier on, claims it,
// unless it is marked already. While recording, greyobject and refsFlushed call
// refsGrey.
//
//go:nowritebarrierrec
func refsGrey(obj, base, off uintptr, span *mspan, gcw *gcWork, index uintptr) {
	refsRecorder.grey(obj, base, off, span, gcw, index)
}

// refsStackScanned follows the references that refsGrey has kept while a stack
// was scanned, and that have not been followed yet. markroot calls it before
// the goroutine runs again.
//
//go:nowritebarrierrec
//go:systemstack
func refsStackScanned(gcw *gcWork) {
	if refsRecording.on {
		refsRecorder.scanned(gcw)
	}
}

// refsFlushed calls refsGrey for each object to which a pointer in ptrs refers,
// and returns nil. ptrs is the content of pp's write barrier buffer. If nothing
// is recorded, refsFlushed returns ptrs. wbBufFlush1 calls it on the M of pp,
// or with the world stopped. When forEachP flushes the buffers of Ps that no M
// has, they are empty (mrefsaside.go).
//
//go:nowritebarrierrec
//go:systemstack
func refsFlushed(pp *p, ptrs []uintptr) []uintptr {
	if !refsRecording.on {
		return ptrs
	}
	for _, ptr := range ptrs {
		refsFlush(ptr, &pp.gcw)
	}
	return nil
}

// refsFlush calls refsGrey for the object to which ptr refers, if any.
//
//go:nowritebarrierrec
//go:systemstack
func refsFlush(ptr uintptr, gcw *gcWork) {
	if obj, span, index := findObject(ptr, 0, 0); obj != 0 {
		refsGrey(obj, 0, 0, span, gcw, index)
	}
}

// refsAllocated reports whether references are being recorded. If so, it counts
// the object that is being allocated at obj, in span s. It also gives the
// object a word (mrefsclaim.go), if the object has no pointers and at least
// refsMinNewNoscan bytes. gcmarknewobject calls refsAllocated before it marks
// the object.
//
//go:nosplit
//go:nowritebarrier
func refsAllocated(s *mspan, obj uintptr) bool {
	if !refsRecording.on {
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

// refsPoolsMove is set while refsRecording.on is. Package sync reads it.
//
//go:linkname refsPoolsMove
var refsPoolsMove bool

// refsPoolMoved is called when x enters or leaves the pool whose field local is
// at the given address. The caller is pinned to its P.
//
//go:linkname refsPoolMoved sync.runtime_poolMoved
func refsPoolMoved(local *unsafe.Pointer, x any) {
	item := efaceOf(&x)
	if !refsRecording.on || item.data == nil {
		return
	}
	m := refsMove{uintptr(unsafe.Pointer(local)), uintptr(unsafe.Pointer(item._type)), uintptr(item.data)}
	systemstack(func() { refsRecorder.moved(m) })
}

// refsNotMarked subtracts from the marked bytes those that the scan of the
// object at base, of span s, has added. addfinalizer calls refsNotMarked,
// because addfinalizer scans the object without marking it.
//
//go:nowritebarrierrec
func refsNotMarked(gcw *gcWork, s *mspan, base uintptr) {
	if refsRecording.on {
		gcw.bytesMarked -= uint64(min(s.elemsize, maxObletBytes))
		refsRecorder.notMarked(s, base)
	}
}

// refsGoroutines is the number of goroutines whose recording field is set.
// While it is 0, refsIsRecorder does not read that field.
var refsGoroutines atomic.Int32

// pprof_setRecording sets whether the calling goroutine takes a recording or
// writes its profile, and returns the previous value. The caller restores this
// value later, even if it panics.
//
//go:linkname pprof_setRecording
func pprof_setRecording(on bool) (was bool) {
	return getg().setRecording(on)
}

// setRecording sets whether gp, which runs on this M, is at work for a
// recording, and returns the previous value.
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

// refsIsRecorder reports whether the goroutine that runs on this M is at work
// for a recording. It may be called on any stack and with any locks held.
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

// refsTakesSpan reports whether a span of type typ, which is being allocated on
// this M, is allocated for a recording. It is if a goroutine that is at work
// for the recording allocates it. While the recording marks, it also is if it
// is for the collector's queues, or if it is allocated on a P that runs a mark
// worker. An example of the last case is the stack of a thread that starts in
// order to mark.
func refsTakesSpan(typ spanAllocType) bool {
	if refsIsRecorder() {
		return true
	}
	pp := getg().m.p.ptr()
	return refsRecording.on && (typ == spanAllocWorkBuf || pp != nil && pp.gcMarkWorkerMode != gcMarkWorkerNotWorker)
}

// refsRaceSync is the address at which the race detector notes releases and
// acquires.
var refsRaceSync byte

// refsRaceGoexit releases all that the current goroutine, which is ending, has
// done. goexit1 calls it in programs with the race detector.
func refsRaceGoexit() {
	racereleasemerge(unsafe.Pointer(&refsRaceSync))
}

// refsRaceStopped releases all that goroutines have done. It is called with the
// world stopped. A goroutine whose race context has ended has already called
// refsRaceGoexit.
func refsRaceStopped() {
	if !raceenabled {
		return
	}
	forEachGRace(func(gp *g) {
		if gp.racectx != 0 {
			racereleasemergeg(gp, unsafe.Pointer(&refsRaceSync))
		}
	})
}

// refsRaceAcquire acquires all that refsRaceGoexit and refsRaceStopped have
// released. The caller then reads types and labels.
func refsRaceAcquire() {
	if raceenabled {
		raceacquire(unsafe.Pointer(&refsRaceSync))
	}
}
