// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The root jobs of each stage.
//
// The root jobs of each stage, or of each step of a stage, are numbered from 0.
// work.markrootNext counts the jobs of all stages: it is refsMarking.jobBase
// when job 0 of the present stage or step is next.
//
// Data and bss are scanned in blocks, as without recording, but variable by
// variable: first the variables of the program's own packages, then those of
// other packages, then the runtime's (see refsGlobal.runtime). Modules without
// a table of variables, such as plugins (see mrefsglobals.go), share a stage,
// refs.StageModules. Of such a module, only data, bss and their pointer masks
// are known. Each block of these sections that refers to the heap has a node
// (see refs.ModuleBlock).
//
// Stacks are scanned by scanstack, which passes the references that it finds
// through greyobject to refsGrey. The main goroutine's stack is scanned first.
// The stacks of the program's next fifteen goroutines by age (sixteen if the
// main goroutine has ended) follow, one after the other, and then the stacks of
// the program's other goroutines. Those of the runtime's own goroutines are
// scanned in a later stage. An object that several goroutines hold is usually
// shown under the goroutine whose stack is scanned first, if this stack is
// scanned alone. Among stacks that are scanned together, the reference that is
// followed first decides. Old goroutines come first, because they are likely to
// exist in the next recording too, so recordings can be compared. They also
// often own the objects that others use.
//
// After its stack is scanned, a goroutine runs, allocates, and takes objects
// from queues and pools. Only the write barrier finds such objects, and some
// are not found at all. Therefore, a late stage scans the stacks of new
// goroutines. It also scans again the stacks of goroutines that have run since
// their first scan. g.waitsince shows whether a goroutine has run: markroot
// sets it when it scans the stack of a goroutine that waits or is in a system
// call, and the runtime usually clears it before the goroutine continues; see
// refsMayRun for the other goroutines. work.stackRoots grows for these scans.
// work.nStackRoots does not grow, because gcMarkRootCheck expects that all
// goroutines counted there have been scanned. The stage does not scan new
// goroutines that have ended or are the runtime's own. While marking,
// g.gcscandone is cleared only before a scan, which sets it again.
//
// Objects that are held back are released in two steps, after that of
// mrefsinfer.go if there are samples. Each root job of a step goes over some
// pages of the heap. The first step claims all objects that the stage releases,
// each at its node, so that none of them claims another. It flags the objects
// with pointers as not scanned. The second step scans these. In this step, a P
// takes the next job only when it finds no objects to scan in the queues.
// Neither step needs a list of the objects, of which there may be millions.

package runtime

import (
	"internal/goarch"
	"internal/runtime/atomic"
	"internal/runtime/refs"
	"unsafe"
)

// refsRoots has the roots of the stage. refsStartCycle resets oldest with the
// world stopped. The goroutine in gcMarkDone makes all other changes, before it
// raises work.markrootJobs.
var refsRoots struct {
	oldest      refsOldest
	timerJobs   uint32 // number of root jobs for timers
	specialJobs uint32 // number of root jobs with which refs.StageSpecials begins
	modules     int    // number of modules when refs.StageModules began
	found       refsFound
	releasing   []arenaIdx // arenas that the jobs of a release step go over
}

