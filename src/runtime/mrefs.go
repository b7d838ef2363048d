// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Recording of references: the path by which marking reaches each object.
//
// A recording is one garbage collection in which, in most cases, the first
// reference that reaches an object claims it (mrefsclaim.go). The object is
// counted at a node, which stands for the path to the object. Package
// runtime/pprof requests recordings. By which path an object is named is the
// policy of a recording, which package internal/runtime/refs has: nodes, types,
// and the rules by which a reference is resolved. The files of the recorder,
// each of which builds mainly on those above it:
//
//	mrefsmemory.go    memory off the heap
//	mrefsstage.go     the state of a recording, and the worker that begins a stage alone
//	mrefspage.go      objects: from an address to the object, and to the word for its node's number
//	mrefsmark_*.go    mark bits and work queue, with and without Green Tea
//	mrefsglobals.go   the linker's table of global variables
//	mrefsown.go       which packages are the program's own
//	mrefsvars.go      the compiler's entries for variables
//	mrefsvarcache.go  decoded entries
//	mrefsprocess.go   the process, as internal/runtime/refs sees it
//	mrefsitab*.go     which memory has itabs
//	mrefslog.go       the log of all references, for the heap graph
//	mrefsresolve.go   from a reference to the key of its node
//	mrefscache.go     resolved references
//	mrefsunused.go    the bytes of objects to which no reference refers
//	mrefsclaim.go     claiming objects, and holding them back
//	mrefsframe.go     the frames of a stack
//	mrefsstack.go     references in stacks
//	mrefsscan*.go     scanning objects and following their references
//	mrefsscanwork.go  the scan work of an object
//	mrefsspecial.go   finalizers, cleanups, weak handles, timers
//	mrefsinfer.go     inferring types from those of sampled objects
//	mrefsmoved.go     items that enter or leave pools
//	mrefssites.go     allocation sites of sampled objects
//	mrefsoldest.go    the oldest goroutines
//	mrefsroots.go     the root jobs of each stage
//	mrefsobjects.go   objects that are followed again
//	mrefsdrain.go     draining the work queues
//	mrefs.go          the cycle: request, start, stages, end
//	mrefshooks.go     functions that the rest of the runtime calls
//	mrefsprofile.go   the result for runtime/pprof
//	mrefsgraph.go     the heap graph for runtime/pprof
//
// While a recording marks, useCheckmark is true, and marking takes the slow
// paths that it has for checkmarks. At the beginning of these paths,
// refsRecording.on selects the recorder, so no fast path has an additional test.
// gcDrain and gcDrainN call refsDrain and refsDrainN when they begin, so the hot
// loops of marking are unchanged.
//
// Stages order the roots (package internal/runtime/refs has their table). Each
// is drained before the next one begins, apart from objects that a P keeps to
// itself (see refsMarkStages). A stage begins by adding root jobs. gcStart begins
// the first stage. gcMarkDone begins a later stage after its ragged barrier, and
// refsMarkStages may then begin the following stages without another barrier.
// The world is not stopped for a stage.
//
// The memory of a recording is off the heap, counts in memstats.gcMiscSys, and
// is freed at the end. Only a slice that keeps labels of goroutines alive is on
// the heap. If there is no memory for an object's node, the object is counted at
// a shorter path, and the profile reports how many such objects there are.

package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/refs"
	"unsafe"
)

// refsRecording is the recording. The requester, which holds refsSema, sets ever
// and pending before the cycle, and clears pending to allocate more memory or to
// give up. With the world stopped, refsStartCycle clears pending, and
// refsStartCycle and refsStopCycle write the other fields.
var refsRecording struct {
	pending atomic.Uint32 // 1 if the next cycle is to record
	ever    atomic.Bool   // pending has been 1 at some time

	on bool // a recording cycle is marking now

	live    uint64 // bytes that the cycle marked
	scan    int64  // bytes of objects that the cycle scanned, as nodes have them
	paused  int64  // ns that the recording has added to the time with the world stopped
	markEnd int64  // ns, as nanotime returns it

	scanAgain atomic.Int64 // bytes that the cycle scanned and no node has, such as those of objects that are scanned for their finalizers
}

