// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Releasing what is held back (mrefsclaim.go).
//
// An object that is held back has its node flagged in its word, and its span a bit
// in refsArena.held. When all is found for which a stage waits, the stage releases
// the objects in two steps, with a root job for each few pages that have words.
// The first step claims those that are still held, each at its node, so that none
// of them claims another, and flags those with pointers as not scanned yet. The
// second scans them, and follows what it finds before it goes on. Neither takes
// memory, of which millions of objects would need much.
//
// All runs while marking, without write barriers or locks. Only hold runs where the M
// may have no P, in forEachP.

package runtime

import "internal/runtime/atomic"

// refsHeldPages is the number of pages that a root job goes over. Objects of 8 bytes on
// them are as many as the pointers in an oblet.
const refsHeldPages = maxObletBytes / pageSize

// noteHeld notes that o, whose span has words, is held back at a node of the given
// rank.
//
//go:nowritebarrierrec
func (o *refsObject) noteHeld(rank int) {
	if rank >= refsRankRegisters && !refs.deferred.Load() {
		refs.deferred.Store(true)
	}
	o.noteInWords()
}

// noteInWords notes that the words of o's span have something for a stage that releases
// objects.
//
//go:nowritebarrierrec
func (o *refsObject) noteInWords() {
	base := o.mspan().base()
	page := base / pageSize % pagesPerArena
	held := &heapArenaOf(base).refsArena().held[page/8]
	if bit := uint8(1) << (page % 8); atomic.Load8(held)&bit == 0 {
		atomic.Or8(held, bit)
	}
}

// releases returns the rank from which on stage s releases objects.
func (s refsStage) releases() int {
	switch s {
	case refsStageGlobalsUntyped: // the main goroutine's registers wait for those of others
		return refsRankUntyped
	case refsStagePools:
		return refsRankPool
	case refsStageBarrier:
		return refsRankBarrier
	}
	return refsRankRegisters
}

// refsReleaseJobs begins to release what is held back, and returns the number of root
// jobs that go over all spans, those of arenas that were mapped while marking, too.
func refsReleaseJobs() uint32 {
	refs.release = refsReleaseClaim
	refs.releasing = refsArenas()
	return uint32(len(refs.releasing) * (pagesPerArena / refsHeldPages))
}

// A refsReleaseStep is a step of releasing what is held back.
type refsReleaseStep uint8

const (
	refsReleaseNone refsReleaseStep = iota
	refsReleaseClaim
	refsReleaseScan
)

// next returns the step that follows s.
func (s refsReleaseStep) next() refsReleaseStep {
	if s == refsReleaseClaim {
		return refsReleaseScan
	}
	return refsReleaseNone
}

// do does root job job of the step.
//
//go:nowritebarrier
func (s refsReleaseStep) do(gcw *gcWork, job uint32) {
	ai := refs.releasing[uintptr(job)*refsHeldPages/pagesPerArena]
	ha := mheap_.arenas[ai.l1()][ai.l2()]
	ra := ha.refsArena()
	if ra == nil {
		return
	}
	first := uintptr(job) * refsHeldPages % pagesPerArena
	for page := first; page < first+refsHeldPages; page++ {
		if atomic.Load8(&ra.held[page/8])>>(page%8)&1 == 0 {
			continue
		}
		if span, words := ha.spans[page], ra.pages[page].words.Load(); s == refsReleaseClaim {
			refsClaimHeld(gcw, span, words)
		} else {
			refsScanReleased(gcw, span, words)
		}
	}
}

// refsClaimHeld claims the objects of s that the stage releases. words is the number of
// the first object's word.
//
//go:nowritebarrierrec
func refsClaimHeld(gcw *gcWork, s *mspan, words uint32) {
	flag := uint32(refsUnscanned)
	if s.spanclass.noscan() {
		flag = 0
	}
	node, released, objects := uint32(0), false, int64(0)
	for i := range uint32(s.nelems) {
		w := refs.pages.at(words + i)
		old := w.Load()
		if old&refsHeld == 0 {
			continue
		}
		n := old &^ (refsHeld | refsHeldNew)
		if n != node {
			if objects > 0 {
				refs.nodes.count(node, objects, objects*int64(s.elemsize))
			}
			node, released, objects = n, refsRank(n) >= refs.stage.releases(), 0
		}
		if !released || !w.CompareAndSwap(old, n|flag) {
			continue
		}
		objects++
		if old&refsHeldNew != 0 {
			refsOf(gcw.id).uncountAllocated(s.elemsize)
		} else {
			gcw.bytesMarked += uint64(s.elemsize)
		}
	}
	if objects > 0 {
		refs.nodes.count(node, objects, objects*int64(s.elemsize))
	}
}

// refsScanReleased scans the objects of s that refsClaimHeld has claimed, and, from
// refsStageBorrowed on, those that are delayed. words is the number of the first object's
// word. None is left delayed when refsStageBarrier ends, even if a P saw refs.stage change
// late, because all Ps have passed that stage's barrier.
//
//go:nowritebarrier
func refsScanReleased(gcw *gcWork, s *mspan, words uint32) {
	waiting := uint32(refsUnscanned)
	if refs.stage >= refsStageBorrowed {
		waiting |= refsDelayed
	}
	var o refsObject
	for i := range uintptr(s.nelems) {
		w := refs.pages.at(words + uint32(i))
		n := w.Load()
		if n&refsHeld != 0 || n&waiting == 0 {
			continue
		}
		n &^= waiting
		w.Store(n)
		o.fromSpan(s.base()+i*s.elemsize, s, i)
		o.scanFrom(n, gcw)
	}
}
