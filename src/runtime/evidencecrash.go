// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes a report of the memory of a process that dies of a fatal
// error or a panic, for runtime/evidence. The report is written after the
// stacks, to the file that runtime/evidence has set by debug.SetCrashOutput. It
// is not written to standard error, because programs parse that.
//
// The process may be out of memory, and any lock may be held. Therefore nothing
// here allocates or locks. Numbers are read while other threads may still
// change them. Call stacks are printed from the buckets of the heap profile and
// of the growth profile, which are off the heap and never freed.

package runtime

import (
	"internal/runtime/atomic"
	"internal/stringslite"
	"unsafe"
)

// crashWatch is the part of the state that all programs have. A program without
// runtime/evidence lacks crashMemoryWrite and crashMemory, because the code
// that all programs have reaches them only through write. The first thread that
// calls throw or fatal writes reason and length.
var crashWatch struct {
	on      atomic.Uint32 // 1 or 0
	outputs atomic.Uint32 // how often the crash output has been set or removed
	write   func()        // crashMemoryWrite, or nil before evidence_watchCrash
	reason  uintptr       // address of the message of throw or fatal, or 0
	length  int           // length of the message
}

// crashMemory is the rest of the state. The thread that has set crashWatch.on
// from 1 to 0 owns fd, n, line and pcs.
var crashMemory struct {
	output uint32  // number of the file, as crashWatch.outputs counts
	fd     uintptr // descriptor of the file, while the process dies
	n      int     // number of bytes in line
	line   [256]byte
	pcs    [maxProfStackDepth]uintptr
}

// evidence_crashOutputs returns how often the crash output has been set or
// removed so far. A descriptor does not identify the file of a crash output,
// because descriptors are used again.
//
//go:linkname evidence_crashOutputs
func evidence_crashOutputs() uint32 { return crashWatch.outputs.Load() }

// evidence_watchCrash arranges that the process, if it dies, writes the report
// of its memory to the crash output whose number is output, unless the crash
// output has been set again or removed by then.
//
//go:linkname evidence_watchCrash
func evidence_watchCrash(output uint32) {
	crashMemory.output = output
	crashWatch.write = crashMemoryWrite
	crashWatch.on.Store(1)
}

// evidence_unwatchCrash undoes evidence_watchCrash. It reports whether the
// crash output is still the same file. It returns false if there is nothing to
// undo.
//
//go:linkname evidence_unwatchCrash
func evidence_unwatchCrash() bool {
	return crashWatch.on.CompareAndSwap(1, 0) && crashMemory.output == crashWatch.outputs.Load()
}

// keepCrashReason keeps s, the message of a fatal error. throw and fatal print
// it before the thread counts as dying, so they do not print it to the crash
// output.
//
//go:nosplit
//go:nowritebarrierrec
func keepCrashReason(s string) {
	if c := &crashWatch; c.on.Load() != 0 && c.reason == 0 {
		c.length = len(s)
		c.reason = uintptr(unsafe.Pointer(unsafe.StringData(s)))
	}
}

// crashMemorySites is the largest number of call stacks that are written for a
// profile, and crashMemoryFrames is the largest number of frames that are
// written for a call stack.
const (
	crashMemorySites  = 10
	crashMemoryFrames = 12
)

// writeCrashMemory writes the report, once, if evidence_watchCrash has arranged
// it. dopanic_m calls it.
//
//go:systemstack
//go:nowritebarrierrec
func writeCrashMemory() {
	if crashWatch.on.CompareAndSwap(1, 0) {
		crashWatch.write()
	}
}

// crashMemoryWrite writes the report to the crash output, unless the crash
// output has been set again or removed.
//
//go:systemstack
//go:nowritebarrierrec
func crashMemoryWrite() {
	crashMemory.fd = crashFD.Load() // read before outputs, because setCrashFD changes outputs first
	if crashMemory.output != crashWatch.outputs.Load() {
		return
	}
	if c := &crashWatch; c.reason != 0 {
		crashText("\nfatal error: ")
		crashText(slicebytetostringtmp((*byte)(unsafe.Pointer(c.reason)), c.length))
		crashText("\n")
	}
	crashMemoryClasses()

	crashText("\npeak: ")
	crashNumber(peak.bytes.Load())
	crashText(" bytes in use, ")
	now, _, _ := time_now()
	crashNumber(uint64(max(now-peak.time.Load()/1e9, 0)))
	crashText(" seconds before; estimated bytes of objects by allocation site\n")
	crashMemoryTop((*bucket)(mbuckets.Load()), crashPeakBytes)

	crashText("\ngrowth: bytes of pages that got memory, by call stack\n")
	crashMemoryTop((*bucket)(gbuckets.Load()), crashGrowthBytes)
	crashFlush()
}

