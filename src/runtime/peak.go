// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Peak: what the heap held when the process last grew to a new maximum, for the peak
// profile and the metrics /memory/peak:bytes and /memory/peak/time:seconds. See
// golang.org/issue/13463.
//
// The maximum is that of memory in use: /memory/classes/total without heap/free and
// heap/released, and without that of recordings of references (see peakRecording). It is
// looked at when a span takes pages that have no memory behind them, which is how heap and
// stacks grow. A new maximum, by more than peakStep, begins an epoch.
// Memory that is free does not count, or else the least growth after a spike, while what it
// left is not yet returned, would be a new maximum.
//
// No bucket is copied then. A bucket of the memory profile has the number of its sampled
// objects not yet freed, and keeps it, before it changes for the first time in an epoch,
// as the number that it had at the peak. A bucket that has not changed since has the
// number still.
//
// allocSpan tells of growth, mProf_Malloc and mProf_Free of objects.

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

	// lock protects the peakRecord of every bucket. It has the rank of the locks of
	// memRecord.future, and is never held with one of these.
	lock mutex
}

// A peakRecord is the part of a memRecord that knows what was there at the peak.
type peakRecord struct {
	live   uintptr // sampled objects not yet freed
	atPeak uintptr // live when the epoch began
	epoch  uint32  // of atPeak: if it is not the present one, live is what was at the peak
}

// peakRecording is the bytes of spans that were taken for recordings of references, till
// these spans are free. Such spans may come to have objects of others, too.
var peakRecording atomic.Int64

func initPeak() {
	lockInit(&peak.lock, lockRankProfMemFuture)
}

// peakStep is by how many bytes memory must exceed the peak for a new one, such that little
// is done for each span while the heap grows.
const peakStep = 256 << 10

// notePeak begins an epoch if memory may have reached a new maximum, as s takes pages. Free
// is the bytes of s that still count as free. It is small enough to be inlined in allocSpan.
func notePeak(s *mspan, free uintptr) {
	if gcController.mappedReady.Load() > peak.next.Load() {
		beginPeak(s, free)
	}
}

// beginPeak begins an epoch if memory in use has reached a new maximum. If s is for one
// object, the memory profile does not know yet that it is there: this is noted for
// noteAllocated. What is being scavenged may be free and not ready any longer.
//
//go:systemstack
func beginPeak(s *mspan, free uintptr) {
	if s.recording {
		return
	}
	recording := recordingInUse()
	bytes := gcController.mappedReady.Load() + uint64(free) - gcController.heapFree.load()
	bytes -= uint64(max(recording, recordingInUse())) // it may be changing
	if int64(bytes) <= int64(peak.next.Load()) {
		return
	}
	for {
		max := peak.bytes.Load()
		if bytes <= max {
			return
		}
		if peak.bytes.CompareAndSwap(max, bytes) {
			break
		}
	}
	peak.next.Store(bytes + peakStep)
	sec, nsec, _ := time_now()
	peak.time.Store(sec*1e9 + int64(nsec))
	peak.epoch.Add(1)
	if pp := getg().m.p.ptr(); pp != nil && s.state.get() == mSpanInUse && s.spanclass.sizeclass() == 0 {
		pp.peakObject = s.base()
	}
}

// recordingInUse returns the bytes of memory in use that recordings have taken.
func recordingInUse() int64 {
	return int64(refsMemory.used.Load()) + peakRecording.Load() + growthRecordingStructures()
}

// noteTaker counts s, a span that so many pages have been found for, if it is a recording's.
// It is called before the pages count as in use, and small enough to be inlined in allocSpan.
func (s *mspan) noteTaker(typ spanAllocType, npages uintptr) {
	if refsGoroutines.Load() != 0 {
		s.countRecording(typ, npages)
	}
}

func (s *mspan) countRecording(typ spanAllocType, npages uintptr) {
	if refsTakesSpan(typ) {
		s.recording = true
		peakRecording.Add(int64(npages * pageSize))
	}
}

// noteFreed uncounts s, whose pages are free, if it is a recording's. freeSpanLocked calls it.
func (s *mspan) noteFreed() {
	if s.recording {
		s.recording = false
		peakRecording.Add(-int64(s.npages * pageSize))
	}
}

// noteAllocated counts a sampled object, which the memory at p is for.
func (r *peakRecord) noteAllocated(p unsafe.Pointer) {
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

// noteFreed counts that a sampled object is freed.
func (r *peakRecord) noteFreed() {
	lock(&peak.lock)
	r.begin()
	r.live--
	unlock(&peak.lock)
}

// begin keeps the number of objects if it is about to change for the first time in an
// epoch. The caller holds peak.lock.
func (r *peakRecord) begin() {
	if epoch := peak.epoch.Load(); r.epoch != epoch {
		r.atPeak, r.epoch = r.live, epoch
	}
}

// pprof_peakProfileInternal puts into p, as AllocObjects, the sampled objects that were
// there at the peak, and returns how many records these are, even if p is too small.
//
//go:linkname pprof_peakProfileInternal runtime/pprof.pprof_peakProfileInternal
func pprof_peakProfileInternal(p []profilerecord.MemProfileRecord) (n int) {
	lock(&peak.lock)
	for b := (*bucket)(mbuckets.Load()); b != nil; b = b.allnext {
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

// pprof_peak returns how many bytes were in use at the peak, its time in nanoseconds since
// the Unix epoch, and a number that no other peak has, but for the moment in which one begins.
//
//go:linkname pprof_peak runtime/pprof.pprof_peak
func pprof_peak() (bytes uint64, unixNano int64, epoch uint32) {
	epoch = peak.epoch.Load()
	return peak.bytes.Load(), peak.time.Load(), epoch
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
