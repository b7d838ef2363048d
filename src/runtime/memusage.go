// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Memory usage: Go's memory by use at one moment. This is the runtime's half of
// the profile named memory (golang.org/issue/79179). The other half is
// runtime/pprof/memory.go.
//
// The moment is that of the profile. The sweep is finished first, so that heap
// objects are of two kinds: those that the latest collection found alive, and
// those that were allocated since. The rest is read while the world is stopped.
// These equations hold to the byte:
//
//	heap objects    = live objects + new objects
//	spans of these  = heap objects + fragmented heap
//	heap            = those spans + free heap + stacks + work buffers
//
// The number of new objects' bytes is what was allocated since mark termination
// (memUsageMark). At mark termination an mcache may have bytes that are not yet
// counted. It reports them when it is flushed for the sweep, before its P
// allocates again (memUsageUncounted).
//
// mempages.go finds which of this memory has pages.

package runtime

import (
	"internal/profilerecord"
	"internal/runtime/atomic"
	"unsafe"
)

// memUsage is the state at the latest mark termination. Apart from uncounted,
// it is written and read while the world is stopped.
var memUsage struct {
	uncounted atomic.Int64 // bytes that mcaches had not counted
	allocated uint64       // bytes allocated since the program started, less uncounted
	objects   uint64       // bytes of heap objects, including dead ones, less uncounted
}

// memUsageWork is &memUsageFunctions in programs that can request the profile,
// and nil in others: see growthWork.
var memUsageWork *memUsageFunctionTable

type memUsageFunctionTable struct {
	mark func()
}

var memUsageFunctions = memUsageFunctionTable{mark: markMemUsage}

// memUsageMark records how much is allocated. gcSweep calls it before anything
// is swept, on the system stack, while the world is stopped.
//
//go:nowritebarrierrec
func memUsageMark() {
	if memUsageWork != nil {
		memUsageWork.mark()
	}
}

// markMemUsage is memUsageMark if a profile can be requested.
//
//go:nowritebarrierrec
func markMemUsage() {
	assertWorldStopped()
	memUsage.uncounted.Store(0)
	memUsage.allocated = gcController.totalAlloc.Load()
	memUsage.objects = memUsage.allocated - gcController.totalFree.Load()
}

// memUsageUncounted adds to uncounted the bytes that c has allocated and not
// yet counted. c has not been flushed since the latest mark termination.
// prepareForSweep calls memUsageUncounted.
//
//go:nowritebarrierrec
func memUsageUncounted(c *mcache) {
	if memUsageWork == nil {
		return
	}
	var bytes int64
	for _, s := range &c.alloc {
		if s != &emptymspan {
			bytes += (int64(s.allocCount) - int64(s.allocCountBeforeCache)) * int64(s.elemsize)
		}
	}
	memUsage.uncounted.Add(bytes)
}

// countNew counts a sampled object that is being allocated. mProf_Malloc calls
// it, and cannot be preempted.
func (r *memRecord) countNew() {
	if memUsageWork != nil {
		lock(&peak.lock)
		r.recent.count()
		unlock(&peak.lock)
	}
}

// readMemUsage sets u to the present state. All mcaches must be flushed, and
// the world must be stopped.
func readMemUsage(u *profilerecord.MemUsage) {
	assertWorldStopped()
	var d heapStatsDelta
	h := &memstats.heapStats
	lock(&h.noPLock) // against threads without a P, which go on
	for i := range h.stats {
		s := &h.stats[i]
		d.committed += s.committed
		d.released += s.released
		d.inHeap += s.inHeap
		d.inStacks += s.inStacks
		d.inWorkBufs += s.inWorkBufs
	}
	unlock(&h.noPLock)
	allocated := gcController.totalAlloc.Load()
	objects := allocated - gcController.totalFree.Load()

	u.Cycle = memstats.numgc
	uncounted := uint64(memUsage.uncounted.Load())
	// A chunk of a user arena may be freed before the next collection.
	u.New = min(allocated-(memUsage.allocated+uncounted), objects)
	u.Live = objects - u.New
	u.Freed = max(memUsage.objects+uncounted, u.Live) - u.Live

	u.Fragmented = uint64(d.inHeap) - objects
	u.Free = uint64(d.committed - d.inHeap - d.inStacks - d.inWorkBufs)
	u.Stacks = uint64(d.inStacks)
	u.OSStacks = memstats.stacks_sys.load()
	// The bytes in use are read first, so that they never exceed the total.
	u.MSpanInUse = uint64(mheap_.spanalloc.inuse)
	u.MSpanFree = memstats.mspan_sys.load() - u.MSpanInUse
	u.MCacheInUse = uint64(mheap_.cachealloc.inuse)
	u.MCacheFree = memstats.mcache_sys.load() - u.MCacheInUse
	u.MetadataOther = uint64(d.inWorkBufs) + memstats.gcMiscSys.load() - refsMemory.used.Load() // without the memory of a recording, which will be returned
	u.Buckets = memstats.buckhash_sys.load()
	u.Reserve = evidenceReserve.Load()
	u.Other = memstats.other_sys.load() - u.Reserve
	u.Released = uint64(d.released)
}

