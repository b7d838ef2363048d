// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Recording of references: how marking reached each object.
//
// A recording is one garbage collection in which every mark is claimed once, by
// the reference that reaches the object first, and counted at a node that stands
// for the path to it (mrefsnode.go). It is made on demand for the refs profile of
// runtime/pprof. The way of the data:
//
//	mrefs.go         the cycle: request, start, stages, end (this file)
//	mrefshooks.go    what the collector calls
//	mrefsroots.go    roots of each stage, and the references they hold:
//	mrefsmodule.go     of globals of other modules
//	mrefsglobals.go    of globals, from the linker's table
//	mrefsown.go        of the program's own before those of others
//	mrefsoldest.go     of the oldest goroutines first
//	mrefsagain.go      of goroutines that have run since, again
//	mrefsstack.go      of stacks: which frame a word belongs to
//	mrefswords.go        the words of a stack, outermost frame first
//	mrefsframes.go       the list of a stack's frames
//	mrefsvars.go       of frames and closures: which variable it is
//	mrefsvarcache.go     decoded variables, for the next frame
//	mrefslabels.go     of goroutines with equal labels
//	mrefsspecial.go    of finalizers, cleanups and weak handles
//	mrefstimer.go      of timers
//	mrefsscan.go     draining the work queues and scanning objects
//	mrefsalone.go    which worker begins a stage
//	mrefsbatch.go    following references in batches
//	mrefsclaim.go    claiming marks, holding back, counting
//	mrefswidecache.go  a wider cache of resolved references
//	mrefsheld.go     releasing what is held back
//	mrefsnew.go      what is allocated meanwhile
//	mrefsborrowed.go delaying callbacks and contexts
//	mrefspage.go     from an address to its object and the object's node
//	mrefsresolve.go  from a reference to the key of its node
//	mrefstype.go       walking types
//	mrefsmap.go        inside maps and channels
//	mrefspool.go       inside pools
//	mrefswhole.go      where a type is the beginning of another
//	mrefsnode.go     the nodes
//	mrefssegment.go  where nodes and sites are kept
//	mrefssites.go    joining nodes and allocation sites of sampled objects
//	mrefsprofile.go  handing both to runtime/pprof
//	mrefsrace.go       and the race detector
//
// Marking takes the slow paths that it has for checkmarks while a recording
// runs: useCheckmark is true, and where they begin refs.on tells a recording.
// Nothing is tested on the fast paths. gcDrain and gcDrainN hand over to
// refsDrain, so that the hot loops of marking are as they were.
//
// Stages order the roots: the program's own globals, its main goroutine, there the program's
// own functions first, other globals, the oldest goroutines, then what callbacks and
// contexts refer to, then other stacks, then timers, finalizers and the
// like, then the runtime's own globals and stacks, then what only pools of package
// sync hold, then once more the stacks of goroutines that have run meanwhile. Each is
// drained before the next begins, first by references that tell the type of their target,
// then by those that do not. Pointers that only the write barrier finds are held back till
// the last stage that marks. A stage begins by adding root jobs after gcMarkDone's ragged
// barrier; the world is not stopped for it. If allocation sites are asked for, a stage
// before the others prepares for them, and one behind the others joins them.
//
// All memory is off the heap, in gcMiscSys, bounded, and freed at the end. What
// it does not suffice for is counted at a shorter path and reported.

package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

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