// refsSema is held by the goroutine that records references.
var refsSema uint32 = 1

// refsRecord runs a recording cycle, and returns when its marking has ended. If
// sites is set, it joins the allocation sites of sampled objects with nodes.
// The caller must hold refsSema. If failed is "", the nodes are in place, and
// the caller must call refsFree. Otherwise failed is the reason why there is no
// recording, and the memory is freed.
func refsRecord(sites bool) (failed string) {
	if !refsAlloc() {
		return "no memory for recording references"
	}
	refsSites.begin(sites)
	refsRecorder = refsFunctions{refsStartCycle, refsBeginStage, refsMarkStages, refsStopCycle, refsDrainAll, refsAssist, refsFollowGrey, refsFollowWords, refsHoldNew, refsNotMarkedWork, refsTakeMoved}
	refsRecording.ever.Store(true)
	refsRecording.pending.Store(1)
	if hasRefsLimit() {
		refsLimit.begin()
		defer refsLimit.end()
	}
	for tries := 0; refsRecording.pending.Load() != 0; tries++ {
		if refsPs.n < gomaxprocs && refsRecording.pending.CompareAndSwap(1, 0) {
			refsFree()
			if !refsAlloc() {
				return "no memory for recording references"
			}
			refsRecording.pending.Store(1)
		}
		if tries == 100 && refsRecording.pending.CompareAndSwap(1, 0) {
			refsFree()
			return "garbage collections did not record"
		}
		n := work.cycles.Load()
		gcWaitOnMark(n)
		gcStart(gcTrigger{kind: gcTriggerCycle, n: n + 1})
		gcWaitOnMark(n + 1)
	}
	gcWaitOnMark(refsMarking.cycle) // the recording cycle need not be one that was started here
	return ""
}

// refsAlloc allocates the memory that a recording starts with. It reports
// whether there is enough. If not, it frees what it has allocated.
func refsAlloc() bool {
	refsMemory.spent.Store(false)
	refsBeginLimit()
	refsPs.n = gomaxprocs
	refsOwn.module, refsOwn.main = refs.OwnPaths(modinfo)
	refsPs.first = (*refsP)(refsSysAlloc(uintptr(refsPs.n) * unsafe.Sizeof(refsP{})))
	if refsPs.first == nil || !refsAllocPaths() || !refsPages.alloc() || !refsMemory.reserve.take() {
		refsFree()
		return false
	}
	refsLabels.sets = make([]unsafe.Pointer, refs.MaxLabels)
	return true
}

// refsFree frees the memory of the recording, except the log (see refsLogEnd).
func refsFree() {
	refsMemory.reserve.giveUp()
	refsLabels.sets = nil
	if refsPs.first != nil {
		for id := range refsPs.n {
			refsOf(id).free()
		}
		refsSysFree(unsafe.Pointer(refsPs.first), uintptr(refsPs.n)*unsafe.Sizeof(refsP{}))
		refsPs.first = nil
	}
	refsPaths.Free()
	refsSites.free()
	refsPages.free()
}

// refsStartCycle begins to record, unless the cycle looks for leaked
// goroutines, marks with the world stopped, or has more Ps than the recording
// has memory for. It runs with the world stopped (see refsStart).
func refsStartCycle() {
	if work.goroutineLeak.enabled || work.mode != gcBackgroundMode || int32(len(allp)) > refsPs.n {
		return
	}
	assertWorldStopped()
	start := nanotime()
	refsMarking.cycle = work.cycles.Load()
	refsRecording.pending.Store(0)
	refsPages.grow()
	refsMarking.stage = refs.First(refsSites.wanted)
	refsMarking.release = refsReleaseNone
	refsMarking.deferred.Store(false)
	refsMarking.delayed.Store(false)
	refsMarking.jobBase = 0
	refsRecording.scanAgain.Store(0)
	refsRoots.oldest.n = refsOldestNone
	refsRoots.found.counting = false
	work.markrootJobs.Store(refsStageJobs())
	refsMarking.alone.want()
	refsStartLog()
	refsPoolsMove = true
	refsRecording.on = true
	useCheckmark = true
	refsRecording.paused = nanotime() - start
}