// refsMarkroot does a root job of the current stage. It returns the scan work
// done in global variables and stacks, in bytes. A block of global variables
// that several stages scan counts only in refs.StageOwn. Scan work in heap
// objects is in gcw.heapScanWork.
//
//go:nowritebarrier
func refsMarkroot(gcw *gcWork, job uint32) int64 {
	if refsMarking.release != refsReleaseNone {
		refsMarking.release.do(gcw, job)
		return 0
	}
	rp := refsOf(gcw.id)
	switch roots := refsMarking.stage.Roots(); roots {
	case refs.SampledSpans, refs.SampledObjects:
		refsDoSamples(&rp.words, job)
	case refs.OwnGlobals, refs.OtherGlobals:
		return refsMarkGlobals(rp, gcw, job, roots)
	case refs.RuntimeGlobals:
		return refsMarkRuntime(rp, gcw, job)
	case refs.ModuleData:
		return refsMarkModules(rp, gcw, job)
	case refs.MainOwnFrames:
		return refsScanStackUncounted(rp, gcw, refsMain)
	case refs.MainStack:
		return refsMarkStack(rp, gcw, refsMain, false)
	case refs.OldestStacks:
		return refsRoots.oldest.do(rp, gcw, job)
	case refs.ProgramStacks:
		return refsMarkStack(rp, gcw, job, false)
	case refs.AllStacks:
		return refsMarkStack(rp, gcw, job, true)
	case refs.ChangedStacks:
		return refsMarkStackAgain(rp, gcw, job)
	case refs.ChangedObjects:
		return refsFollowAgain(rp, gcw, job)
	case refs.Specials:
		refsMarkSpecialsJob(rp, gcw, job)
	}
	return 0
}

// refsMarkSpecialsJob does a job of the stage of timers, finalizers, cleanups
// and weak handles.
//
//go:nowritebarrier
func refsMarkSpecialsJob(rp *refsP, gcw *gcWork, job uint32) {
	switch timer := job - refsRootFixed; {
	case job < refsRootFixed || job >= refsRoots.specialJobs:
		refsMarkQueued(&rp.refsClaimer, gcw)
	case timer < refsRoots.timerJobs:
		refsMarkTimers(&rp.refsClaimer, gcw, timer)
	default:
		refsMarkSpecials(&rp.refsClaimer, gcw, timer-refsRoots.timerJobs)
	}
}

// refsRootFixed is the number of root jobs with which refs.StageSpecials
// begins: one for the queues of finalizers and cleanups. The jobs of timers
// follow, and then the jobs of spans. Jobs that refsMarkQueued adds come last.
const refsRootFixed = 1

// refsSpecialJobs prepares refs.StageSpecials, and returns the number of its
// root jobs.
func refsSpecialJobs() uint32 {
	refsRoots.timerJobs = refsTimerJobs()
	refsStartQueued()
	refsRoots.specialJobs = refsRootFixed + refsRoots.timerJobs + refsSpanJobs()
	return refsRoots.specialJobs
}

// refsMarkRuntime does a job of the stage of the runtime's own global
// variables. The last job frees the stacks of dead goroutines.
//
//go:nowritebarrier
func refsMarkRuntime(rp *refsP, gcw *gcWork, job uint32) int64 {
	if job == refsGlobalJobs() {
		systemstack(markrootFreeGStacks)
		return 0
	}
	return refsMarkGlobals(rp, gcw, job, refs.RuntimeGlobals)
}

// refsGlobalJobs returns the number of jobs for data and bss.
func refsGlobalJobs() uint32 {
	return uint32(work.nDataRoots + work.nBSSRoots)
}

// refsMarkGlobals scans a block of data or bss. It follows the references in
// those variables that the stage follows.
//
//go:nowritebarrier
func refsMarkGlobals(rp *refsP, gcw *gcWork, job uint32, which refs.Roots) (done int64) {
	if refsGlobalCount() == 0 {
		return 0
	}
	section, mask, lo, hi := refsCut(&firstmoduledata, job)
	b := refsBlock{rp: rp, gcw: gcw, section: section, mask: mask, which: which}
	b.scan(lo, hi)
	if which != refs.OwnGlobals { // refs.StageOwn has counted the block
		return 0
	}
	gcController.globalsScanWork.Add(int64(hi - lo))
	return int64(hi - lo)
}

// refsBlock is the scan of a part of a module's data or bss.
type refsBlock struct {
	rp      *refsP
	gcw     *gcWork
	section uintptr    // start of data or bss
	mask    *uint8     // pointer mask of the section
	which   refs.Roots // global variables that the stage follows
	pkg     uintptr    // address of the package name of the previous variable that was not the runtime's
	own     bool       // whether that package is the program's own
}

