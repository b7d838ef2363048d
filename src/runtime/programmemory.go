// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Program memory: where the program itself has mapped memory without a file, so
// that the profile named memory can tell it from memory of C's. Package syscall
// reports mappings (recordGrowthOfMapping).

package runtime

import (
	"internal/runtime/atomic"
	_ "unsafe" // for linkname
)

// programMemory has ranges of addresses in order. No two of them touch. When
// there is no room, it does not learn of more.
var programMemory memoryRanges

type memoryRanges struct {
	lock   mutex // a leaf
	n      atomic.Int32
	ranges [1024]memoryRange
}

type memoryRange struct{ base, limit uintptr }

// rangeOf returns the n bytes at base, or no bytes if base is 0.
func rangeOf(base, n uintptr) memoryRange {
	if base == 0 {
		return memoryRange{}
	}
	return memoryRange{base, base + n}
}

func (x memoryRange) empty() bool { return x.base == x.limit }

// replace records that the program has replaced one mapping by another one. A
// mapping that does not exist, or has a file, is empty. What replaces memory of
// the program's, as mremap does, is memory of the program's.
func (r *memoryRanges) replace(old, new memoryRange) {
	created := old.base == 0
	if !created && r.n.Load() == 0 || created && new.base == 0 {
		return // the common case: mappings of files
	}
	systemstack(func() { // where no stack grows with the lock held
		lock(&r.lock)
		moved := r.remove(old)
		if created || moved {
			r.remove(new)
			r.insert(new)
		}
		unlock(&r.lock)
	})
}

// search returns the index of the first range that ends at addr or above.
func (r *memoryRanges) search(addr uintptr) int {
	low, high := 0, int(r.n.Load())
	for low < high {
		if mid := (low + high) / 2; r.ranges[mid].limit < addr {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// remove removes the addresses of x, and reports whether there were any.
func (r *memoryRanges) remove(x memoryRange) (found bool) {
	if x.empty() {
		return false
	}
	for i := r.search(x.base + 1); i < int(r.n.Load()) && r.ranges[i].base < x.limit; {
		found = true
		old := r.ranges[i]
		below, above := memoryRange{old.base, x.base}, memoryRange{x.limit, old.limit}
		switch {
		case below.base < below.limit:
			r.ranges[i] = below
			i++
			if above.base < above.limit {
				r.put(i, above)
				i++
			}
		case above.base < above.limit:
			r.ranges[i] = above
			i++
		default:
			r.drop(i)
		}
	}
	return found
}

// insert adds x, none of whose addresses is there.
func (r *memoryRanges) insert(x memoryRange) {
	if x.empty() {
		return
	}
	i := r.search(x.base)
	if i < int(r.n.Load()) && r.ranges[i].limit == x.base {
		x.base = r.ranges[i].base
		r.drop(i)
	}
	if i < int(r.n.Load()) && r.ranges[i].base == x.limit {
		x.limit = r.ranges[i].limit
		r.drop(i)
	}
	r.put(i, x)
}

func (r *memoryRanges) put(i int, x memoryRange) {
	if n := int(r.n.Load()); n < len(r.ranges) {
		copy(r.ranges[i+1:n+1], r.ranges[i:n])
		r.ranges[i] = x
		r.n.Store(int32(n + 1))
	}
}

func (r *memoryRanges) drop(i int) {
	n := int(r.n.Load())
	copy(r.ranges[i:n-1], r.ranges[i+1:n])
	r.n.Store(int32(n - 1))
}

// pprof_programMemory puts the ranges into p, as pairs of addresses, as far as
// there is room.
//
//go:linkname pprof_programMemory
func pprof_programMemory(p [][2]uintptr) (n int) {
	systemstack(func() {
		lock(&programMemory.lock)
		for ; n < min(len(p), int(programMemory.n.Load())); n++ {
			p[n] = [2]uintptr{programMemory.ranges[n].base, programMemory.ranges[n].limit}
		}
		unlock(&programMemory.lock)
	})
	return n
}

// pprof_threadStacks puts into p an address in the stack of each thread that
// has its stack from C, as far as there is room and the runtime knows the
// thread. It reports whether there is C.
//
//go:linkname pprof_threadStacks
func pprof_threadStacks(p []uintptr) (n int, c bool) {
	if !iscgo {
		return 0, false
	}
	systemstack(func() {
		lock(&sched.lock) // so that no M goes
		for mp := allm; mp != nil && n < len(p); mp = mp.alllink {
			if mp != &m0 && !mp.isExtraInC && mp.g0 != nil && mp.g0.stack.hi != 0 {
				p[n] = mp.g0.stack.hi - 1
				n++
			}
		}
		unlock(&sched.lock)
	})
	return n, true
}

// pprof_inHeap reports whether addr is in Go's heap, as goroutine stacks are.
//
//go:linkname pprof_inHeap
func pprof_inHeap(addr uintptr) (in bool) {
	systemstack(func() {
		lock(&mheap_.lock)
		in = mheap_.pages.inUse.contains(addr)
		unlock(&mheap_.lock)
	})
	return in
}
