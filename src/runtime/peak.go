// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Peak: the contents of the heap when the process last grew to a new maximum,
// for the peak profile and the metrics /memory/peak:bytes and
// /memory/peak/time:seconds. See golang.org/issue/13463.
//
// The maximum is of the memory in use: /memory/classes/total without heap/free
// and heap/released, and without the memory of recordings of references (see
// recordingInUse). The runtime compares the memory in use with the maximum when
// a span takes pages, because the heap and stacks grow in this way. These may
// be free pages, between objects that are larger. A new maximum that exceeds
// the old one by more than peakStep begins an epoch. Free memory does not
// count. After a spike, the memory of the spike is free until it is returned.
// If it counted, the sum would stay as large as at the spike, and any growth
// would be a new maximum, although less memory is in use.
//
// The beginning of an epoch copies no bucket. A bucket of the heap profile has
// the number of its sampled objects that are not yet freed. Before that number
// changes for the first time in an epoch, the bucket saves it. In a bucket
// whose number has not changed since the peak, the current number is the number
// at the peak.
//
// allocSpan reports growth; mProf_Malloc and mProf_Free report objects.

package runtime

import (
	"internal/profilerecord"
	"internal/runtime/atomic"
	"unsafe"
)

// peak is the latest peak.
var peak struct {
	bytes atomic.Uint64
	next  atomic.Uint64 // bytes + peakStep
	time  atomic.Int64  // nanoseconds since the Unix epoch
	epoch atomic.Uint32

	// lock protects the peakRecord of every bucket. It has the rank of the
	// locks of memRecord.future, and is never held together with one of
	// them.
	lock mutex

	// classesLock protects classes, whose sum is bytes, and writes of the
	// atomics. Any other lock may be held when it is acquired.
	classesLock mutex
	classes     profilerecord.MemClasses // all objects are New
}

// A peakRecord is the part of a memRecord that has the number of objects at the
// peak.
type peakRecord struct {
	live   uint32 // sampled objects not yet freed; 1<<32 of them would need more than 100 GB for their specials
	atPeak uint32 // the value of live when the epoch began
	epoch  uint32 // epoch of atPeak; if a later epoch has begun, live is the number at the peak
}

// peakRecording is the number of bytes of spans that were taken for recordings
// of references. A span counts until it is free, even if it has objects of
// other code by then.
var peakRecording atomic.Int64

func initPeak() {
	lockInit(&peak.lock, lockRankProfMemFuture)
	lockInit(&peak.classesLock, lockRankLeafRank)
	lockInit(&programMemory.lock, lockRankLeafRank)
}

// peakStep is the number of bytes by which memory must exceed the peak to be a
// new peak. It limits the work for each span while the heap grows.
const peakStep = 256 << 10

// mayBePeak reports whether memory in use, with that of recordings, exceeds the
// peak by more than peakStep.
func mayBePeak() bool {
	return gcController.heapFree.load()+peak.next.Load() < gcController.mappedReady.Load()
}

// beginPeak begins an epoch if memory in use exceeds the peak by more than
// peakStep and s, which has taken pages, is not for a recording. If s is for one
// object, the heap profile does not know that object yet: beginPeak keeps the
// object's address for countAllocated. Pages that are being scavenged may be
// missing in mappedReady while heapFree still includes them. In this case bytes
// is too small.
//
//go:systemstack
func beginPeak(s *mspan, typ spanAllocType) {
	if s.recording {
		return
	}
	recording := recordingInUse()
	free := gcController.heapFree.load() // first, because scavenging makes both smaller
	bytes := gcController.mappedReady.Load() - free
	bytes -= uint64(max(recording, recordingInUse())) // the smaller result, because the number may be changing
	if int64(bytes) <= int64(peak.next.Load()) {
		return
	}
	classes := classesInUse(s, typ, bytes)
	lock(&peak.classesLock)
	if bytes <= peak.bytes.Load() {
		unlock(&peak.classesLock)
		return
	}
	peak.bytes.Store(bytes)
	peak.next.Store(bytes + peakStep)
	sec, nsec, _ := time_now()
	peak.time.Store(sec*1e9 + int64(nsec))
	peak.classes = classes
	peak.epoch.Add(1)
	unlock(&peak.classesLock)
	if pp := getg().m.p.ptr(); pp != nil && s.state.get() == mSpanInUse && s.spanclass.sizeclass() == 0 {
		pp.peakObject = s.base()
	}
}

