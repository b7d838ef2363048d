// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Estimates of what of a memory scope is still in use.
//
// The special of an object that the memory profiler has sampled refers to a memscopeLive
// of the scope that the object was allocated in. This counts how many objects and bytes the
// sample stands for, in the cycles of the memory profile (see memRecord), so that what it
// shows is as of the last collection. It is off the heap, so that samples do not keep
// scopes alive, and is used for another scope when the last of its samples is freed: then
// its scope, if there is one, finds that it has another life. Those of inner scopes count
// in those around, and have samples only while these have.
//
// profMemActiveLock protects all of it.

package runtime

import (
	"internal/runtime/sys"
	"unsafe"
)

// A memscopeLive estimates what is in use of a scope.
type memscopeLive struct {
	_       sys.NotInHeap
	parent  *memscopeLive // of the scope around
	next    *memscopeLive // in memscopeLives.unused
	life    uint32        // how often it was used
	samples int64         // that are not freed
	active  memscopeWeight
	future  [3]memscopeFuture
}

// A memscopeLiveRef refers to a memscopeLive in one of its lives.
type memscopeLiveRef struct {
	live *memscopeLive
	life uint32
}

// A memscopeWeight is how many objects and bytes samples stand for, in parts of
// memscopeWeightUnit.
type memscopeWeight struct {
	objects, bytes int64
}

const memscopeWeightUnit = 1 << 10

// A memscopeFuture is what becomes active when future cycles of the memory profile do.
type memscopeFuture struct {
	memscopeWeight
	flushes uint32 // memscopeLives.flushes when it was counted
}

var memscopeLives struct {
	flushes [3]uint32 // how often memory profiles have flushed the cycle with that index
	unused  *memscopeLive
}

// memscopeFlushed is called when the cycle with that index becomes active.
func memscopeFlushed(index uint32) { memscopeLives.flushes[index]++ }

// noteScope counts the object of s, which is being allocated and is going to count in b,
// for the scope of the goroutine that allocates it. It is called by setprofilebucket, on the
// system stack of the M that allocates.
func (s *specialprofile) noteScope(b *bucket) {
	gp := getg().m.curg
	if gp == nil || gp.memscope == nil || gp.m.allocatingOwn() {
		return
	}
	lock(&profMemActiveLock)
	if live := gp.memscope.liveLocked(); live != nil {
		s.scope = live
		s.weight = uint64(sampleWeight(b.size, MemProfileRate) * memscopeWeightUnit)
		s.countLive(b, (mProfCycle.read()+2)%3, +1)
	}
	unlock(&profMemActiveLock)
}

// noteUnscoped counts that the object of s is freed.
func (s *specialprofile) noteUnscoped() {
	if s.scope == nil {
		return
	}
	lock(&profMemActiveLock)
	s.countLive(s.b, (mProfCycle.read()+1)%3, -1)
	unlock(&profMemActiveLock)
}

// countLive counts the object of s, which is of b, n times, for its scope and those around.
func (s *specialprofile) countLive(b *bucket, index uint32, n int64) {
	w := memscopeWeight{objects: n * int64(s.weight)}
	w.bytes = w.objects * int64(b.size)
	for l := s.scope; l != nil; {
		outer := l.parent
		l.settle(index)
		l.future[index].add(w)
		l.samples += n
		if l.samples == 0 {
			l.free()
		}
		l = outer
	}
}

// liveLocked returns what estimates s, which it makes if need be. It returns nil if
// there is no memory.
func (s *memscope) liveLocked() *memscopeLive {
	if s.live.live != nil && s.live.life == s.live.live.life {
		return s.live.live
	}
	var outer *memscopeLive
	if s.parent != nil {
		if outer = s.parent.liveLocked(); outer == nil {
			return nil
		}
	}
	l := memscopeLives.unused
	if l != nil {
		memscopeLives.unused = l.next
	} else if l = (*memscopeLive)(persistentalloc(unsafe.Sizeof(memscopeLive{}), 0, &memstats.buckhash_sys)); l == nil {
		return nil
	}
	*l = memscopeLive{parent: outer, life: l.life + 1}
	s.live = memscopeLiveRef{live: l, life: l.life}
	return l
}

// free ends the life of l, of which there are no samples any more.
func (l *memscopeLive) free() {
	l.life++
	l.next = memscopeLives.unused
	memscopeLives.unused = l
}

// settle makes what was counted for the cycle with that index active, if that is.
func (l *memscopeLive) settle(index uint32) {
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
//go:linkname memscopeLiveUsage runtime/memscope.runtime_live
func memscopeLiveUsage(s *memscope) (bytes, objects int64) {
	if s.live.live == nil {
		return 0, 0
	}
	var w memscopeWeight
	lock(&profMemActiveLock)
	if l := s.live.live; l != nil && l.life == s.live.life {
		for i := range l.future {
			l.settle(uint32(i))
		}
		w = l.active
	}
	unlock(&profMemActiveLock)
	return w.bytes / memscopeWeightUnit, w.objects / memscopeWeightUnit
}

// sampleWeight returns how many objects of that size an object stands for that was sampled
// at that rate: 1/(1-exp(-size/rate)), as in package runtime/pprof.
func sampleWeight(size uintptr, rate int) float64 {
	x := float64(size) / float64(rate)
	if rate <= 1 || x > 40 {
		return 1
	}
	// For x up to 1/2 the series is exact to a millionth. For others exp(-x) is that of
	// x/2^n, squared n times.
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