// refsCut returns the section of module md that a job is for, its pointer mask,
// and the job's part [lo, hi) of the section. The part is empty if the section
// ends before it.
//
//go:nowritebarrier
func refsCut(md *moduledata, job uint32) (section uintptr, mask *uint8, lo, hi uintptr) {
	section, end, mask, block := md.data, md.edata, md.gcdatamask.bytedata, uintptr(job)
	if job >= uint32(work.nDataRoots) {
		section, end, mask, block = md.bss, md.ebss, md.gcbssmask.bytedata, uintptr(job)-uintptr(work.nDataRoots)
	}
	lo = min(section+block*rootBlockBytes, end)
	return section, mask, lo, min(lo+rootBlockBytes, end)
}

// scan follows those references in [lo, hi) that are in variables that the
// stage follows. The module has a table.
//
//go:nowritebarrier
func (b *refsBlock) scan(lo, hi uintptr) {
	table := refsGlobalTable()
	for i := refsGlobalFrom(lo); i < table.Len(); i++ {
		g := refsGlobalIn(&table, i)
		if g.addr >= hi || g.addr < b.section {
			return
		}
		if b.follows(&g) {
			b.words(max(lo, g.addr), min(hi, g.addr+g.size), i)
		}
	}
}

// follows reports whether the stage follows the references in g.
//
//go:nowritebarrier
func (b *refsBlock) follows(g *refsGlobal) bool {
	if pkg := uintptr(unsafe.Pointer(unsafe.StringData(g.pkg))); pkg != b.pkg && !g.runtime {
		b.pkg, b.own = pkg, refsOwn.has(g.pkg)
	}
	which := refs.GlobalsOf(g.runtime, b.own)
	return which == b.which || b.which == refs.ChangedObjects && which != refs.RuntimeGlobals
}

// words follows the references in [lo, hi), which is a part of global i.
//
//go:nowritebarrier
func (b *refsBlock) words(lo, hi uintptr, i int) {
	b.begin()
	scan := refsScan{rp: b.rp, gcw: b.gcw}
	for p := b.next(lo, hi); p < hi; p = b.next(p+goarch.PtrSize, hi) {
		if scan.node == 0 {
			scan.node = refsGlobalNode(i)
			scan.stride, scan.data = refsPaths.Stride(scan.node), refsGlobalAt(i).addr
		}
		scan.word(p)
	}
	b.end()
}

// begin prepares to gather references in global variables.
//
//go:nowritebarrier
func (b *refsBlock) begin() {
	if b.rp.log.on {
		b.rp.followAll(b.gcw)
		b.rp.log.byNode = true
	}
}

// end follows the references that have been gathered.
//
//go:nowritebarrier
func (b *refsBlock) end() {
	b.rp.followAll(b.gcw)
	b.rp.log.byNode = false
}

// next returns the address of the first reference to the heap in [p, hi). If
// there is none, it returns hi or a larger address.
//
//go:nowritebarrier
func (b *refsBlock) next(p, hi uintptr) uintptr {
	for p = alignUp(p, goarch.PtrSize); p < hi; p += goarch.PtrSize {
		w := (p - b.section) / goarch.PtrSize
		m := *addb(b.mask, w/8)
		if m == 0 && w%8 == 0 {
			p += 7 * goarch.PtrSize
			continue
		}
		if m>>(w%8)&1 != 0 && spanOfHeap(*(*uintptr)(unsafe.Pointer(p))) != nil {
			break
		}
	}
	return p
}

// refsGlobalFrom returns the index of the first variable that ends behind p, in
// bss if p is in bss, and in data otherwise. If there is none, it returns the
// index that follows the last variable of the section.
//
//go:nowritebarrier
func refsGlobalFrom(p uintptr) int {
	table := refsGlobalTable()
	first, end := 0, table.Data()
	if p >= firstmoduledata.bss && p < firstmoduledata.ebss {
		first, end = end, table.Len()
	}
	for first < end {
		mid := int(uint(first+end) / 2)
		if g := refsGlobalIn(&table, mid); g.addr+g.size <= p {
			first = mid + 1
		} else {
			end = mid
		}
	}
	return first
}

