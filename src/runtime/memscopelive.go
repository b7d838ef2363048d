// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Estimates of how much of the memory that a scope has allocated is still in
// use.
//
// The special of an object that the heap profiler has sampled refers to a
// memscopeLive of the scope in which the object was allocated. The memscopeLive
// counts the objects and bytes that samples stand for, in the cycles of the
// heap profile (see memRecord), so that its estimates are as of the last
// collection. It is off the heap, so that samples do not keep scopes alive.
// When the last of its samples is freed, its life ends and it may be used for
// another scope. Its old scope, if it still exists, recognizes this by the
// changed life number. The samples of inner scopes count in the scopes around
// them, too. Therefore a memscopeLive lives at least as long as the
// memscopeLives of inner scopes, which refer to it (parent).
//
// profMemActiveLock protects memscopeLives and every memscopeLive.

package runtime

import (
	"internal/runtime/sys"
	"unsafe"
)

// A memscopeLive estimates how much memory of a scope is in use.
type memscopeLive struct {
	_       sys.NotInHeap
	parent  *memscopeLive // of the scope around
	next    *memscopeLive // in memscopeLives.unused
	life    uint32        // changes when a use for a scope begins or ends
	samples int64         // number of samples that are not freed
	active  memscopeWeight
	future  [3]memscopeFuture
}

// A memscopeLiveRef refers to a memscopeLive in one of its lives.
type memscopeLiveRef struct {
	live *memscopeLive
	life uint32
}

// A memscopeWeight is the number of objects and bytes that samples stand for,
// both in units of 1/memscopeWeightUnit.
type memscopeWeight struct {
	objects, bytes int64
}

const memscopeWeightUnit = 1 << 10

// A memscopeFuture is a weight that becomes active together with a future cycle
// of the heap profile.
type memscopeFuture struct {
	memscopeWeight
	flushes uint32 // memscopeLives.flushes of the cycle when the weight was counted
}

var memscopeLives struct {
	flushes [3]uint32 // by index of a cycle of the heap profile: number of calls of mProf_FlushLocked for it
	unused  *memscopeLive
}

// memscopeFlushed counts a flush of the cycle with that index. It is called
// when the cycle becomes active.
func memscopeFlushed(index uint32) { memscopeLives.flushes[index]++ }

// countScope counts the object of s, which is being allocated, for the scope of
// the goroutine that allocates it. b is the object's bucket. setprofilebucket
// calls it, on the system stack of the M that allocates.
func (s *specialprofile) countScope(b *bucket) {
	gp := getg().m.curg
	if gp == nil {
		return
	}
	if scope := gp.openMemscope(); scope != nil && !gp.m.allocatingOwn() {
		memscopeWork.sampled(s, b, scope)
	}
}

// uncountScope counts the object of s as freed.
//
//go:nowritebarrierrec
func (s *specialprofile) uncountScope() {
	if s.scope != nil {
		memscopeWork.freed(s)
	}
}

// countSampled is countScope for an object of scope.
func (s *specialprofile) countSampled(b *bucket, scope *memscope) {
	lock(&profMemActiveLock)
	s.scope = scope.liveLocked()
	s.weight = uint64(sampleWeight(b.size, MemProfileRate) * memscopeWeightUnit)
	s.countLive(b, (mProfCycle.read()+2)%3, +1)
	unlock(&profMemActiveLock)
}

// allocatingOwn reports whether the runtime is allocating for itself on the P
// of mp.
func (mp *m) allocatingOwn() bool {
	pp := mp.p.ptr()
	return pp != nil && pp.memscope.own.Load()
}

// countFreed is uncountScope for an object of a scope.
//
//go:nowritebarrierrec
func (s *specialprofile) countFreed() {
	lock(&profMemActiveLock)
	s.countLive(s.b, (mProfCycle.read()+1)%3, -1)
	unlock(&profMemActiveLock)
}

// countLive adds n times the weight of the object of s to the cycle with that
// index, for the object's scope and the scopes around it. b is the object's
// bucket, and n is +1 or -1. The caller holds profMemActiveLock.
func (s *specialprofile) countLive(b *bucket, index uint32, n int64) {
	w := memscopeWeight{objects: n * int64(s.weight)}
	w.bytes = w.objects * int64(b.size)
	for l := s.scope; l != nil; {
		outer := l.parent
		l.flush(index)
		l.future[index].add(w)
		l.samples += n
		if l.samples == 0 {
			l.free()
		}
		l = outer
	}
}

// liveLocked returns the memscopeLive of s, and makes one if there is none. If
// there is no memory for it, persistentalloc ends the program. The caller holds
// profMemActiveLock.
func (s *memscope) liveLocked() *memscopeLive {
	if s.live.live != nil && s.live.life == s.live.live.life {
		return s.live.live
	}
	var outer *memscopeLive
	if s.parent != nil {
		outer = s.parent.liveLocked()
	}
	l := memscopeLives.unused
	if l != nil {
		memscopeLives.unused = l.next
	} else {
		l = (*memscopeLive)(persistentalloc(unsafe.Sizeof(memscopeLive{}), 0, &memstats.buckhash_sys))
	}
	*l = memscopeLive{parent: outer, life: l.life + 1}
	s.live = memscopeLiveRef{live: l, life: l.life}
	return l
}

// free ends the life of l, which has no samples any more.
func (l *memscopeLive) free() {
	l.life++
	l.next = memscopeLives.unused
	memscopeLives.unused = l
}

// flush makes the weight for the cycle with that index active if the cycle has
// become active since the weight was counted.
func (l *memscopeLive) flush(index uint32) {
	f, flushes := &l.future[index], memscopeLives.flushes[index]
	if f.flushes != flushes {
		l.active.add(f.memscopeWeight)
		*f = memscopeFuture{flushes: flushes}
	}
}

func (w *memscopeWeight) add(v memscopeWeight) {
	w.objects += v.objects
	w.bytes += v.bytes
}

// memscopeLiveUsage returns the estimates of s.
//
//go:linkname memscopeLiveUsage
func memscopeLiveUsage(s *memscope) (bytes, objects int64) {
	if s.live.live == nil {
		return 0, 0
	}
	var w memscopeWeight
	lock(&profMemActiveLock)
	if l := s.live.live; l != nil && l.life == s.live.life {
		for i := range l.future {
			l.flush(uint32(i))
		}
		w = l.active
	}
	unlock(&profMemActiveLock)
	return w.bytes / memscopeWeightUnit, w.objects / memscopeWeightUnit
}

// sampleWeight returns the number of objects of that size that an object
// sampled at that rate stands for: 1/(1-exp(-size/rate)), as in package
// runtime/pprof.
func sampleWeight(size uintptr, rate int) float64 {
	x := float64(size) / float64(rate)
	if rate <= 1 || x > 40 {
		return 1
	}
	// For x up to 1/2 the series is exact to a millionth. For larger x,
	// exp(-x) is exp(-x/2^n), squared n times.
	n := 0
	for ; x > 0.5; n++ {
		x /= 2
	}
	w := 1/x + 0.5 + x/12 - x*x*x/720
	for ; n > 0; n-- {
		e := 1 - 1/w
		w = 1 / (1 - e*e)
	}
	return w
}
