// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The buckets of the growth profile, and how they are read.
//
// A bucket has a call stack and a growthKind. The kind is in the field that has
// the object size in buckets of the heap profile. Counts are atomics:
// flushGrowth adds to them without a lock, and pprof_growthProfileInternal
// reads them for runtime/pprof.

package runtime

import (
	"internal/abi"
	"internal/profilerecord"
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

const growthProfile = mutexProfile + 1

var gbuckets atomic.UnsafePointer // *bucket, growth profile buckets

// growthCount is the sum of events of one kind and call stack.
type growthCount struct {
	events int64
	bytes  [growthMeasures]int64
}

// growthRecord is the data of a bucket.
type growthRecord struct {
	events atomic.Int64
	bytes  [growthMeasures]atomic.Int64
}

// growthRecordSize is the size of a growthRecord and of the padding that may be
// needed to align it, because the call stack before it may end at a multiple of
// 4 bytes.
const growthRecordSize = unsafe.Sizeof(growthRecord{}) + 8 - unsafe.Sizeof(uintptr(0))

// growth returns the growthRecord of the bucket b.
//
//go:nowritebarrierrec
func (b *bucket) growth() *growthRecord {
	if b.typ != growthProfile {
		throw("bad use of bucket.growth")
	}
	data := uintptr(unsafe.Pointer(b)) + unsafe.Sizeof(*b) + b.nstk*unsafe.Sizeof(uintptr(0))
	return (*growthRecord)(unsafe.Pointer(alignUp(data, 8)))
}

//go:nowritebarrierrec
func (r *growthRecord) add(c *growthCount) {
	r.events.Add(c.events)
	for what, n := range c.bytes {
		if n != 0 {
			r.bytes[what].Add(n)
		}
	}
}

// _GrowthUnattributed is the function at which the growth profile shows memory
// without a known call stack.
func _GrowthUnattributed() { _GrowthUnattributed() }

// _ReferenceRecording is the function at which profiles show recordings of
// references. In the growth profile, it has the memory that the recorder has
// now, and all other memory that the process has taken in order to make
// recordings and to write their profiles. It does not have memory that the
// recorder has returned.
func _ReferenceRecording() { _ReferenceRecording() }

// pprof_referenceRecording returns the program counter of _ReferenceRecording,
// in the form of a return address.
//
//go:linkname pprof_referenceRecording
func pprof_referenceRecording() uintptr {
	return abi.FuncPCABIInternal(_ReferenceRecording) + sys.PCQuantum
}

// pprof_growthProfileInternal puts the records of all buckets into p, after two
// records for each kind: one for bytes without a call stack, and one for
// _ReferenceRecording. Call stacks have the form that fpunwindExpand expands.
// If the records do not fit, it returns their number and false.
//
//go:linkname pprof_growthProfileInternal runtime/pprof.pprof_growthProfileInternal
func pprof_growthProfileInternal(p []profilerecord.GrowthRecord) (n int, ok bool) {
	if growthWork != &growthFunctions {
		throw("growth was not recorded")
	}
	if p != nil {
		flushGrowthOfPs()
	}
	head := (*bucket)(gbuckets.Load())
	n = 2 * int(growthKinds)
	for b := head; b != nil; b = b.allnext {
		n++
	}
	if n > len(p) {
		return n, false
	}
	unattributed := growthStackOf(abi.FuncPCABIInternal(_GrowthUnattributed) + sys.PCQuantum)
	recording := growthStackOf(pprof_referenceRecording())
	for kind := range growthKinds {
		p[2*kind] = newGrowthRecord(kind, unattributed, growthUnattributedOf(kind))
		p[2*kind+1] = newGrowthRecord(kind, recording, growthRecordingOf(kind))
	}
	p = p[2*growthKinds:]
	for b := head; b != nil; b = b.allnext {
		p[0] = newGrowthRecord(growthKind(b.size), b.stk(), b.growth().load())
		p = p[1:]
	}
	return n, true
}

// growthStackOf returns a call stack of one function. pc is a return address in
// that function.
func growthStackOf(pc uintptr) []uintptr {
	return []uintptr{logicalStackSentinel, pc}
}

// newGrowthRecord returns a record for runtime/pprof.
func newGrowthRecord(kind growthKind, stk []uintptr, c growthCount) profilerecord.GrowthRecord {
	return profilerecord.GrowthRecord{
		Kind:     [...]string{"heap", "stack", "runtime", "mmap"}[kind],
		Stack:    stk,
		Growths:  c.events,
		Mapped:   c.bytes[growthMapped],
		Unmapped: c.bytes[growthUnmapped],
		Released: c.bytes[growthReleased],
		Enlarged: c.bytes[growthEnlarged],
		Resident: c.bytes[growthResident],
	}
}

func (r *growthRecord) load() (c growthCount) {
	c.events = r.events.Load()
	for what := range c.bytes {
		c.bytes[what] = r.bytes[what].Load()
	}
	return c
}

// growthUnattributedOf returns the bytes without a call stack, including the
// bytes of all Ps since their last sampling points.
func growthUnattributedOf(kind growthKind) (c growthCount) {
	lock(&allpLock)
	for what := range c.bytes {
		n := int64(growthUnattributed[kind][what].Load())
		for _, pp := range allp {
			n += pp.growth.passed(kind, growthMeasure(what))
		}
		c.bytes[what] = n
	}
	unlock(&allpLock)
	return c
}

// growthRecordingOf returns the bytes of recordings, including the memory that
// the recorder has.
func growthRecordingOf(kind growthKind) (c growthCount) {
	for what := range c.bytes {
		c.bytes[what] = int64(growthRecording[kind][what].Load())
	}
	if kind == growthRuntime {
		n := int64(refsMemory.used.Load())
		c.bytes[growthMapped] += n
		c.bytes[growthResident] += n
	}
	return c
}

// growthRecordingStructures returns the number of bytes that the runtime has
// mapped for its structures during recordings, minus those that it has unmapped
// during recordings. Spans and the recorder's own structures are not included.
func growthRecordingStructures() int64 {
	r := &growthRecording[growthRuntime]
	return int64(r[growthMapped].Load()) - int64(r[growthUnmapped].Load())
}

// flushGrowthOfPs counts the pending events of all Ps in buckets.
func flushGrowthOfPs() {
	semacquire(&worldsema)
	forEachP(waitReasonFlushProcCaches, flushGrowthOfP)
	semrelease(&worldsema)
}

// flushGrowthOfP counts the pending events of pp. The thread that hands pp off
// may call it without a P.
//
//go:nowritebarrierrec
func flushGrowthOfP(pp *p) {
	pp.growth.flush()
}
