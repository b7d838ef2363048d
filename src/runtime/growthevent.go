// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Growth events: what the runtime calls where it maps, backs, returns or unmaps
// memory, and where a goroutine stack grows. Package syscall reports the
// program's own mappings.

package runtime

import _ "unsafe" // for linkname

// growthOfStat returns the kind of memory that sysStat counts.
//
//go:nosplit
func growthOfStat(sysStat *sysMemStat) growthKind {
	switch sysStat {
	case &gcController.heapReleased:
		return growthHeap
	case &memstats.stacks_sys:
		return growthStack
	}
	return growthRuntime
}

// recordGrowthOfAlloc records that n bytes have been mapped and may be accessed
// at once.
//
//go:nosplit
func recordGrowthOfAlloc(n uintptr, sysStat *sysMemStat) {
	recordGrowthOfBoth(n, sysStat, growthMapped, growthResident)
}

// recordGrowthOfFree records that n bytes have been unmapped.
//
//go:nosplit
func recordGrowthOfFree(n uintptr, sysStat *sysMemStat) {
	recordGrowthOfBoth(n, sysStat, growthUnmapped, growthReleased)
}

// recordGrowthOfBoth records n bytes as an event of each of two measures.
// stacks_sys counts the stacks of threads that start before the runtime is
// initialized, and the goroutine stacks that debugging settings make the system
// allocate. Events of stacks_sys have no call stack, because they may happen
// where there is not even a g.
//
//go:nosplit
func recordGrowthOfBoth(n uintptr, sysStat *sysMemStat, space, memory growthMeasure) {
	kind := growthOfStat(sysStat)
	if sysStat == &memstats.stacks_sys {
		growthUnattributed[kind][space].Add(int64(n))
		growthUnattributed[kind][memory].Add(int64(n))
		return
	}
	recordGrowth(kind, space, n)
	recordGrowth(kind, memory, n)
}

// recordGrowthOfMap records that n bytes have been mapped. Bytes of the heap
// cannot be accessed yet. They are recorded as resident when a span takes them.
// Other bytes can be accessed at once.
func recordGrowthOfMap(n uintptr, sysStat *sysMemStat) {
	kind := growthOfStat(sysStat)
	recordGrowth(kind, growthMapped, n)
	if kind != growthHeap {
		recordGrowth(kind, growthResident, n)
	}
}

// spanBacked records that n bytes of a span of type typ had no memory behind
// them. If a sampling point may be among these bytes, or if they may be for a
// recording of references, it records nothing and returns false. The caller
// then calls recordGrowthOfSpan. spanBacked is small enough to be inlined in
// allocSpan.
func (gr *growthOfP) spanBacked(typ spanAllocType, n uintptr) bool {
	return refsGoroutines.Load() == 0 && gr.points[typ&3][growthResident].passes(n)
}

// recordGrowthOfSpan is recordGrowth for n bytes of a span of type typ that had
// no memory behind them.
func recordGrowthOfSpan(typ spanAllocType, n uintptr) {
	kind := growthKind(typ)
	if refsGoroutines.Load() != 0 && refsTakesSpan(typ) {
		growthRecording[kind][growthResident].Add(int64(n))
		return
	}
	recordGrowth(kind, growthResident, n)
}

// recordGrowthOfFault records that n bytes are only reserved from now on. It
// takes them for bytes of the heap, although with GODEBUG=efence=1 they can be
// a stack.
func recordGrowthOfFault(n uintptr) {
	recordGrowth(growthHeap, growthUnmapped, n)
	recordGrowth(growthHeap, growthReleased, n)
}

// flushGrowthIfUnlocked is flushGrowth, but does nothing if gp, which runs on
// this M, is in the runtime and may hold any of its locks. newstack calls it
// before the stack of gp grows, to count pending events of other operations.
//
//go:systemstack
//go:nowritebarrierrec
func flushGrowthIfUnlocked(gp *g) {
	if pp := gp.m.p.ptr(); pp != nil && pp.growth.depth != 0 && gp.m.locks == 0 {
		growthWork.flush(&pp.growth)
	}
}

// recordGrowthOfStack records that the stack of gp, which runs on this M, has
// become larger. The parameter old is its size before, in bytes. newstack calls
// it.
//
//go:systemstack
//go:nowritebarrierrec
func recordGrowthOfStack(gp *g, old uintptr) {
	if growthWork == nil {
		return
	}
	n := gp.stack.hi - gp.stack.lo - old
	if pp := gp.m.p.ptr(); pp != nil && pp.growth.depth == 0 && !gp.recording {
		// This is the common case, handled as in recordGrowth.
		if pp.growth.points[growthStack][growthEnlarged].passes(n) {
			return
		}
	}
	recordGrowth(growthStack, growthEnlarged, n)
	flushGrowthIfUnlocked(gp)
}

// recordGrowthOfMapping records that the goroutine has replaced a mapping by
// another one. The parameters old and new are the addresses of the two mappings,
// from and to their sizes, in bytes. A size of 0 means that there is no such
// mapping, and new is 0 if it has a file. populated reports whether all pages of
// the new mapping got memory at once. On Linux except s390x, package syscall
// calls recordGrowthOfMapping for its own system calls and those of
// golang.org/x/sys (syscall/mapping_linux.go).
//
//go:linkname recordGrowthOfMapping
func recordGrowthOfMapping(old, from, new, to uintptr, populated bool) {
	flushGrowth() // count pending events of other operations
	from, to = alignUp(from, physPageSize), alignUp(to, physPageSize)
	if growthWork != nil && to != 0 {
		programMemory.replace(rangeOf(old, from), rangeOf(new, to))
	}
	if from > to {
		recordGrowth(growthMmap, growthUnmapped, from-to)
	} else if from < to {
		recordGrowth(growthMmap, growthMapped, to-from)
		if populated {
			recordGrowth(growthMmap, growthResident, to-from)
		}
	}
	flushGrowth()
}

// forgetMapping records that the goroutine is about to unmap n bytes at addr.
// Afterwards would be too late, because another thread may have mapped memory
// there. Package syscall calls it, where the stack must not move.
//
//go:nosplit
//go:linkname forgetMapping
func forgetMapping(addr, n uintptr) {
	if growthWork != nil && addr%physPageSize == 0 {
		systemstack(func() { programMemory.replace(rangeOf(addr, alignUp(n, physPageSize)), memoryRange{}) })
	}
}