// refsBeginStage begins the next step of the stage (see refsReleaseStep), or
// the next stage that has roots, and adds its root jobs. If there is no such
// step or stage, it adds no jobs. The goroutine in gcMarkDone calls it while no
// worker marks (see refsNextStage and refsMarkStages).
func refsBeginStage() {
	jobs := uint32(0)
	if refsMarking.release = refsMarking.release.next(); refsMarking.release != refsReleaseNone {
		jobs = refsReleaseStepJobs()
	}
	for jobs == 0 && !refsSites.lastStage() {
		refsMarking.stage = refsMarking.stage.Next(refsRepeats())
		jobs = refsStageJobs()
	}
	if jobs > 0 {
		if refsMarking.release.follows() && !refsRoots.found.counting {
			refsMarking.alone.want()
		}
		refsMarking.jobBase = work.markrootNext.Load()
		work.markrootJobs.Store(refsMarking.jobBase + jobs)
	}
}

// refsRepeats reports whether the stage has more turns or steps.
func refsRepeats() bool {
	return refsMarking.stage == refs.StageOldest && refsRoots.oldest.n != 0 || refsRoots.found.counting
}

// refsMostHere limits the work of one call of refsMarkStages, in bytes of scan
// work.
const refsMostHere = 256 << 10

// refsMarkStages does the work of the stage that has begun. Whenever nothing is
// left of a stage, it continues with the next one, until it has done
// refsMostHere bytes. There are some thirty stages and steps, and most have
// next to no work. Without refsMarkStages, each would wait for gcMarkDone's
// ragged barrier and then for a worker to be scheduled, which takes long in a
// busy program. A recording would spend most of its time waiting while the
// program continues to allocate.
//
// No barrier is needed between two stages. If only the caller has worked on the
// first, nothing is left of it. If another P has worked on it too, and keeps
// objects to itself, they are scanned in a later stage, at the same node.
// refsMarkStages ends at refs.StageSystem, because from that stage on,
// gcMarkDone has to find that nothing is left.
func refsMarkStages() {
	systemstack(func() {
		gp := getg().m.curg
		pp := gp.m.p.ptr()
		start, done := nanotime(), int64(0)
		isTracked := pp.limiterEvent.start(limiterEventMarkAssist, start)
		for done < refsMostHere {
			gcBeginWork()
			casGToWaitingForSuspendG(gp, _Grunning, waitReasonGCWorkerActive)
			done += refsDrainFirst(&pp.gcw, refsMostHere-done)
			casgstatus(gp, _Gwaiting, _Grunning)
			gcEndWork() // refsStageIsDone checks whether this was the last worker
			if refsMarking.stage >= refs.StageSystem || !refsStageIsDone() {
				break
			}
			refsBeginStage()
		}
		now := nanotime()
		gcFlushBgCredit(done)
		gcController.assistTime.Add(now - start)
		if isTracked {
			pp.limiterEvent.stop(limiterEventMarkAssist, now)
		}
		gcCPULimiter.update(now)
		if gcMarkWorkAvailable() {
			gcController.enlistWorker()
		}
	})
}

// refsStageIsDone reports whether nothing is left of a stage's jobs and of the
// work that they have led to. The test that no worker is at work comes last. A
// worker decrements work.nwait before it claims a job or takes work. If an
// earlier test did not find a job or work because a worker had just taken it,
// the last test finds this worker, unless the worker has stopped since. What
// the worker has then left in the queues of its P is scanned in a later stage
// (see refsMarkStages).
func refsStageIsDone() bool {
	if gcMarkWorkAvailable() {
		return false
	}
	for _, pp := range allp {
		if !pp.gcw.refsSeemsEmpty() {
			return false
		}
	}
	return atomic.Load(&work.nwait) == work.nproc
}

