// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Memory usage: what Go's memory was used for at a mark termination. This is the runtime's
// half of the memory profile, whose sample type is memory_space
// (golang.org/issue/79179); the other is runtime/pprof/memory.go.
//
// At each mark termination, before sweeping, the size of every class of /memory/classes is
// read (memUsageMark, called by gcSweep): some thirty words, and no walk. What was found then
// becomes visible together with the memory profile as of that mark termination
// (memUsageFlush, called by mProf_FlushLocked), when all it needs is known:
//
//   - What mcaches had allocated and not yet counted. Each P counts it before it allocates
//     again, in prepareForSweep, which tells it to memUsageUncounted. After all Ps have,
//     the bytes of heap objects at mark termination are exact.
//   - What the sweep freed: the dead heap. At mark termination it was in the heap still.
//     The rest of the objects is the live heap. It may differ from /gc/heap/live:bytes,
//     which counts some objects twice.
//
// So at the moment of mark termination, to the byte,
//
//	heap spans = live heap + dead heap + fragmented heap
//	heap       = heap spans + free heap + stacks + what workbufs occupy
//
// Which objects of a bucket are dead is known as well: the frees of the profile's cycle, but
// for chunks of user arenas. These are freed by the program, which counts them then, and
// their samples when the GC has found that nothing refers to them.
//
// memUsage.future is written while the world is stopped, and read and written under
// profMemActiveLock. Who holds this lock cannot be preempted: it is not held while the
// world is stopped, except by who stopped it.

package runtime

import (
	"internal/profilerecord"
	"internal/runtime/atomic"
	"unsafe"
)

var memUsage struct {
	uncounted atomic.Int64 // bytes that mcaches had not counted at the latest mark termination
	arenas    atomic.Int64 // bytes of user arenas that the program has freed, ever

	last   uint32           // index in future of the latest mark termination
	future [3]memUsageCycle // by cycle of the memory profile, as memRecord.future

	// active is the state of the cycle that memRecord.active is of; its cycle is 0 until
	// there is one. profMemActiveLock protects it.
	active memUsageCycle
}

// A memUsageCycle is what Go's memory was used for at a mark termination, in bytes.
type memUsageCycle struct {
	pending bool // not yet active
	begun   bool // pending, and some of its frees have been flushed
	swept   bool // objects and dead are final

	cycle uint32 // the collection, as in MemStats.NumGC; 0 if it is none's
	time  int64  // of mark termination: nanotime, and when active, nanoseconds since 1970

	objects uint64 // of heap objects, dead ones included
	freed   uint64 // until swept: memUsageFreed at mark termination
	dead    uint64 // of objects that the sweep has freed

	committed, released          int64 // of the heap, including stacks and work buffers
	inHeap, inStacks, inWorkBufs int64 // of committed

	osStacks, buckHash, gcMisc, other uint64 // as the fields of memstats
	mspan, mspanInUse                 uint64
	mcache, mcacheInUse               uint64
}

// A memUsageFrees says what frees of a cycle of the memory profile are, when they become
// active, to the dead objects of a bucket.
type memUsageFrees uint8

const (
	memUsageLate memUsageFrees = iota // none of them: they came after the sweep
	memUsageNew                       // all dead objects
	memUsageMore                      // more of them
)

// A memUsageDead is a bucket's objects that the sweep freed after the mark termination that
// the memory profile is of. As for the rest of memRecord.active, profMemActiveLock protects
// objects.
type memUsageDead struct {
	objects uint32      // each had its specialprofile, which limits them far below
	arenas  atomic.Bool // objects are chunks of user arenas: who freed them was the program
}

// flushed notes that so many frees of the bucket become active.
func (d *memUsageDead) flushed(f memUsageFrees, frees uintptr) {
	if f == memUsageLate || d.arenas.Load() {
		return
	}
	if f == memUsageNew {
		d.objects = 0
	}
	d.objects += uint32(frees)
}

// memUsageSampleFreed notes what kind of object of bucket b, at p, is about to be counted as
// freed. freeSpecial calls it; the sampled objects of one call stack and size are all chunks
// of user arenas or none is.
func memUsageSampleFreed(b *bucket, p unsafe.Pointer) {
	if spanOfUnchecked(uintptr(p)).isUserArenaChunk {
		b.mp().dead.arenas.Store(true)
	}
}