// refsGlobalNode returns the node for global i.
//
//go:nowritebarrier
func refsGlobalNode(i int) uint32 {
	g := refsGlobalAt(i)
	return refsPaths.Global(i, g.runtime, uintptr(unsafe.Pointer(g.typ)))
}

// refsModuleJobs returns the number of jobs for the modules without a table.
func refsModuleJobs() uint32 {
	refsRoots.modules = len(activeModules())
	if refsRoots.modules == 1 && refsGlobalCount() > 0 {
		return 0
	}
	return refsGlobalJobs()
}

// refsMarkModules follows the references in the job's part of data or bss of
// each module without a table (see refsCut).
//
//go:nowritebarrier
func refsMarkModules(rp *refsP, gcw *gcWork, job uint32) (done int64) {
	for _, md := range activeModules() {
		if md == &firstmoduledata && refsGlobalCount() > 0 {
			continue
		}
		section, mask, lo, hi := refsCut(md, job)
		b := refsBlock{rp: rp, gcw: gcw, section: section, mask: mask}
		b.scanModule(md, lo, hi)
		done += int64(hi - lo)
	}
	gcController.globalsScanWork.Add(done)
	return done
}

// scanModule follows the references in [lo, hi), a part of a section of md.
//
//go:nowritebarrier
func (b *refsBlock) scanModule(md *moduledata, lo, hi uintptr) {
	size := refsModuleBlockSize(md, b.section)
	b.begin()
	scan := refsScan{rp: b.rp, gcw: b.gcw}
	for p := b.next(lo, hi); p < hi; p = b.next(p+goarch.PtrSize, hi) {
		if block := b.section + (p-b.section)/size*size; scan.node == 0 || block != scan.data {
			scan.node, scan.data = refsModuleNode(block), block
			scan.stride = refsPaths.Stride(scan.node)
		}
		scan.word(p)
	}
	b.end()
}

// refsModuleBlockSize returns the size in bytes, a power of two, of the blocks
// of the section of md that begins at the given address.
//
//go:nowritebarrier
func refsModuleBlockSize(md *moduledata, section uintptr) uintptr {
	n := md.edata - md.data
	if section == md.bss {
		n = md.ebss - md.bss
	}
	return refs.ModuleBlock(n, refsRoots.modules)
}

// refsModuleNode returns the node of the block at p.
//
//go:nowritebarrier
func refsModuleNode(p uintptr) uint32 {
	return refsPaths.ModuleNode(p)
}

// refsMarkStack follows the references in a stack, unless an earlier stage has
// done so. It skips the runtime's own goroutines unless system is set. The
// goroutines that the runtime has for finalizers and cleanups are the runtime's
// own only while they run none.
//
//go:nowritebarrier
func refsMarkStack(rp *refsP, gcw *gcWork, i uint32, system bool) int64 {
	gp := work.stackRoots[i]
	if gp.gcscandone || !system && isSystemGoroutine(gp, false) {
		return 0
	}
	return refsScanStack(rp, gcw, i)
}

// refsScanStack follows the references in the stack with root index i, and
// returns the scan work done, in bytes.
//
//go:nowritebarrier
func refsScanStack(rp *refsP, gcw *gcWork, i uint32) int64 {
	gp := work.stackRoots[i]
	rp.stack.begin(gp)
	if rp.log.on {
		rp.log.begin(gp)
	}
	n := markroot(gcw, work.baseStacks+i, false)
	rp.stack.end()
	rp.log.goroutine = 0
	return n
}

// refsScanStackUncounted is refsScanStack without a change of the collector's
// counts of scanned stacks. Another stage counts the stack, unless the
// goroutine is new.
//
//go:nowritebarrier
func refsScanStackUncounted(rp *refsP, gcw *gcWork, i uint32) int64 {
	pp := getg().m.p.ptr()
	size, stacks := pp.scannedStackSize, pp.scannedStacks
	n := refsScanStack(rp, gcw, i)
	gcController.stackScanWork.Add(-n)
	pp.scannedStackSize, pp.scannedStacks = size, stacks
	return n
}

