// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The gate of runtime/evidence: a large allocation that may take memory to the
// limit waits before it takes memory, so that the reason can be written while
// the process still lives. A single request that reads a large body, for
// example, may take the rest of the memory within milliseconds.
//
// The watcher of runtime/evidence opens the gate for a number of bytes, which
// large allocations use up. An allocation for which nothing is left joins the
// queue, and asks the watcher to measure memory. The watcher writes a part of a
// set or does not, and opens the gate again. While a recording of the watcher
// marks, nobody opens the gate: allocations wait for its end (see narrowGate).
//
// Invariants:
//
//   - A goroutine waits at most gateBound, whatever the watcher does, because a
//     timer of the runtime opens the gate.
//   - A goroutine waits only where it could also wait for the garbage collector
//     (see gcAssistAlloc), and so holds no lock of the runtime.
//   - The watcher's goroutine and those that it starts never wait.
//   - After it has waited, a goroutine allocates, and is not counted again.

package runtime

import (
	"internal/profilerecord"
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// evidenceGate is the part of the gate that all programs have. A program
// without runtime/evidence lacks the rest, because only pass reaches it.
var evidenceGate struct {
	on   atomic.Uint32      // 1 if large allocations pass the gate
	pass func(size uintptr) // passGate, or nil before evidence_openGate
}

const (
	gateBound     = 3e9     // longest wait, in nanoseconds
	gateUnlimited = 1 << 62 // left, if nothing limits allocations
	gateRecords   = 64
	gateDepth     = 64
)

// gate is the rest of the gate. mu protects the fields below it. Waiters hold
// mu when they park. Therefore it has the rank of work.assistQueue, and is never
// held together with that queue's lock.
var gate struct {
	left    atomic.Int64  // bytes that large allocations may still take; negative if none
	large   atomic.Uint64 // allocations of at least so many bytes always ask
	watcher atomic.Uint64 // goid of the watcher
	timer   timer         // opens the gate gateBound after the first wait

	mu      mutex
	waiting gQueue
	since   int64     // nanotime of the first wait in waiting
	all     gateBytes // of the goroutines in waiting
	later   gateBytes // of those of them that came after evidence_waitingBytes
	asked   bool      // an allocation has asked since evidence_awaitAsked has returned
	asker   guintptr  // goroutine in evidence_awaitAsked, or 0
	records *[gateRecords]gateRecord
	n       int // valid records
	laterN  int // of those in later: the last of them
}

// gateBytes describes allocations that wait.
type gateBytes struct {
	n     int32
	bytes int64
	fresh int64 // the most bytes that one of them takes from the system: see freshBytes
}

func (b *gateBytes) add(size, fresh uintptr) {
	b.n++
	b.bytes += int64(size)
	b.fresh = max(b.fresh, int64(fresh))
}

// A gateRecord describes an allocation that has waited since the watcher opened
// the gate. It is off the heap, so that recording one takes no memory.
type gateRecord struct {
	_       sys.NotInHeap
	size    uintptr
	bucket  *bucket // in which the watcher counts the allocation, or nil
	depth   int
	stack   [gateDepth]uintptr
	sampled bool // a heap profile would sample the allocation
}

// awaitEvidence lets an allocation wait at the gate. mallocgcLarge calls it
// before it takes memory, on the goroutine's own stack.
func awaitEvidence(size uintptr) {
	if evidenceGate.on.Load() != 0 {
		evidenceGate.pass(size)
	}
}

// passGate counts an allocation, and waits if nothing is left for it.
func passGate(size uintptr) {
	if gate.left.Add(-int64(size)) >= 0 && uint64(size) < gate.large.Load() || !mayWaitAtGate() {
		return
	}
	var stack [gateDepth]uintptr
	depth := callers(3, stack[:]) // from mallocgc on, as in the heap profile
	sampled := MemProfileRate > 0 && int64(size) > nextSample()
	fresh := freshBytes(size)

	gp := getg()
	bubble := gp.bubble
	gp.bubble = nil // as in gcAssistAlloc
	lock(&gate.mu)
	if evidenceGate.on.Load() == 0 || gate.left.Load() >= gateUnlimited/2 {
		unlock(&gate.mu)
	} else {
		if gate.n < gateRecords {
			r := &gate.records[gate.n]
			gate.n++
			gate.laterN++
			r.size, r.sampled = size, sampled
			r.depth = copy(r.stack[:], stack[:depth])
		}
		gate.all.add(size, fresh)
		gate.later.add(size, fresh)
		gate.waiting.pushBack(gp)
		gopark(parkedAtGate, nil, waitReasonEvidence, traceBlockGeneric, 2)
	}
	gp.bubble = bubble
}

// mayWaitAtGate reports whether the calling goroutine may wait.
func mayWaitAtGate() bool {
	gp := getg()
	mp := gp.m
	if gp != mp.curg || mp.locks != 0 || mp.mallocing != 0 || mp.preemptoff != "" || panicking.Load() != 0 {
		return false
	}
	watcher := gate.watcher.Load()
	return gp.goid != watcher && gp.parentGoid != watcher
}

// parkedAtGate wakes the goroutine in evidence_awaitAsked and starts the timer,
// when a goroutine has parked and can be made ready. It runs on g0, with a P
// and with gate.mu, which it unlocks.
func parkedAtGate(*g, unsafe.Pointer) bool {
	first := gate.waiting.size == 1
	if first {
		gate.since = nanotime()
	}
	asker := askWatcher()
	unlock(&gate.mu)
	if first {
		gate.timer.modify(nanotime()+gateBound, 0, gateOverdue, nil, 0)
	}
	if asker != nil {
		goready(asker, 1)
	}
	return true
}

// gateOverdue opens the gate if an allocation has waited for gateBound. It is
// the function of gate.timer, and holds no locks.
func gateOverdue(any, uintptr, int64) {
	due, waits := gateDue()
	if waits && nanotime() >= due { // or the first one came after the timer was started
		openGateWide()
		due, waits = gateDue()
	}
	if waits {
		gate.timer.modify(due, 0, gateOverdue, nil, 0)
	}
}

// gateDue returns when the gate is to be opened, if an allocation waits.
func gateDue() (due int64, waits bool) {
	lock(&gate.mu)
	due, waits = gate.since+gateBound, !gate.waiting.empty()
	unlock(&gate.mu)
	return
}

// openGateWide lets all large allocations continue.
func openGateWide() { openGate(gateUnlimited, 1<<63, true) }

// openGate lets the allocations continue that evidence_waitingBytes has
// counted, and lets others take left bytes together before the next one waits.
// Those of at least large bytes wait in any case. An allocation that has come
// to wait since then asks again, because left does not include it, or continues
// if all is true.
func openGate(left int64, large uint64, all bool) {
	lock(&gate.mu)
	if all {
		gate.later, gate.laterN = gateBytes{}, 0
	}
	gate.left.Store(left)
	gate.large.Store(large)
	var ready gQueue
	for gate.waiting.size > gate.later.n {
		ready.pushBack(gate.waiting.pop())
	}
	gate.all = gate.later
	var asker *g
	if gate.all.n > 0 {
		gate.since = nanotime()
		asker = askWatcher()
	}
	unlock(&gate.mu)
	for !ready.empty() {
		goready(ready.pop(), 1)
	}
	if asker != nil {
		goready(asker, 1)
	}
}

// evidence_startGate begins to count large allocations, without a limit. The
// calling goroutine and those that it starts never wait.
//
//go:linkname evidence_startGate
func evidence_startGate() {
	if gate.records == nil {
		lockInit(&gate.mu, lockRankAssistQueue)
		gate.timer.init(gateOverdue, nil)
		gate.records = (*[gateRecords]gateRecord)(persistentalloc(unsafe.Sizeof(*gate.records), 0, &memstats.other_sys))
	}
	gate.watcher.Store(getg().goid)
	gate.n = 0
	openGateWide()
	evidenceGate.pass = passGate
	evidenceGate.on.Store(1)
}

// evidence_stopGate undoes evidence_startGate. evidence_awaitAsked returns
// false then.
//
//go:linkname evidence_stopGate
func evidence_stopGate() {
	evidenceGate.on.Store(0)
	openGateWide()
	lock(&gate.mu)
	asker := askWatcher()
	unlock(&gate.mu)
	if asker != nil {
		goready(asker, 1)
	}
}

// evidence_openGate is openGate, or openGateWide if left is negative. The records
// of those that wait on stay, for the set that is about them.
//
//go:linkname evidence_openGate
func evidence_openGate(left int64, large uint64) {
	lock(&gate.mu)
	n := gate.laterN
	if left < 0 {
		n = 0
	}
	for i := range n { // records is nil if nothing has waited yet
		gate.records[i] = gate.records[gate.n-n+i]
	}
	gate.n = n
	unlock(&gate.mu)
	if left < 0 {
		openGateWide()
	} else {
		openGate(left, large, false)
	}
}

// evidence_closeGate makes all large allocations wait from now on.
//
//go:linkname evidence_closeGate
func evidence_closeGate() { gate.left.Store(-gateUnlimited) }

// evidence_awaitAsked waits until an allocation asks the watcher to measure
// memory. It returns false after evidence_stopGate.
//
//go:linkname evidence_awaitAsked
func evidence_awaitAsked() bool {
	lock(&gate.mu)
	if !gate.asked && evidenceGate.on.Load() != 0 {
		gate.asker.set(getg())
		goparkunlock(&gate.mu, waitReasonEvidence, traceBlockGeneric, 1)
		lock(&gate.mu)
	}
	gate.asked = false
	unlock(&gate.mu)
	return evidenceGate.on.Load() != 0
}

// askWatcher notes that an allocation asks. It returns the goroutine in
// evidence_awaitAsked, which the caller makes ready, or nil. The caller holds
// gate.mu.
func askWatcher() *g {
	gate.asked = true
	asker := gate.asker.ptr()
	gate.asker = 0
	return asker
}

// freshBytes returns how many bytes an allocation would take from the system,
// because no free pages in the heap that have memory are in one piece for it.
func freshBytes(size uintptr) (fresh uintptr) {
	systemstack(func() {
		pages := divRoundUp(size, pageSize)
		lock(&mheap_.lock)
		if base, _ := mheap_.pages.find(pages); base != 0 {
			fresh = mheap_.pages.releasedPages(base, pages) * pageSize
		} else {
			fresh = pages * pageSize
		}
		unlock(&mheap_.lock)
	})
	return fresh
}

// releasedPages returns how many of the pages from base on have been released
// to the system. The caller holds the heap's lock.
//
//go:systemstack
func (p *pageAlloc) releasedPages(base, pages uintptr) (released uintptr) {
	assertLockHeld(p.mheapLock)
	for pages > 0 {
		first := chunkPageIndex(base)
		n := min(pallocChunkPages-first, uint(pages))
		released += uintptr(p.chunkOf(chunkIndex(base)).scavenged.popcntRange(first, n))
		base += uintptr(n) * pageSize
		pages -= uintptr(n)
	}
	return released
}

// evidence_waitingBytes returns how many bytes the allocations that wait have,
// and the most bytes that one of them takes from the system. The next openGate
// lets these allocations continue.
//
//go:linkname evidence_waitingBytes
func evidence_waitingBytes() (bytes, fresh int64) {
	lock(&gate.mu)
	bytes, fresh = gate.all.bytes, gate.all.fresh
	gate.later, gate.laterN = gateBytes{}, 0
	unlock(&gate.mu)
	return
}

// evidence_waitingAllocation returns the size of an allocation that has waited
// since the watcher opened the gate, and copies its call stack. It returns 0 if
// fewer than i+1 allocations have been recorded. Only the watcher calls it.
//
//go:linkname evidence_waitingAllocation
func evidence_waitingAllocation(i int, stack []uintptr) (size uintptr, depth int) {
	lock(&gate.mu)
	n := gate.n
	unlock(&gate.mu)
	if i >= n {
		return 0, 0
	}
	r := &gate.records[i]
	return r.size, copy(stack, r.stack[:r.depth])
}

// evidence_countWaiting counts the allocations that wait as objects in the heap
// profile, or no longer counts them. Only the watcher calls it, before it opens
// the gate.
//
//go:linkname evidence_countWaiting
func evidence_countWaiting(count bool) {
	// Until a collection has ended, this call lets the heap profile have
	// all objects, because it has none of its own.
	memProfileInternal(0, false, func(profilerecord.MemProfileRecord) {})
	lock(&gate.mu)
	n := gate.n
	unlock(&gate.mu)
	for i := range n {
		r := &gate.records[i]
		switch {
		case count && r.sampled && r.bucket == nil:
			r.bucket = stkbucket(memProfile, alignUp(r.size, pageSize), r.stack[:r.depth], true)
			lock(&profMemActiveLock)
			r.bucket.mp().active.allocs++
			unlock(&profMemActiveLock)
		case !count && r.bucket != nil:
			lock(&profMemActiveLock)
			r.bucket.mp().active.allocs--
			unlock(&profMemActiveLock)
			r.bucket = nil
		}
	}
}

// evidence_limitRecording limits each recording by the calling goroutine, and
// by the goroutines that it starts, to n bytes, and the large allocations of
// the program in its cycle to room bytes. If n is 0, it ends the limits. A
// recording that reaches the limit continues as if the system had no more
// memory. Allocations wait for the end of the cycle (see evidenceGate).
//
//go:linkname evidence_limitRecording
func evidence_limitRecording(n uint64, room int64) {
	refsLimit.goid.Store(0)
	refsLimit.bytes.Store(n)
	refsLimit.begin, refsLimit.end, refsLimit.room = narrowGate, openGateWide, room
	if n != 0 {
		refsLimit.goid.Store(getg().goid)
	}
}

// narrowGate opens the gate for the large allocations of a recording's cycle.
// The cycle frees nothing before it ends, whereas collections of a program
// that drops what it has allocated are short.
func narrowGate() { openGate(refsLimit.room, 1<<63, false) }