// memUsageMark notes what memory is used for. gcSweep calls it before anything is swept,
// on the system stack.
//
//go:nowritebarrierrec
func memUsageMark(mode gcMode) {
	assertWorldStopped()
	memUsage.future[memUsage.last].sweepEnded()
	memUsage.uncounted.Store(0)

	// The sweep's frees go to the cycle after the one that mark termination begins. If
	// gcSweep sweeps now, it does so, and flushes them, before that begins.
	index := mProfCycle.read() + 2
	if !concurrentSweep || mode == gcForceBlockMode {
		index--
	}
	memUsage.last = index % uint32(len(memUsage.future))
	c := &memUsage.future[memUsage.last]
	*c = memUsageCycle{pending: true, cycle: memstats.numgc + 1, time: work.tMarkTerm}
	c.read()
}

// memUsageUncounted notes what c, an mcache from before the latest mark termination, has
// allocated and not yet counted. prepareForSweep calls it.
func memUsageUncounted(c *mcache) {
	var bytes int64
	for _, s := range &c.alloc {
		if s != &emptymspan {
			bytes += (int64(s.allocCount) - int64(s.allocCountBeforeCache)) * int64(s.elemsize)
		}
	}
	memUsage.uncounted.Add(bytes)
}

// memUsageArenaFreed notes that the program has freed a user arena of that size, which
// counts in totalFree like what is swept. At the latest mark termination, if it was there,
// it was live. setUserArenaChunkToFault calls this.
func memUsageArenaFreed(size uintptr) { memUsage.arenas.Add(int64(size)) }

// memUsageFreed returns the bytes that sweeping has freed, ever.
func memUsageFreed() uint64 {
	return gcController.totalFree.Load() - uint64(memUsage.arenas.Load())
}

// read sets the classes of memory and the heap objects that are counted so far. The world
// is stopped.
func (c *memUsageCycle) read() {
	h := &memstats.heapStats
	lock(&h.noPLock) // against threads without a P
	for i := range h.stats {
		d := &h.stats[i]
		c.committed += d.committed
		c.released += d.released
		c.inHeap += d.inHeap
		c.inStacks += d.inStacks
		c.inWorkBufs += d.inWorkBufs
	}
	unlock(&h.noPLock)
	c.osStacks = memstats.stacks_sys.load()
	c.buckHash = memstats.buckhash_sys.load()
	c.gcMisc = memstats.gcMiscSys.load() - refsMemory.used.Load() // a recording returns that
	c.other = memstats.other_sys.load()
	// What is in use first: it never exceeds what there is.
	c.mspanInUse = uint64(mheap_.spanalloc.inuse)
	c.mspan = memstats.mspan_sys.load()
	c.mcacheInUse = uint64(mheap_.cachealloc.inuse)
	c.mcache = memstats.mcache_sys.load()

	c.freed = memUsageFreed()
	c.objects = gcController.totalAlloc.Load() - gcController.totalFree.Load()
}

// sweepEnded makes objects and dead final. c is of the latest mark termination, and its
// sweep has ended.
func (c *memUsageCycle) sweepEnded() {
	if !c.pending || c.swept {
		return
	}
	c.swept = true
	c.objects += uint64(memUsage.uncounted.Load())
	// A user arena may be counted in one of memUsageFreed's numbers and not yet in the other.
	c.dead = min(uint64(max(int64(memUsageFreed()-c.freed), 0)), c.objects)
}

// memUsageFlush makes active what belongs to the memory profile's cycle with that index,
// which is being flushed, and says what its frees are. If the profile has no data yet,
// memProfileInternal flushes all cycles, also that whose sweep has not ended; it is made
// active at another flush.
// The caller holds profMemActiveLock.
func memUsageFlush(index uint32) memUsageFrees {
	assertLockHeld(&profMemActiveLock)
	c := &memUsage.future[index]
	if !c.pending {
		return memUsageLate
	}
	frees := memUsageNew
	if c.begun {
		frees = memUsageMore
	}
	c.begun = true
	if !c.swept && !isSweepDone() {
		return frees
	}
	c.sweepEnded()
	c.pending = false
	c.time = unixTime(c.time)
	memUsage.active = *c
	return frees
}

