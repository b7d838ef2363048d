// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Memory usage: the uses of Go's memory at a mark termination. This is the
// runtime's half of the profile named memory, whose sample type is memory_space
// (golang.org/issue/79179). The other half is runtime/pprof/memory.go.
//
// In programs that can request the profile, memUsageMark reads the size of
// every class of /memory/classes at each mark termination, before sweeping. It
// reads some thirty words and walks no list. gcSweep calls it. These sizes are
// published together with the heap profile of the same cycle (memUsageFlush,
// called by mProf_FlushLocked). Two more numbers become known between mark
// termination and publication:
//
// - The bytes that mcaches had allocated and not yet counted. Each P
//   counts them in prepareForSweep, before it allocates again.
//   prepareForSweep also reports them to memUsageUncounted. After all Ps
//   have done so, the bytes of heap objects at mark termination are exact.
// - The bytes that the sweep freed: the dead heap. At mark termination they
//   were still in the heap. The other objects that the heap had then are
//   the live heap. Its size may differ from /gc/heap/live:bytes, because
//   an ordinary collection counts an object twice if two workers mark it
//   at the same time.
//
// Therefore these equations hold to the byte at the moment of mark termination.
// In them, heap is all memory of the heap that is not released:
//
//	heap spans = live heap + dead heap + fragmented heap
//	heap       = heap spans + free heap + stacks + work buffers
//
// The number of dead objects of each bucket is known as well. It is the number
// of frees in the heap profile's cycle, except for chunks of user arenas. When
// the program frees a chunk, its bytes count as freed at once or, if a
// collection is marking, after mark termination. The chunk's sample counts as
// freed later, when the garbage collector has found that nothing refers to the
// chunk.
//
// memUsage.future is written while the world is stopped, and read and written
// under profMemActiveLock. The holder of this lock cannot be preempted. While
// the world is stopped, therefore, only the goroutine that stopped it can hold
// the lock.

package runtime

import (
	"internal/profilerecord"
	"internal/runtime/atomic"
	"unsafe"
)

var memUsage struct {
	uncounted atomic.Int64 // bytes that mcaches had not counted at the latest mark termination
	arenas    atomic.Int64 // bytes of user arenas that the program has freed since it started

	last   uint32           // index in future of the latest mark termination
	future [3]memUsageCycle // by cycle of the heap profile, like memRecord.future

	// active is the state at the same mark termination as memRecord.active.
	// active.cycle is 0 until there is such a state. profMemActiveLock
	// protects it.
	active memUsageCycle
}

// A memUsageCycle has the uses of Go's memory at a mark termination, in bytes.
type memUsageCycle struct {
	pending bool // not yet active
	begun   bool // pending, and some of its frees have been flushed
	swept   bool // objects and dead are final

	cycle uint32 // the collection, as in MemStats.NumGC; 0 if there was none
	time  int64  // time of mark termination: by nanotime while pending, then in nanoseconds since 1970

	objects uint64 // bytes of heap objects, including dead ones
	freed   uint64 // memUsageFreed at mark termination; used until swept is set
	dead    uint64 // bytes of the objects that the sweep has freed

	committed, released          int64 // of the heap, including stacks and work buffers
	inHeap, inStacks, inWorkBufs int64 // of committed

	osStacks, buckHash, gcMisc, other uint64 // as the fields of memstats, but gcMisc is without the memory of a recording
	reserve                           uint64 // of runtime/evidence; part of other
	mspan, mspanInUse                 uint64
	mcache, mcacheInUse               uint64
}

// A memUsageFrees says, when a cycle of the heap profile is flushed, whether
// the frees in this cycle are frees of dead objects.
type memUsageFrees uint8

const (
	memUsageLate memUsageFrees = iota // none is of a dead object, because they came after the sweep
	memUsageNew                       // they are of dead objects; no others of the same mark termination were flushed before
	memUsageMore                      // they are of dead objects; others of the same mark termination were flushed before
)

// A memUsageDead has the number of a bucket's dead objects: those that were
// freed by the sweep after the mark termination that the heap profile shows.
// profMemActiveLock protects objects, as it does memRecord.active.
type memUsageDead struct {
	objects uint32      // cannot overflow in practice: each dead object had a specialprofile, and there is no memory for 1<<32 of these
	arenas  atomic.Bool // the objects are chunks of user arenas, which the program has freed
}

// flushed records that the given number of the bucket's frees become active.
func (d *memUsageDead) flushed(f memUsageFrees, frees uintptr) {
	if f == memUsageLate || d.arenas.Load() {
		return
	}
	if f == memUsageNew {
		d.objects = 0
	}
	d.objects += uint32(frees)
}

// memUsageWork is &memUsageFunctions in programs that can request the profile, and
// nil in others: see growthWork.
var memUsageWork *memUsageFunctionTable

type memUsageFunctionTable struct {
	mark  func(gcMode)
	flush func(index uint32) memUsageFrees
}

var memUsageFunctions = memUsageFunctionTable{mark: markMemUsage, flush: flushMemUsage}

// memUsageSampleFreed records whether the object at p, of bucket b, is a chunk
// of a user arena. freeSpecial calls it before the object is counted as freed.
// Either all objects of a bucket are chunks of user arenas, or none is.
//
//go:nowritebarrierrec
func memUsageSampleFreed(b *bucket, p unsafe.Pointer) {
	if memUsageWork != nil && spanOfUnchecked(uintptr(p)).isUserArenaChunk {
		b.mp().dead.arenas.Store(true)
	}
}