// refsMainJobs returns 1, or 0 if the main goroutine has ended. The main
// goroutine is the first that a program makes, and no other has its goid.
func refsMainJobs() uint32 {
	if gp := work.stackRoots[refsMain]; gp.goid != 1 || readgstatus(gp)&^_Gscan == _Gdead {
		return 0
	}
	return 1
}

// refsMain is the index of the main goroutine in work.stackRoots.
const refsMain = 0

// refsMainAgain lets the main goroutine's stack be scanned once more, and
// returns 1. If the main goroutine has ended, it returns 0. It is called while
// no worker marks.
func refsMainAgain() uint32 {
	jobs := refsMainJobs()
	if jobs > 0 {
		work.stackRoots[refsMain].gcscandone = false
	}
	return jobs
}

// refsStacksAgainJobs prepares refs.StageAgain, and returns the number of root
// jobs. It is called while no worker marks.
func refsStacksAgainJobs() uint32 {
	lock(&allglock)
	work.stackRoots = allGsSnapshot() // the snapshot begins with the goroutines of the previous one
	unlock(&allglock)
	n := uint32(len(work.stackRoots))
	work.baseEnd = work.baseStacks + n
	return n
}

// refsMarkStackAgain follows the references in a stack, if its goroutine is new
// or may have run since the stack was scanned. It skips the runtime's own
// goroutines.
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

// refsMayRun lets gp, which is stopped after its stack has been scanned, count
// as having run, if it may run on without clearing g.waitsince. A goroutine
// that waits for a coroutine, or waits only so that its stack can be scanned,
// does. If it is in a system call, it may have cleared g.waitsince before
// markroot set it.
//
//go:nowritebarrierrec
func refsMayRun(gp *g) {
	reason := gp.waitreason
	switch readgstatus(gp) &^ _Gscan {
	case _Gsyscall:
		if gp.waitsince != work.tstart {
			return
		}
	case _Gwaiting:
		if reason != waitReasonCoroutine && !reason.isWaitingForSuspendG() {
			return
		}
	default:
		return
	}
	gp.waitsince = 0
}

// refsBorrowedJobs begins to scan borrowers, and returns the number of root
// jobs. Borrowers are claimed already, so the stage needs only the second step
// of releasing objects.
func refsBorrowedJobs() uint32 {
	if !refsMarking.delayed.Load() {
		return 0
	}
	jobs := refsReleaseJobs()
	refsMarking.release = refsReleaseScan
	return jobs
}

// refsHeldPages is the number of pages that a root job of a release step goes
// over. If these pages are full of objects of 8 bytes, they have about as many
// objects as an oblet has words of 8 bytes.
const refsHeldPages = maxObletBytes / pageSize

// refsReleaseJobs begins to release objects that are held back, and returns the
// number of root jobs. The jobs go over all arenas of the heap except user
// arenas. This includes arenas that were mapped while marking.
func refsReleaseJobs() uint32 {
	refsMarking.release = refsReleaseClaim
	if refsCollects() {
		refsMarking.release = refsReleaseCollect
	}
	refsRoots.releasing = refsArenas()
	return refsReleaseStepJobs()
}

// refsReleaseStepJobs begins the step refsMarking.release, and returns the
// number of its root jobs.
func refsReleaseStepJobs() uint32 {
	if refsMarking.release == refsReleaseCollect {
		return refsSpanJobs()
	}
	refsPaths.InferIn(refsMarking.stage)
	return uint32(len(refsRoots.releasing) * (pagesPerArena / refsHeldPages))
}

// refsReleasing returns the arena of a job that goes through refsHeldPages pages
// of refsRoots.releasing, and the first of these pages. ra is nil if the arena
// has no refsPages.
//
//go:nowritebarrierrec
func refsReleasing(job uint32) (ha *heapArena, ra *refsArena, first uintptr) {
	page := uintptr(job) * refsHeldPages
	ai := refsRoots.releasing[page/pagesPerArena]
	ha = mheap_.arenas[ai.l1()][ai.l2()]
	return ha, ha.refsArena(), page % pagesPerArena
}