// classesInUse divides bytes, the memory in use, into classes. s, for which
// pages have been taken, does not count in the statistics yet. Other threads
// may be changing them: no class gets more than the ones before it have left,
// and MetadataOther gets the rest, so that the sum is exact. Fragmented
// includes objects that mcaches have not counted yet.
func classesInUse(s *mspan, typ spanAllocType, bytes uint64) (c profilerecord.MemClasses) {
	inHeap := int64(gcController.heapInUse.load()) - peakRecording.Load()
	objects := int64(gcController.totalAlloc.Load() - gcController.totalFree.Load())
	var inStacks int64
	for i := range memstats.heapStats.stats {
		d := &memstats.heapStats.stats[i]
		inStacks += atomic.Loadint64(&d.inStacks)
	}
	switch size := int64(s.npages * pageSize); typ {
	case spanAllocHeap:
		inHeap += size
		if s.spanclass.sizeclass() == 0 {
			objects += size
		}
	case spanAllocStack:
		inStacks += size
	}
	rest := bytes
	take := func(n int64) uint64 {
		part := min(uint64(max(n, 0)), rest)
		rest -= part
		return part
	}
	c.New = take(min(objects, inHeap))
	c.Fragmented = take(inHeap - int64(c.New))
	c.Stacks = take(inStacks)
	c.OSStacks = take(int64(memstats.stacks_sys.load()))
	c.MSpanInUse = take(int64(mheap_.spanalloc.inuse))
	c.MSpanFree = take(int64(memstats.mspan_sys.load() - c.MSpanInUse))
	c.MCacheInUse = take(int64(mheap_.cachealloc.inuse))
	c.MCacheFree = take(int64(memstats.mcache_sys.load() - c.MCacheInUse))
	c.Buckets = take(int64(memstats.buckhash_sys.load()))
	c.Reserve = take(int64(evidenceReserve.Load()))
	c.Other = take(int64(memstats.other_sys.load()) - int64(c.Reserve))
	c.MetadataOther = rest
	return c
}

// recordingInUse returns the number of bytes in use that were taken for
// recordings.
func recordingInUse() int64 {
	return int64(refsMemory.used.Load()) + peakRecording.Load() + growthRecordingStructures()
}

// countRecording counts s, a span for which npages pages have been found, if it
// is for a recording. allocSpan calls it before the pages count as in use.
func (s *mspan) countRecording(typ spanAllocType, npages uintptr) {
	if refsTakesSpan(typ) {
		s.recording = true
		peakRecording.Add(int64(npages * pageSize))
	}
}

// uncountRecording subtracts s, whose pages are free, if it was counted for a
// recording. freeSpanLocked calls it.
func (s *mspan) uncountRecording() {
	if s.recording {
		s.recording = false
		peakRecording.Add(-int64(s.npages * pageSize))
	}
}

// countAllocated counts the sampled object at p, which is being allocated.
func (r *peakRecord) countAllocated(p unsafe.Pointer) {
	lock(&peak.lock)
	r.begin()
	r.live++
	if pp := getg().m.p.ptr(); pp != nil && pp.peakObject != 0 {
		if pp.peakObject == uintptr(p) {
			r.atPeak++
		}
		pp.peakObject = 0
	}
	unlock(&peak.lock)
}

// countFreed counts a sampled object as freed.
//
//go:nowritebarrierrec
func (r *peakRecord) countFreed() {
	lock(&peak.lock)
	r.begin()
	r.live--
	unlock(&peak.lock)
}

// begin saves the number of objects as the number at the peak if it has not
// changed since the epoch began. The caller must hold peak.lock.
func (r *peakRecord) begin() {
	if epoch := peak.epoch.Load(); r.epoch != epoch {
		r.atPeak, r.epoch = r.live, epoch
	}
}

// pprof_peakProfileInternal puts the numbers of sampled objects that existed at
// the peak into p, as AllocObjects. It returns the number of records, even if p
// is too small for them.
//
//go:linkname pprof_peakProfileInternal runtime/pprof.pprof_peakProfileInternal
func pprof_peakProfileInternal(p []profilerecord.MemProfileRecord) (n int) {
	lock(&peak.lock)
	passed := 0
	for b := (*bucket)(mbuckets.Load()); b != nil; b = b.allnext {
		if passed++; passed%peakBuckets == 0 { // sampled allocations and stops of the world wait for the lock
			unlock(&peak.lock)
			lock(&peak.lock)
		}
		r := &b.mp().peak
		r.begin()
		if r.atPeak == 0 {
			continue
		}
		if n < len(p) {
			p[n] = profilerecord.MemProfileRecord{ObjectSize: int64(b.size), AllocObjects: int64(r.atPeak), Stack: b.stk()}
		}
		n++
	}
	unlock(&peak.lock)
	return n
}

// peakBuckets is the number of buckets that are read with the lock held. A new
// epoch may begin between two such parts.
const peakBuckets = 512

// pprof_peak returns the classes of memory at the peak, its time in nanoseconds
// since the Unix epoch, and the number of its epoch.
//
//go:linkname pprof_peak runtime/pprof.pprof_peak
func pprof_peak() (classes profilerecord.MemClasses, unixNano int64, epoch uint32) {
	lock(&peak.classesLock)
	classes, unixNano, epoch = peak.classes, peak.time.Load(), peak.epoch.Load()
	unlock(&peak.classesLock)
	return
}

// readPeakBytes and readPeakTime compute the metrics.
func readPeakBytes(_ *statAggregate, out *metricValue) {
	out.kind = metricKindUint64
	out.scalar = peak.bytes.Load()
}

func readPeakTime(_ *statAggregate, out *metricValue) {
	out.kind = metricKindFloat64
	out.scalar = float64bits(float64(peak.time.Load()) / 1e9)
}