// memUsageMark records the uses of memory. gcSweep calls it before anything is
// swept, on the system stack, while the world is stopped.
//
//go:nowritebarrierrec
func memUsageMark(mode gcMode) {
	if memUsageWork != nil {
		memUsageWork.mark(mode)
	}
}

// markMemUsage is memUsageMark if a profile can be requested.
//
//go:nowritebarrierrec
func markMemUsage(mode gcMode) {
	assertWorldStopped()
	memUsage.future[memUsage.last].sweepEnded()
	memUsage.uncounted.Store(0)

	// A concurrent sweep's frees go to the cycle after the one that mark
	// termination begins. If gcSweep sweeps everything itself, its frees go
	// to the cycle that it begins after the sweep.
	index := mProfCycle.read() + 2
	if !concurrentSweep || mode == gcForceBlockMode {
		index--
	}
	memUsage.last = index % uint32(len(memUsage.future))
	c := &memUsage.future[memUsage.last]
	*c = memUsageCycle{pending: true, cycle: memstats.numgc + 1, time: work.tMarkTerm}
	c.read()
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

// memUsageArenaFreed records that the program has freed a chunk of a user
// arena, of size bytes. totalFree counts these bytes like swept bytes. If the
// chunk existed at the latest mark termination, it was live at that time.
// setUserArenaChunkToFault calls memUsageArenaFreed.
func memUsageArenaFreed(size uintptr) { memUsage.arenas.Add(int64(size)) }

// memUsageFreed returns the number of bytes that sweeping has freed since the
// program started.
func memUsageFreed() uint64 {
	return gcController.totalFree.Load() - uint64(memUsage.arenas.Load())
}

// read sets the classes of memory, and the bytes of heap objects that are
// counted so far. The world must be stopped.
func (c *memUsageCycle) read() {
	h := &memstats.heapStats
	lock(&h.noPLock) // against threads without a P, which go on
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
	c.gcMisc = memstats.gcMiscSys.load() - refsMemory.used.Load() // without the memory of a recording, which will be returned
	c.reserve = evidenceReserve.Load()
	c.other = memstats.other_sys.load()
	// The bytes in use are read first, so that they never exceed the total.
	c.mspanInUse = uint64(mheap_.spanalloc.inuse)
	c.mspan = memstats.mspan_sys.load()
	c.mcacheInUse = uint64(mheap_.cachealloc.inuse)
	c.mcache = memstats.mcache_sys.load()

	c.freed = memUsageFreed()
	c.objects = gcController.totalAlloc.Load() - gcController.totalFree.Load()
}

// sweepEnded makes objects and dead final. c is the state at the latest mark
// termination, and the sweep after it has ended.
func (c *memUsageCycle) sweepEnded() {
	if !c.pending || c.swept {
		return
	}
	c.swept = true
	c.objects += uint64(memUsage.uncounted.Load())
	// A user arena may be counted in one of the two numbers of
	// memUsageFreed and not yet in the other.
	c.dead = min(uint64(max(int64(memUsageFreed()-c.freed), 0)), c.objects)
}

// memUsageFlush is called when the heap profile flushes the cycle with the
// given index. It makes the pending state for this cycle active. It returns
// whether the cycle's frees are those of dead objects. If the heap profile has
// no data yet, memProfileInternal flushes all cycles, including one whose sweep
// has not ended. The state for that cycle stays pending until a later flush.
// The caller holds profMemActiveLock.
func memUsageFlush(index uint32) memUsageFrees {
	if memUsageWork == nil {
		return memUsageLate
	}
	return memUsageWork.flush(index)
}

// flushMemUsage is memUsageFlush if a profile can be requested.
func flushMemUsage(index uint32) memUsageFrees {
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

// memUsageNow returns the present state. It stops the world. All objects count
// as live, because none is known to be dead.
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

// unixTime returns the nanoseconds since 1970 at the moment at which nanotime
// returned mono.
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
		Other:         c.other - c.reserve,
		Reserve:       c.reserve,
		Released:      uint64(c.released),
	}
}

// pprof_memProfileUsage is pprof_memProfileWithLabels with the numbers of dead
// objects. It sets usage to the uses of memory at the mark termination that the
// records show. If no collection has been completed yet, usage shows the moment
// after the records were read.
//
//go:linkname pprof_memProfileUsage
func pprof_memProfileUsage(p []profilerecord.MemUsageRecord, usage *profilerecord.MemUsage) (n int, ok bool) {
	if memUsageWork != &memUsageFunctions {
		throw("memory usage was not recorded")
	}
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

// memUsageSplit puts the parts of r, as memLabelsSplit makes them, into p, as
// far as there is room. It returns the number of parts. It counts all dead
// objects of r in the part without labels, because the labels of dead objects
// may be forgotten already. If r has dead objects but no such part,
// memUsageSplit adds one.
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

// pprof_goMemory returns the bytes of Go's memory at this moment, without
// released memory.
//
//go:linkname pprof_goMemory
func pprof_goMemory() uint64 { return gcController.mappedReady.Load() }