// do performs a root job of step s.
//
//go:nowritebarrier
func (s refsReleaseStep) do(gcw *gcWork, job uint32) {
	if s == refsReleaseCollect {
		refsCollect(job)
		return
	}
	ha, ra, first := refsReleasing(job)
	if ra == nil {
		return
	}
	for page := first; page < first+refsHeldPages; page++ {
		held := atomic.Load8(&ra.held[page/8]) >> (page % 8)
		if held == 0 {
			page |= 7 // the last page of this byte
			continue
		}
		if held&1 == 0 {
			continue
		}
		if span, words := ha.spans[page], ra.pages[page].words.Load(); s == refsReleaseClaim {
			refsClaimHeld(gcw, span, words)
		} else {
			refsScanReleased(gcw, span, words)
		}
	}
}

// refsClaimHeld claims the objects of s that the stage releases. words is the
// number of the first object's word.
//
//go:nowritebarrierrec
func refsClaimHeld(gcw *gcWork, s *mspan, words uint32) {
	flag := uint32(refs.Unscanned)
	if s.spanclass.noscan() {
		flag = 0
	}
	flag |= refsHullFlag(s)
	rp, node, objects := refsOf(gcw.id), uint32(0), int64(0)
	from, released, inferred := uint32(0), false, refsInferred{}
	for i := range uint32(s.nelems) {
		w := refsPages.at(words + i)
		old := w.Load()
		if old&refs.Held == 0 {
			continue
		}
		n := old &^ (refs.Held | refs.HeldNew)
		if n != from {
			from, released = n, refsMarking.stage.Releases(refsRank(n))
		}
		if !released {
			continue
		}
		n = inferred.node(s, i, n)
		if !w.CompareAndSwap(old, n|flag) {
			continue
		}
		if n != node {
			if objects > 0 {
				refsPaths.Count(node, objects, objects*int64(s.elemsize))
			}
			node, objects = n, 0
		}
		objects++
		if rp.log.on {
			rp.logReleased(s, i, n)
		}
		if old&refs.HeldNew != 0 {
			rp.uncountAllocated(s.elemsize)
		} else {
			gcw.bytesMarked += uint64(s.elemsize)
		}
		refsCountReleased(s, i, n, flag&refs.Partly != 0)
	}
	if objects > 0 {
		refsPaths.Count(node, objects, objects*int64(s.elemsize))
	}
}

// logReleased logs that object i of s has been claimed at node n.
//
//go:nowritebarrierrec
func (rp *refsP) logReleased(s *mspan, i, n uint32) {
	var o refsObject
	o.fromSpan(s.base()+uintptr(i)*s.elemsize, s, uintptr(i))
	o.logClaim(&rp.refsClaimer, n)
}

// refsScanReleased scans the objects of s that refsClaimHeld has claimed and,
// from refs.StageBorrowed on, those that are delayed. words is the number of
// the first object's word. A P that sees a change of refsMarking.stage late may
// delay an object even after refs.StageBorrowed has begun. A later stage scans
// this object, at the latest refs.StageBarrier: no P delays an object in that
// stage, because refsStageJobs calls forEachP before the stage begins.
//
//go:nowritebarrier
func refsScanReleased(gcw *gcWork, s *mspan, words uint32) {
	waiting := uint32(refs.Unscanned)
	if !refsMarking.stage.Delays() {
		waiting |= refs.Delayed
	}
	var o refsObject
	for i := range uintptr(s.nelems) {
		w := refsPages.at(words + uint32(i))
		n := w.Load()
		if n&refs.Held != 0 || n&waiting == 0 {
			continue
		}
		w.Store(n&^waiting | refs.Alone)
		n &^= refs.ObjectFlags
		o.fromSpan(s.base()+i*s.elemsize, s, i)
		refsPaths.CountScan(n, o.scanFrom(n, gcw, refsCounts))
	}
}