// crashMemoryClasses writes how much memory the runtime has for each use, and
// the numbers of collections and goroutines.
//
//go:nowritebarrierrec
func crashMemoryClasses() {
	var heap, stacks, workBufs int64
	for i := range memstats.heapStats.stats {
		d := &memstats.heapStats.stats[i]
		heap += d.inHeap
		stacks += d.inStacks
		workBufs += d.inWorkBufs
	}
	objects := gcController.totalAlloc.Load() - gcController.totalFree.Load()
	crashText("\nmemory in bytes:\n")
	for _, class := range [...]struct {
		name  string
		bytes uint64
	}{
		{"Go's memory, without released", gcController.mappedReady.Load()},
		{"heap objects", objects},
		{"heap objects that the latest collection marked", gcController.heapMarked},
		{"fragmented heap", uint64(max(heap-int64(objects), 0))},
		{"free heap", gcController.heapFree.load()},
		{"goroutine stacks", uint64(stacks)},
		{"thread stacks", memstats.stacks_sys.load()},
		{"runtime structures", memstats.mspan_sys.load() + memstats.mcache_sys.load() + memstats.buckhash_sys.load() +
			memstats.gcMiscSys.load() + memstats.other_sys.load() + uint64(workBufs)},
		{"released to the system", gcController.heapReleased.load()},
		{"GOMEMLIMIT", uint64(gcController.memoryLimit.Load())},
	} {
		crashText("\t")
		crashNumber(class.bytes)
		crashText("\t")
		crashText(class.name)
		crashText("\n")
	}
	crashNumber(uint64(work.cycles.Load()))
	crashText(" collections, ")
	crashNumber(uint64(gcount(false)))
	crashText(" goroutines\n")
}

// crashPeakBytes estimates the bytes of b's objects at the peak.
//
//go:nowritebarrierrec
func crashPeakBytes(b *bucket) int64 {
	r := &b.mp().peak
	objects := r.atPeak
	if r.epoch != peak.epoch.Load() {
		objects = r.live
	}
	return int64(objects) * sampledBytes(int64(b.size), int64(MemProfileRate))
}

// sampledBytes returns the number of bytes for which a sampled object stands,
// if the object has the given size in bytes, and a sample is taken every rate
// bytes on average:
//
//	size / (1 - exp(-size/rate))
//
// If rate is 16 or more, the result is at most 6% too large or too small.
//
//go:nowritebarrierrec
func sampledBytes(size, rate int64) int64 {
	if rate <= 1 || size > 3*rate {
		return size
	}
	return rate + size/2 + size*size/rate/12
}

// crashGrowthBytes returns the bytes of pages that got memory for b.
//
//go:nowritebarrierrec
func crashGrowthBytes(b *bucket) int64 { return b.growth().bytes[growthResident].Load() }

// crashMemoryTop writes the call stacks of the buckets with the most bytes, the
// largest first, and those with equal bytes in the order of their addresses. It
// finds each bucket by going through all of them, because there is no memory to
// sort them.
//
//go:nowritebarrierrec
func crashMemoryTop(head *bucket, bytes func(*bucket) int64) {
	last, lastBucket := int64(1<<63-1), uintptr(0)
	for range crashMemorySites {
		var best *bucket
		most := int64(0)
		for b := head; b != nil; b = b.allnext {
			n, at := bytes(b), uintptr(unsafe.Pointer(b))
			if n == last && at <= lastBucket || n > last {
				continue // written
			}
			if n > most || n == most && best != nil && at < uintptr(unsafe.Pointer(best)) {
				best, most = b, n
			}
		}
		if best == nil {
			return
		}
		crashText("\t")
		crashNumber(uint64(most))
		crashText("\n")
		stk := best.stk()
		if best.typ == growthProfile {
			stk = crashMemory.pcs[:fpunwindExpand(crashMemory.pcs[:], stk)]
		}
		crashStack(stk)
		last, lastBucket = most, uintptr(unsafe.Pointer(best))
	}
}

// crashStack writes a call stack without the innermost functions that are the
// runtime's. It writes the outermost function even if all functions are the
// runtime's.
//
//go:nowritebarrierrec
func crashStack(stk []uintptr) {
	frames := 0
	for i, pc := range stk {
		if frames == 0 && i < len(stk)-1 && stringslite.HasPrefix(crashFunction(pc), "runtime.") {
			continue
		}
		if frames++; frames > crashMemoryFrames {
			return
		}
		f := findfunc(pc - 1)
		crashText("\t\t")
		crashText(crashFunction(pc))
		if f.valid() {
			u, uf := newInlineUnwinder(f, pc-1)
			file, line := u.fileLine(uf)
			crashText(" ")
			crashText(file)
			crashText(":")
			crashNumber(uint64(line))
		}
		crashText("\n")
	}
}

// crashFunction returns the name of the function to which a call returns at pc.
//
//go:nowritebarrierrec
func crashFunction(pc uintptr) string {
	f := findfunc(pc - 1)
	if !f.valid() {
		return "?"
	}
	u, uf := newInlineUnwinder(f, pc-1)
	return u.srcFunc(uf).name()
}

// crashText appends s to line, and writes line to the file whenever it is full.
//
//go:nowritebarrierrec
func crashText(s string) {
	c := &crashMemory
	for len(s) > 0 {
		if c.n == len(c.line) {
			crashFlush()
		}
		n := copy(c.line[c.n:], s)
		c.n += n
		s = s[n:]
	}
}

// crashNumber appends n to line in decimal, as crashText does.
//
//go:nowritebarrierrec
func crashNumber(n uint64) {
	var buf [20]byte
	b := itoa(buf[:], n)
	crashText(slicebytetostringtmp(&b[0], len(b)))
}

// crashFlush writes the bytes in line to the file.
//
//go:nowritebarrierrec
func crashFlush() {
	c := &crashMemory
	write(c.fd, unsafe.Pointer(&c.line), int32(c.n))
	c.n = 0
}
