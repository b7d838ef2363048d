// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The roots of each stage, as root jobs, and the references that they hold.
//
// A stage's jobs are numbered from 0 (refs.jobBase in work.markrootNext). Globals
// are scanned in blocks of data and bss, as without recording, but variable by
// variable: first those of the program's own packages, then those of others, and in the
// runtime's stage its. Those of
// modules without a table of variables have a stage of their own (mrefsmodule.go).
// Stacks are scanned by scanstack, whose finds greyobject passes to refsGrey.

package runtime

import (
	"internal/goarch"
	"internal/profilerecord"
	"unsafe"
)

// refsMarkroot does a root job of the current stage and returns the work done.
//
//go:nowritebarrier
func refsMarkroot(gcw *gcWork, job uint32) int64 {
	if refs.release != refsReleaseNone {
		refs.release.do(gcw, job)
		return 0
	}
	rp := refsOf(gcw.id)
	switch refs.stage {
	case refsStageSamples, refsStageSites:
		refsDoSamples(rp, job)
	case refsStageOwn:
		return refsMarkGlobals(rp, gcw, job, refsGlobalsOwn)
	case refsStageMainOwn:
		return refsScanStackUncounted(rp, gcw, refs.main)
	case refsStageMain:
		return refsMarkStack(rp, gcw, refs.main, false)
	case refsStageGlobals:
		return refsMarkGlobals(rp, gcw, job, refsGlobalsOther)
	case refsStageModules:
		return refsMarkModules(rp, gcw, job)
	case refsStageOldest:
		return refsMarkStack(rp, gcw, refs.oldest.root(), false)
	case refsStageStacks:
		return refsMarkStack(rp, gcw, job, false)
	case refsStageSpecials:
		refsMarkSpecialsJob(rp, gcw, job)
	case refsStageRuntime:
		return refsMarkRuntime(rp, gcw, job)
	case refsStageSystem:
		return refsMarkStack(rp, gcw, job, true)
	case refsStageAgain:
		return refsMarkStackAgain(rp, gcw, job)
	}
	return 0
}

// refsMarkStack follows the references in a stack, unless another stage has, or it is
// one of the runtime's own goroutines and these are not to be followed yet. Whether
// a goroutine is the runtime's own may change, as that of finalizers does.
//
//go:nowritebarrier
func refsMarkStack(rp *refsP, gcw *gcWork, i uint32, system bool) int64 {
	gp := work.stackRoots[i]
	if gp.gcscandone || !system && isSystemGoroutine(gp, false) {
		return 0
	}
	return refsScanStack(rp, gcw, i)
}

// refsScanStack follows the references in a stack.
//
//go:nowritebarrier
func refsScanStack(rp *refsP, gcw *gcWork, i uint32) int64 {
	gp := work.stackRoots[i]
	rp.stack.begin(gp)
	n := markroot(gcw, work.baseStacks+i, false)
	rp.stack.end()
	refsMayRun(gp)
	return n
}

// refsScanStackUncounted is refsScanStack for a stack whose scan another stage counts.
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

// refsMainJobs finds the main goroutine, and returns 1, or 0 if there is none.
func refsMainJobs() uint32 {
	refs.main = refsNoMain
	for i, gp := range work.stackRoots[:work.nStackRoots] {
		if gp.goid == 1 && readgstatus(gp)&^_Gscan != _Gdead {
			refs.main = uint32(i)
			return 1
		}
	}
	return 0
}

// refsNoMain is refs.main if there is no main goroutine.
const refsNoMain = ^uint32(0)

// refsMainAgain has the main goroutine's stack scanned once more, and returns 1, or 0 if
// there is none. It is called with no mark worker at work.
func refsMainAgain() uint32 {
	if refs.main == refsNoMain {
		return 0
	}
	work.stackRoots[refs.main].gcscandone = false
	return 1
}

// refsGlobalJobs returns the number of jobs for data and bss.
func refsGlobalJobs() uint32 {
	return uint32(work.nDataRoots + work.nBSSRoots)
}

// A refsGlobals is which globals a stage follows.
type refsGlobals uint8

const (
	refsGlobalsOwn   refsGlobals = iota // of the program's own packages
	refsGlobalsOther                    // of others but the runtime's
	refsGlobalsRuntime
)

// refsMarkGlobals follows the references that some of the variables in a block of data or
// bss are.
//
//go:nowritebarrier
func refsMarkGlobals(rp *refsP, gcw *gcWork, job uint32, which refsGlobals) (done int64) {
	if refsGlobalCount() == 0 {
		return 0
	}
	section, mask, lo, hi := refsCut(&firstmoduledata, job)
	b := refsBlock{rp: rp, gcw: gcw, section: section, mask: mask, which: which}
	b.scan(lo, hi)
	if which != refsGlobalsOwn { // which has counted the block
		return 0
	}
	gcController.globalsScanWork.Add(int64(hi - lo))
	return int64(hi - lo)
}