// refs is the state of the recording. Fields are written with the world stopped
// (on, cycle, live, paused), by the requester, who holds refsSema, before and after
// the cycle, or by the goroutine in gcMarkDone (stage, jobBase, oldest, timerJobs,
// untyped, release). The latter does so before it raises work.markrootJobs, and whoever takes
// a job of the stage, or works on what that leads to, sees it.
var refs struct {
	pending atomic.Uint32 // 1 if the next cycle shall record
	ever    atomic.Bool   // pending has been 1

	on        bool            // a recording cycle is marking
	untyped   bool            // references of unknown type claim at once
	release   refsReleaseStep // that the root jobs do
	releasing []arenaIdx      // that the jobs go over
	stage     refsStage
	jobBase   uint32 // work.markrootNext when the stage began
	oldest    refsOldest
	main      uint32 // root index of the main goroutine

	own       refsOwn
	timerJobs uint32

	alone refsAlone

	ps       *refsP // one a P
	nps      int32
	deferred atomic.Bool // objects are held back till the stage's typed references are drained
	delayed  atomic.Bool // objects wait for refsStageBorrowed to be scanned

	nodes refsNodes
	sites refsSites
	pages refsPages
	mem   atomic.Uint64 // bytes of off-heap memory that the recording has now

	poolLocal atomic.Uintptr // *_type of what sync.Pool refers to, once it is known

	reserve refsReserve
	spent   atomic.Bool // the recording gets no more memory, because the system had none

	// labels keeps labels of goroutines alive after the cycle. What is put there
	// is in use when it is put there, so that the cycle marks it. Of goroutines with
	// yet other labels it is not told what they are.
	labels  []unsafe.Pointer
	nlabels atomic.Uint32

	cycle     uint32
	live      uint64
	paused    int64
	markStart int64
	markEnd   int64
}

// refsSema is held by the goroutine that records references.
var refsSema uint32 = 1

// refsRecord runs a recording cycle and returns when its marking has ended, with
// the nodes in place for the caller, who must hold refsSema and call refsFree.
// If sites is set it joins allocation sites. failed tells why there is no recording.
func refsRecord(sites bool) (failed string) {
	if !refsAlloc() {
		refsFree()
		return "no memory for recording references"
	}
	refs.sites.begin(sites)
	refsRecorder = refsFunctions{refsStartCycle, refsBeginStage, refsMarkStages, refsStopCycle, refsDrainAll, refsAssist, refsFollowGrey, refsFollowWords, refsNoteNewNoscan}
	refs.ever.Store(true)
	refs.pending.Store(1)
	for tries := 0; refs.pending.Load() != 0; tries++ {
		if refs.nps < gomaxprocs && refs.pending.CompareAndSwap(1, 0) {
			refsFree()
			if !refsAlloc() {
				refsFree()
				return "no memory for recording references"
			}
			refs.pending.Store(1)
		}
		if tries == 100 && refs.pending.CompareAndSwap(1, 0) {
			refsFree()
			return "garbage collections did not record"
		}
		n := work.cycles.Load()
		gcWaitOnMark(n)
		gcStart(gcTrigger{kind: gcTriggerCycle, n: n + 1})
		gcWaitOnMark(n + 1)
	}
	gcWaitOnMark(refs.cycle) // which need not be one that was started here
	return ""
}

// refsStartCycle begins to record, unless the cycle cannot (see refsStart).
func refsStartCycle() {
	if work.goroutineLeak.enabled || work.mode != gcBackgroundMode || int32(len(allp)) > refs.nps {
		return
	}
	assertWorldStopped()
	start := nanotime()
	refs.cycle = work.cycles.Load()
	refs.pending.Store(0)
	refs.pages.grow()
	refs.stage = refsStageOwn
	if refs.sites.wanted {
		refs.stage = refsStageSamples
	}
	refs.release = refsReleaseNone
	refs.deferred.Store(false)
	refs.delayed.Store(false)
	refs.jobBase = 0
	refs.oldest.n = -1
	work.markrootJobs.Store(refsStageJobs())
	refs.alone.want()
	refs.on = true
	useCheckmark = true
	refs.markStart = start
	refs.paused = nanotime() - start
}

// refsBeginStage begins the next stage that has roots, or the next step of the stage
// (see refsNextStage).
func refsBeginStage() {
	jobs := uint32(0)
	if refs.release = refs.release.next(); refs.release != refsReleaseNone {
		jobs = work.markrootJobs.Load() - refs.jobBase
	}
	for jobs == 0 && !refs.sites.lastStage() {
		if refs.stage != refsStageOldest || refs.oldest.n == 0 {
			refs.stage++
		}
		jobs = refsStageJobs()
	}
	if jobs > 0 {
		if refs.release != refsReleaseClaim {
			refs.alone.want()
		}
		refs.jobBase = work.markrootNext.Load()
		work.markrootJobs.Store(refs.jobBase + jobs)
	}
}

