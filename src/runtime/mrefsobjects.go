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
	"internal/runtime/atomic"
	"internal/runtime/refs"
	"unsafe"
)

// refsFound counts the bytes of objects that are held back for
// refs.StageBarrier, and of some to which these lead. It may count an object
// twice. There may be millions of such objects, so root jobs count them, until
// there are enough to follow everything again.
type refsFound struct {
	counting bool   // root jobs of refs.StageMoved count
	live     uint64 // bytes in the heap
	bytes    atomic.Int64
}

// refsObjectsAgainJobs prepares one of the two steps of refs.StageMoved, and
// returns the number of its root jobs. The jobs of the first step count, and
// those of the second follow everything again, if that is worth while. It is
// called while no worker marks.
func refsObjectsAgainJobs() uint32 {
	f := &refsRoots.found
	f.counting = !f.counting
	if f.counting {
		f.live = gcController.heapLive.Load()
		f.bytes.Store(0)
	} else if !f.matters() {
		return 0
	}
	refsRoots.releasing = refsArenas()
	jobs := uint32(len(refsRoots.releasing) * (pagesPerArena / refsHeldPages))
	if !f.counting {
		jobs += refsGlobalJobs()
	}
	return jobs
}

// matters reports whether enough has been counted.
//
//go:nowritebarrierrec
func (f *refsFound) matters() bool {
	return refs.MovedMatters(uint64(f.bytes.Load()), f.live)
}

// count counts in some pages.
//
//go:nowritebarrier
func (f *refsFound) count(job uint32) {
	ha, ra, first := refsReleasing(job)
	if ra == nil {
		return
	}
	for page := first; page < first+refsHeldPages && !f.matters(); page++ {
		if atomic.Load8(&ra.held[page/8])>>(page%8)&1 != 0 {
			f.countIn(ha.spans[page], ra.pages[page].words.Load())
		}
	}
}

// countIn counts objects of s. words is the number of the first object's word.
//
//go:nowritebarrier
func (f *refsFound) countIn(s *mspan, words uint32) {
	bytes := int64(0)
	for i := range uint32(s.nelems) {
		w := refsPages.at(words + i).Load()
		if w&refs.Held == 0 || w&refs.HeldNew != 0 || refsRank(w) != refs.RankBarrier {
			continue
		}
		bytes += int64(s.elemsize) + refsUnmarkedBelow(s.base()+uintptr(i)*s.elemsize)
	}
	if bytes != 0 {
		f.bytes.Add(bytes)
	}
}

// refsFewObjects is the number of objects below one that refsUnmarkedBelow
// counts.
const refsFewObjects = 16

// refsUnmarkedBelow returns the number of bytes of some unmarked objects to
// which the object at base leads, as a buffer leads to its array.
//
//go:nowritebarrier
func refsUnmarkedBelow(base uintptr) (bytes int64) {
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
				bytes += int64(o.size)
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
	if refsRoots.found.counting {
		refsRoots.found.count(job)
		return 0
	}
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