// refsBlock is the scan of a part of a module's data or bss.
type refsBlock struct {
	rp      *refsP
	gcw     *gcWork
	section uintptr
	mask    *uint8
	which   refsGlobals
	pkg     uintptr // where the name of the package of the variable before is
	own     bool    // that is the program's own
}

// refsCut returns the section that a job is about in module md, with its pointer mask,
// and which part of that: none if md has less.
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

// scan follows the references in [lo, hi) of the module that has a table.
//
//go:nowritebarrier
func (b *refsBlock) scan(lo, hi uintptr) {
	for i := refsGlobalFrom(lo); i < refsGlobalCount(); i++ {
		g := refsGlobalAt(i)
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
	if g.runtime || b.which == refsGlobalsRuntime {
		return g.runtime && b.which == refsGlobalsRuntime
	}
	if pkg := uintptr(unsafe.Pointer(unsafe.StringData(g.pkg))); pkg != b.pkg {
		b.pkg, b.own = pkg, refs.own.has(g.pkg)
	}
	return b.own == (b.which == refsGlobalsOwn)
}

// words follows the references in [lo, hi), which is part of global i.
//
//go:nowritebarrier
func (b *refsBlock) words(lo, hi uintptr, i int) {
	scan := refsScan{rp: b.rp, gcw: b.gcw}
	for p := b.next(lo, hi); p < hi; p = b.next(p+goarch.PtrSize, hi) {
		if scan.node == 0 {
			scan.node = refsGlobalNode(i)
			scan.stride, scan.data = refs.nodes.strideOf(scan.node), refsGlobalAt(i).addr
		}
		scan.word(p)
	}
	b.rp.followAll(b.gcw)
}

// next returns the address of the first reference to the heap in [p, hi), or hi or more.
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

// refsGlobalFrom returns the first variable that ends behind p, in data if p is in data.
//
//go:nowritebarrier
func refsGlobalFrom(p uintptr) int {
	first, end := 0, int(refsGlobalsTable.data)
	if p >= firstmoduledata.bss && p < firstmoduledata.ebss {
		first, end = end, refsGlobalCount()
	}
	for first < end {
		mid := int(uint(first+end) / 2)
		if g := refsGlobalAt(mid); g.addr+g.size <= p {
			first = mid + 1
		} else {
			end = mid
		}
	}
	return first
}

// refsGlobalNode returns the node for global i. If it is a reference itself, that
// node only gives the type of the reference, and the objects are at another of the
// same kind and offset (refsEdge.resolve).
//
//go:nowritebarrier
func refsGlobalNode(i int) uint32 {
	g := refsGlobalAt(i)
	key := refsKey{kind: profilerecord.RefsGlobal, role: profilerecord.RefsVariable, off: uintptr(i), typ: uintptr(unsafe.Pointer(g.typ))}
	if g.runtime {
		key.kind = profilerecord.RefsRuntimeGlobal
	}
	if refsIsOneReference(g.typ) {
		key.role = refsRoleDirect
	}
	return refs.nodes.find(&key)
}

// Root jobs of refsStageSpecials, before those of timers and those of spans.
const (
	refsRootFinalizers = iota
	refsRootCleanups   // the first of refsCleanupJobs
	refsRootFixed      = refsRootCleanups + refsCleanupJobs
)

// refsMarkSpecialsJob does a job of the stage of timers, finalizers, cleanups and weak
// handles.
//
//go:nowritebarrier
func refsMarkSpecialsJob(rp *refsP, gcw *gcWork, job uint32) {
	switch timer := job - refsRootFixed; {
	case job == refsRootFinalizers:
		refsMarkFinalizerQueue(rp, gcw)
	case job < refsRootFixed:
		refsMarkCleanupQueue(rp, gcw)
	case timer < refs.timerJobs:
		refsMarkTimers(rp, gcw, timer)
	default:
		refsMarkSpecials(rp, gcw, uintptr(timer-refs.timerJobs))
	}
}

// refsMarkRuntime does a job of the stage of the runtime's own globals.
//
//go:nowritebarrier
func refsMarkRuntime(rp *refsP, gcw *gcWork, job uint32) int64 {
	if job == refsGlobalJobs() {
		systemstack(markrootFreeGStacks)
		return 0
	}
	return refsMarkGlobals(rp, gcw, job, refsGlobalsRuntime)
}