// refsMostHere is how much work refsMarkStages does, in bytes of scan work.
const refsMostHere = 256 << 10

// refsMarkStages does the work of the stage that has begun, and of those that follow, as far
// as it is little. There are some thirty stages and steps, and most have next to no work. If each
// waited for gcMarkDone's ragged barrier and until a worker is scheduled, which in a busy
// program takes as long as others run, a recording would be little else, and the program
// would go on allocating meanwhile.
//
// Between two stages that the caller alone has worked on no barrier is needed: what a P
// may keep to itself is scanned in a later stage, at the same node. From refsStageSystem
// on gcMarkDone has to find that nothing is left.
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
			gcEndWork() // whether it is the last is for refsStageIsDone to tell
			if refs.stage >= refsStageSystem || !refsStageIsDone() {
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

// refsStageIsDone reports whether nothing is left of a stage's jobs, nor of what they have
// led to. That nobody works is tested last: whoever has claimed one of the jobs, or has
// taken work, had begun to before these were seen to be gone.
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

// refsSeemsEmpty reports whether w, which may be another P's, is empty. The answer may be
// wrong if that P works.
func (w *gcWork) refsSeemsEmpty() bool {
	b1, b2 := w.wbuf1, w.wbuf2
	return (b1 == nil || b1.nobj == 0) && (b2 == nil || b2.nobj == 0) && w.spanq.empty()
}

// refsStageParts has how many parts of the nodes there may be at the end of each stage:
// what the stages before have left, and at least one part more.
var refsStageParts = [...]uint32{
	refsStageSamples:         6,
	refsStageOwn:             6,
	refsStageMainOwn:         7,
	refsStageMain:            7,
	refsStageGlobals:         8,
	refsStageModules:         9,
	refsStageGlobalsUntyped:  10,
	refsStageOldest:          11,
	refsStageBorrowed:        12,
	refsStageStacks:          13,
	refsStageStacksUntyped:   14,
	refsStageSpecials:        15,
	refsStageSpecialsUntyped: 15,
	refsStageRuntime:         refsNodeParts,
	refsStageRuntimeUntyped:  refsNodeParts,
	refsStageSystem:          refsNodeParts,
	refsStagePools:           refsNodeParts,
	refsStageAgain:           refsNodeParts,
	refsStageBarrier:         refsNodeParts,
	refsStageSites:           refsNodeParts,
}

// refsStageJobs prepares the roots of the stage and returns their number.
func refsStageJobs() uint32 {
	refs.untyped = refs.stage.untyped()
	refs.nodes.limitTo(refsStageParts[refs.stage])
	switch refs.stage {
	case refsStageSamples:
		return uint32(work.nSpanRoots)
	case refsStageOwn, refsStageGlobals:
		return refsGlobalJobs()
	case refsStageMainOwn:
		return refsMainJobs()
	case refsStageMain:
		return refsMainAgain()
	case refsStageModules:
		return refsModuleJobs()
	case refsStageOldest:
		return refs.oldest.next()
	case refsStageBorrowed:
		return refsBorrowedJobs()
	case refsStageStacks:
		return uint32(work.nStackRoots)
	case refsStageSpecials:
		refs.timerJobs = refsTimerJobs()
		refsCleanups.Store(uintptr(gcCleanups.all.Load()))
		return refsRootFixed + refs.timerJobs + uint32(work.nSpanRoots)
	case refsStageRuntime:
		return refsGlobalJobs() + 1
	case refsStageSystem:
		return uint32(work.nStackRoots)
	case refsStagePools:
		if refs.poolLocal.Load() == 0 {
			return 0
		}
		return refsReleaseJobs()
	case refsStageAgain:
		return refsStacksAgainJobs()
	case refsStageBarrier:
		forEachP(waitReasonGCMarkTermination, func(pp *p) {}) // from now on nothing is held back
		return refsReleaseJobs()
	case refsStageSites:
		refs.sites.alloc() // if it fails, all are lost
		return uint32(work.nSpanRoots)
	default:
		if !refs.deferred.Load() {
			return 0
		}
		refs.deferred.Store(refs.stage == refsStageGlobalsUntyped) // registers may still be held back
		return refsReleaseJobs()
	}
}

// untyped reports whether references of unknown type claim at once in stage s. From
// refsStageSystem on they all do: after refsStageBarrier, which releases whatever is
// held back, nothing may be.
func (s refsStage) untyped() bool {
	switch s {
	case refsStageGlobalsUntyped, refsStageStacksUntyped, refsStageSpecialsUntyped, refsStageRuntimeUntyped:
		return true
	}
	return s >= refsStageSystem
}

// refsStopCycle ends recording (see refsStop).
func refsStopCycle() {
	start := nanotime()
	refsRaceStopped()
	useCheckmark = false
	refs.on = false
	refs.live = work.bytesMarked
	refs.markEnd = start
	refs.paused += nanotime() - start
}

// refsP is what a P has for itself while recording. Only code that runs on the P
// without being preempted uses it, and refsProfile after the cycle.
type refsP struct {
	_ sys.NotInHeap

	newObjects uint64 // allocated black, less those that are counted at a reference
	newBytes   uint64

	words    uint32 // next word of refs.pages to give out, and the end
	wordsEnd uint32

	stack  refsStack
	batch  refsBatch
	object refsObject // that is being followed to

	argument refsArgument // of the cleanup that was followed last
	timers   refsTimers

	cache [refsCacheSize]refsCached
}

func refsOf(id int32) *refsP {
	return (*refsP)(add(unsafe.Pointer(refs.ps), uintptr(id)*unsafe.Sizeof(refsP{})))
}

// refsAlloc makes the memory that a recording starts with.
func refsAlloc() bool {
	refs.spent.Store(false)
	refs.nps = gomaxprocs
	refs.own = refsOwnPackages(modinfo)
	refs.ps = (*refsP)(refsSysAlloc(uintptr(refs.nps) * unsafe.Sizeof(refsP{})))
	if refs.ps == nil {
		return false
	}
	if !refs.nodes.alloc() || !refs.pages.alloc() || !refs.reserve.take() {
		return false
	}
	refs.labels = make([]unsafe.Pointer, refsMaxLabels)
	refs.nlabels.Store(0)
	return true
}

// refsFree returns all memory of the recording.
func refsFree() {
	refs.reserve.giveUp()
	refs.labels = nil
	if refs.ps != nil {
		for id := range refs.nps {
			refsOf(id).stack.free()
		}
		refsSysFree(unsafe.Pointer(refs.ps), uintptr(refs.nps)*unsafe.Sizeof(refsP{}))
		refs.ps = nil
	}
	refs.nodes.free()
	refs.sites.free()
	refs.pages.free()
}

// refsSysAlloc returns n bytes of zeroed memory, or nil if the system has none, or
// once had none. Profiles of the program's own memory subtract refs.mem from the
// runtime's statistics. It grows before these and shrinks after them, so that at any
// moment the difference is not too large.
func refsSysAlloc(n uintptr) unsafe.Pointer {
	if refs.spent.Load() {
		return nil
	}
	var p uintptr // no write barrier
	systemstack(func() {
		if p = uintptr(sysAllocOS(n, "GC references")); p != 0 {
			refs.mem.Add(int64(n))
			gcController.mappedReady.Add(int64(n))
			memstats.gcMiscSys.add(int64(n))
		}
	})
	if p == 0 {
		refs.spent.Store(true)
		refs.reserve.giveUp()
	}
	return unsafe.Pointer(p)
}

// refsSysFree returns memory of refsSysAlloc.
func refsSysFree(p unsafe.Pointer, n uintptr) {
	systemstack(func() {
		sysFreeOS(p, n)
		memstats.gcMiscSys.add(-int64(n))
		gcController.mappedReady.Add(-int64(n))
		refs.mem.Add(-int64(n))
	})
}