// memUsageNow sets u to the present state. It finishes the sweep, calls measure
// and stops the world. It reports whether the sweep was still finished then. If
// blocked is set, measure was called already, and no collection can begin.
func memUsageNow(u *profilerecord.MemUsage, measure func(), blocked bool) (swept bool) {
	for memstats.numgc != 0 && !isSweepDone() {
		if sweepone() == ^uintptr(0) {
			Gosched() // another goroutine sweeps the last span
		}
	}
	if !blocked {
		measure()
	}
	stw := stopTheWorld(stwReadMemStats)
	systemstack(func() {
		flushallmcaches()
		readMemUsage(u)
		swept = u.Cycle == 0 || isSweepDone()
	})
	sec, nsec, _ := time_now()
	u.Time = sec*1e9 + int64(nsec)
	startTheWorld(stw)
	return swept
}

// memUsageAttempts limits how often a profile begins again because a collection
// has ended. After that it blocks collections.
const memUsageAttempts = 3

// pprof_memProfileUsage returns Go's memory by use at this moment, and the
// records of the sampled objects that are allocated. It calls measure
// immediately before the moment, perhaps several times, and fill (see memPages)
// before that.
//
//go:linkname pprof_memProfileUsage
func pprof_memProfileUsage(measure func(), fill func(base, n uintptr, present []byte) bool) (u profilerecord.MemUsage, p []profilerecord.MemUsageRecord) {
	if memUsageWork != &memUsageFunctions {
		throw("memory usage was not recorded")
	}
	if raceenabled {
		raceacquire(unsafe.Pointer(&labelSync))
	}
	for attempt := 1; ; attempt++ {
		pages := memPages{fill: fill}
		u.Pages = pages.read()
		blocked := attempt > memUsageAttempts
		if blocked {
			measure()
			semacquire(&gcsema) // nothing may be allocated until it is released
		}
		swept := memUsageNow(&u, measure, blocked)
		n, current := memUsageRecords(p, u.Cycle, &pages)
		if blocked {
			semrelease(&gcsema)
		}
		if n > len(p) {
			p = make([]profilerecord.MemUsageRecord, n+50) // there may be more records by the next call
		} else if swept && current {
			pages.subtract(&u)
			return u, p[:n]
		}
	}
}

// memUsageRecords puts the records of allocated objects into p, as far as there
// is room, and returns their number. It reports whether the latest collection
// is still the one with number cycle.
func memUsageRecords(p []profilerecord.MemUsageRecord, cycle uint32, pages *memPages) (n int, current bool) {
	lock(&profMemActiveLock)
	for b := (*bucket)(mbuckets.Load()); b != nil; b = b.allnext {
		n += memUsageSplit(p[min(n, len(p)):], b, pages)
	}
	current = memstats.numgc == cycle // which cannot change while the lock is held
	unlock(&profMemActiveLock)
	return n, current
}

// memUsageSplit puts the records of b into p, as far as there is room: one for
// each set of labels, and one for objects without labels. It returns their
// number. The caller holds profMemActiveLock.
func memUsageSplit(p []profilerecord.MemUsageRecord, b *bucket, pages *memPages) (n int) {
	mr := b.mp()
	lock(&peak.lock)
	all, recent := int64(mr.peak.live), int64(mr.recent.load())
	unlock(&peak.lock)
	if all == 0 {
		return 0
	}
	put := func(l *memLabelRecord, objects, recent int64) {
		if n < len(p) {
			r := &p[n]
			*r = profilerecord.MemUsageRecord{NewObjects: min(recent, objects)}
			r.ObjectSize, r.AllocObjects, r.Stack = int64(b.size), objects, b.stk()
			r.Labels, r.Scope = memLabelsOf(l.id()), memLabelsScopeOf(l.id())
			r.LiveAbsent, r.NewAbsent = pages.sampled(b, l)
		}
		n++
	}
	if memLabels.records.Load() != 0 {
		for l := *memLabelsOfBucket(b); l != nil; l = l.bucketNext {
			if l.bucket != b {
				continue
			}
			if objects := min(l.allocated(), all); objects > 0 {
				put(l, objects, int64(l.recent.load()))
				all -= objects
				recent = max(recent-int64(l.recent.load()), 0)
			}
		}
	}
	if all > 0 {
		put(nil, all, recent)
	}
	return n
}
