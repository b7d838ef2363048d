// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime

import (
	"internal/profilerecord"
	"internal/runtime/gc"
	"unsafe"
)

// UnownedStackSpace returns the stack memory that a goroutine profile shows for
// no goroutine or thread.
func UnownedStackSpace() uintptr {
	for n := 100; ; n += 10 {
		t := new(profilerecord.StackTotals)
		p := make([]profilerecord.StackRecord, n)
		var ok bool
		if n, ok = pprof_goroutineProfileWithStackSpace(p, make([]unsafe.Pointer, n), t); !ok {
			continue
		}
		rest := t.Total
		for _, s := range t.System {
			rest -= s.Bytes
		}
		for _, r := range p[:n] {
			rest -= r.Space().Allocated
		}
		return rest
	}
}

// UnownedStackBytes counts the same memory where it is kept: in the pool, the
// caches, the lists of large stacks, and dead goroutines and threads.
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