// memUsageActive returns the active state.
func memUsageActive() (c memUsageCycle) {
	lock(&profMemActiveLock)
	c = memUsage.active
	unlock(&profMemActiveLock)
	return
}

// memUsageNow returns the state of this moment, for which it stops the world. As nothing is
// known to be dead, all objects are live.
func memUsageNow() (c memUsageCycle) {
	stw := stopTheWorld(stwReadMemStats)
	systemstack(func() {
		flushallmcaches()
		c.read()
	})
	c.time = unixTime(nanotime())
	startTheWorld(stw)
	return
}

// unixTime returns the nanoseconds since 1970 at a moment that nanotime has returned.
func unixTime(mono int64) int64 {
	sec, nsec, now := time_now()
	return sec*1e9 + int64(nsec) - (now - mono)
}

// record returns c for package pprof.
func (c *memUsageCycle) record() profilerecord.MemUsage {
	return profilerecord.MemUsage{
		Cycle:         c.cycle,
		Time:          c.time,
		Live:          c.objects - c.dead,
		Dead:          c.dead,
		Fragmented:    uint64(c.inHeap) - c.objects,
		Free:          uint64(c.committed - c.inHeap - c.inStacks - c.inWorkBufs),
		Stacks:        uint64(c.inStacks),
		OSStacks:      c.osStacks,
		MSpanInUse:    c.mspanInUse,
		MSpanFree:     c.mspan - c.mspanInUse,
		MCacheInUse:   c.mcacheInUse,
		MCacheFree:    c.mcache - c.mcacheInUse,
		MetadataOther: uint64(c.inWorkBufs) + c.gcMisc,
		Buckets:       c.buckHash,
		Other:         c.other,
		Released:      uint64(c.released),
	}
}

// pprof_memProfileUsage is pprof_memProfileWithLabels with dead objects, and sets usage to
// what memory was used for at the same mark termination. If no collection has been completed
// yet, that is of the moment afterwards.
//
//go:linkname pprof_memProfileUsage
func pprof_memProfileUsage(p []profilerecord.MemUsageRecord, usage *profilerecord.MemUsage) (n int, ok bool) {
	first, c := true, memUsageCycle{}
	n, ok = memProfileParts(len(p), func(n int, r profilerecord.MemProfileRecord) int {
		if first { // profMemActiveLock is held for all records
			first, c = false, memUsage.active
		}
		return memUsageSplit(p[min(n, len(p)):], r)
	})
	if first {
		c = memUsageActive()
	}
	if c.cycle == 0 && ok {
		c = memUsageNow()
	}
	*usage = c.record()
	return n, ok
}

// memUsageSplit puts the parts of r into p, as memLabelsSplit has them, as far as there is
// room, and returns how many they are. The dead objects of r are where those without labels
// are, because the labels of what is dead may be forgotten.
func memUsageSplit(p []profilerecord.MemUsageRecord, r profilerecord.MemProfileRecord) int {
	dead := int64(bucketOfStack(r.Stack).mp().dead.objects)
	parts := memLabelsSplit(r, func(part int, r profilerecord.LabelledMemRecord) {
		record := profilerecord.MemUsageRecord{LabelledMemRecord: r}
		if r.Labels == nil && r.Scope == nil {
			record.DeadObjects, dead = dead, 0
		}
		if part < len(p) {
			p[part] = record
		}
	})
	if dead == 0 {
		return parts
	}
	if parts < len(p) {
		p[parts] = profilerecord.MemUsageRecord{DeadObjects: dead}
		p[parts].ObjectSize, p[parts].Stack = r.ObjectSize, r.Stack
	}
	return parts + 1
}

// pprof_goMemory returns the bytes of Go's memory, released memory aside, of this moment.
//
//go:linkname pprof_goMemory
func pprof_goMemory() uint64 { return gcController.mappedReady.Load() }
