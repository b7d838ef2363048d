// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Global variables and objects that are followed again.
//
// A program moves objects between lists, channels and arrays. If it moves one
// from a place that is not followed yet to one that has been followed, only the
// write barrier finds it. Therefore refs.StageMoved follows everything once
// more, if there are many such objects. For example, a goroutine may have given
// a buffer back to a free list in a channel.
//
// New objects are not claimed by a second look: one that has replaced another
// would count at its place together with the other.

package runtime

import (
	"internal/runtime/refs"
	"unsafe"
)

// refsObjectsAgainJobs prepares refs.StageMoved, and returns the number of root
// jobs. It is called while no worker marks.
func refsObjectsAgainJobs() uint32 {
	refsRoots.releasing = refsArenas()
	if !refs.MovedMatters(refsOnlyFound(), gcController.heapLive.Load()) {
		return 0
	}
	return refsGlobalJobs() + uint32(len(refsRoots.releasing)*(pagesPerArena/refsHeldPages))
}

// refsOnlyFound returns the number of bytes of objects that are held back for
// refs.StageBarrier, and of some to which these lead. It may count an object
// twice.
func refsOnlyFound() (bytes uint64) {
	for _, ai := range refsRoots.releasing {
		ha := mheap_.arenas[ai.l1()][ai.l2()]
		ra := ha.refsArena()
		if ra == nil {
			continue
		}
		for i, held := range ra.held {
			for page := i * 8; held != 0; held, page = held>>1, page+1 {
				if held&1 != 0 {
					bytes += refsOnlyFoundIn(ha.spans[page], ra.pages[page].words.Load())
				}
			}
		}
	}
	return bytes
}

// refsOnlyFoundIn is refsOnlyFound for the objects of s. words is the number of
// the first object's word.
func refsOnlyFoundIn(s *mspan, words uint32) (bytes uint64) {
	for i := range uint32(s.nelems) {
		w := refsPages.at(words + i).Load()
		if w&refs.Held == 0 || w&refs.HeldNew != 0 || refsRank(w) != refs.RankBarrier {
			continue
		}
		bytes += uint64(s.elemsize) + refsUnmarkedBelow(s.base()+uintptr(i)*s.elemsize)
	}
	return bytes
}

// refsFewObjects is the number of objects below one that refsUnmarkedBelow
// counts.
const refsFewObjects = 16

// refsUnmarkedBelow returns the number of bytes of some unmarked objects to
// which the object at base leads, as a buffer leads to its array.
func refsUnmarkedBelow(base uintptr) (bytes uint64) {
	var o refsObject
	found, n := [refsFewObjects]uintptr{base}, 1
	for i := 0; i < n; i++ {
		refsFind(found[i], &o)
		if o.class.noscan() {
			continue
		}
		s := o.mspan()
		tp := s.typePointersOfUnchecked(o.base)
		for end := o.base + min(o.size, maxObletBytes); n < len(found); {
			var addr uintptr
			if tp, addr = tp.next(end); addr == 0 {
				break
			}
			if p := *(*uintptr)(unsafe.Pointer(addr)); refsFind(p, &o) && !o.marked() {
				bytes += uint64(o.size)
				found[n] = o.base
				n++
			}
		}
	}
	return bytes
}

// refsFollowAgain follows the references in a block of global variables or in
// the objects of some pages, which an earlier stage has followed. It does not
// count the scan work a second time.
//
//go:nowritebarrier
func refsFollowAgain(rp *refsP, gcw *gcWork, job uint32) int64 {
	rp.followAll(gcw)
	rp.log.again = true
	if globals := refsGlobalJobs(); job < globals {
		refsMarkGlobals(rp, gcw, job, refs.ChangedObjects)
	} else {
		before := gcw.heapScanWork
		refsPagesAgain(gcw, job-globals)
		gcController.heapScanWork.Add(before - gcw.heapScanWork)
	}
	rp.followAll(gcw)
	rp.log.again = false
	return 0
}

// refsPagesAgain follows the references in the claimed objects of some pages.
//
//go:nowritebarrier
func refsPagesAgain(gcw *gcWork, job uint32) {
	ha, ra, first := refsReleasing(job)
	if ra == nil {
		return
	}
	for page := first; page < first+refsHeldPages; page++ {
		words := ra.pages[page].words.Load()
		if words == 0 || words == refsNoWords {
			continue
		}
		if s := ha.spans[page]; !s.spanclass.noscan() {
			refsSpanAgain(gcw, s, words)
		}
	}
}

// refsSpanAgain follows the references in the claimed objects of s. words is the
// number of the first object's word.
//
//go:nowritebarrier
func refsSpanAgain(gcw *gcWork, s *mspan, words uint32) {
	var o refsObject
	for i := range uintptr(s.nelems) {
		n := refsPages.at(words + uint32(i)).Load()
		if n == 0 || n&(refs.Held|refs.Unscanned|refs.Delayed) != 0 {
			continue
		}
		o.fromSpan(s.base()+i*s.elemsize, s, i)
		o.scanFrom(n&^refs.ObjectFlags, gcw, 0)
	}
}

// isNew reports whether the target of e was allocated during the cycle, and is
// not claimed.
//
//go:nowritebarrierrec
func (e *refsEdge) isNew() bool {
	var o refsObject
	if !refsFind(e.val, &o) {
		return false
	}
	w := o.word()
	if w == nil {
		return o.marked()
	}
	n := w.Load()
	return n&refs.HeldNew != 0 || n == 0 && o.marked()
}
