// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Exports for stackspace_test.go.

package runtime

import (
	"internal/profilerecord"
	"internal/runtime/gc"
	"unsafe"
)

// GoroutineStackSpace takes a goroutine profile. It returns the stack memory of
// all goroutines together, and sets totals to all other stack memory.
func GoroutineStackSpace(totals *profilerecord.StackTotals) (goroutines uintptr) {
	for n := 100; ; {
		p := make([]profilerecord.StackRecord, n)
		labels := make([]unsafe.Pointer, n)
		var ok bool
		n, ok = pprof_goroutineProfileWithStackSpace(p, labels, totals)
		if !ok {
			n += 10
			continue
		}
		for _, r := range p[:n] {
			goroutines += r.Space().Allocated
		}
		return goroutines
	}
}

// UnownedStackBytes counts the stack memory that no goroutine or thread owns,
// where it is kept: in the pool, in the caches, in the lists of large stacks,
// and in dead goroutines and threads.
func UnownedStackBytes() (n uintptr) {
	stw := stopTheWorld(stwForTestReadMetricsSlow)
	defer startTheWorld(stw)
	systemstack(func() {
		for order := range stackpool {
			for s := stackpool[order].item.span.first; s != nil; s = s.next {
				n += (_StackCacheSize/s.elemsize - uintptr(s.allocCount)) * s.elemsize
			}
			for _, p := range allp {
				n += p.mcache.stackcache[order].size
			}
		}
		for i := range stackLarge.free {
			for s := stackLarge.free[i].first; s != nil; s = s.next {
				n += s.npages * gc.PageSize
			}
		}
		forEachGRace(func(gp *g) {
			if s := readgstatus(gp); s == _Gdead || s == _Gdeadextra {
				n += gp.stack.hi - gp.stack.lo
			}
		})
		lock(&sched.lock)
		for mp := sched.freem; mp != nil; mp = mp.freelink {
			if hasAllocatedG0(mp) {
				n += mp.g0.stack.hi - mp.g0.stack.lo
			}
		}
		unlock(&sched.lock)
	})
	return n
}