// refsSeemsEmpty reports whether w, which may be another P's, is empty. The
// result may be wrong if that P is working.
func (w *gcWork) refsSeemsEmpty() bool {
	b1, b2 := w.wbuf1, w.wbuf2
	return (b1 == nil || b1.nobj == 0) && (b2 == nil || b2.nobj == 0) && w.spanq.empty()
}

// refsSafePoint is called for each P where only the P's safe point matters.
//
//go:nowritebarrierrec
func refsSafePoint(pp *p) {}

// refsStageJobs prepares the roots of the stage and returns the number of its
// root jobs. It is called with the world stopped or while no worker marks.
func refsStageJobs() uint32 {
	refsPaths.LimitTo(refsMarking.stage.NodeParts())
	refsPaths.InferIn(refsMarking.stage)
	refsTakeMoves()
	switch refsMarking.stage.Roots() {
	case refs.OwnGlobals, refs.OtherGlobals:
		return refsGlobalJobs()
	case refs.RuntimeGlobals:
		return refsGlobalJobs() + 1
	case refs.ModuleData:
		return refsModuleJobs()
	case refs.MainOwnFrames:
		return refsMainJobs()
	case refs.MainStack:
		return refsMainAgain()
	case refs.OldestStacks:
		return refsRoots.oldest.next()
	case refs.ProgramStacks, refs.AllStacks:
		return uint32(work.nStackRoots)
	case refs.ChangedStacks:
		return refsStacksAgainJobs()
	case refs.ChangedObjects:
		return refsObjectsAgainJobs()
	case refs.Borrowers:
		return refsBorrowedJobs()
	case refs.HeldObjects:
		return refsHeldJobs()
	case refs.Specials:
		return refsSpecialJobs()
	case refs.SampledObjects:
		refsSites.alloc() // if there is no memory, all sites are lost
	}
	return refsSpanJobs() // of the stages for allocation sites
}

// refsHeldJobs begins to release the objects that wait for the stage, and
// returns the number of root jobs. It returns 0 if no object waits for the
// stage.
func refsHeldJobs() uint32 {
	switch s := refsMarking.stage; s.ReleasesFrom() {
	case refs.RankBarrier:
		forEachP(waitReasonGCMarkTermination, refsSafePoint) // from now on no P holds objects back, except new objects without pointers
	case refs.RankPool:
		if refsPaths.Pool.Load() == 0 {
			return 0
		}
	default:
		if !refsMarking.deferred.Load() {
			return 0
		}
		refsMarking.deferred.Store(!s.Releases(refs.RankRegisters))
	}
	return refsReleaseJobs()
}

// refsStopCycle ends recording. It runs with the world stopped (see refsStop).
func refsStopCycle() {
	start := nanotime()
	refsRaceStopped()
	refsStopLog()
	useCheckmark = false
	refsPoolsMove = false
	refsRecording.on = false
	refsRecording.live = work.bytesMarked
	refsRecording.scan = gcController.heapScanWork.Load() - refsRecording.scanAgain.Load()
	refsRecording.markEnd = start
	refsRecording.paused += nanotime() - start
}

// refsStartLog lets all Ps log references if the recording is to be logged. It
// runs with the world stopped.
func refsStartLog() {
	if !refsLog.wanted {
		return
	}
	refsLog.base = 0
	for _, ai := range mheap_.heapArenas {
		if base := arenaBase(ai); refsLog.base == 0 || base < refsLog.base {
			refsLog.base = base
		}
	}
	for id := range refsPs.n {
		refsOf(id).log.on = true
	}
}

// refsStopLog hands all chunks of the log over to the writer. It runs with the
// world stopped.
func refsStopLog() {
	if !refsLog.wanted {
		return
	}
	for id := range refsPs.n {
		refsOf(id).log.stop()
	}
}
