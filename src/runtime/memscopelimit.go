// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Limits of memory scopes.
//
// A P that counts for a scope with limits, or for a scope inside such a scope,
// may allocate until memscopeP.due is reached. Then it checks the limits. The
// check uses the exact counts: it includes the counts that other Ps have not
// yet added to the scope. After the check, the P may allocate as much as is
// left below the limit or, if more than one P counts for the scope, a part of
// that. In both cases it may allocate no more than memscopeAllowance before the
// next check. No limit is found crossed too early, because the counts are
// exact. The allocation that crosses a limit finds it crossed, with two
// exceptions. First, the allocation may be one of those that are not checked
// (see below). Second, if several Ps have counted for the scope at the same
// time, they may find the limit crossed later, by as much as they were allowed
// to allocate.
//
// The allocation that first finds a limit of a scope crossed records the counts
// and its call stack, and wakes the goroutine memscopeWatch, which starts a
// goroutine that cancels the scope's context. memscopeCheck, at the end of the
// work in a scope, does the same. The allocating goroutine cannot cancel the
// context, because cancelling takes locks that this goroutine may hold. In
// scopes that panic, the allocating goroutine is also made to panic, once: see
// memscopepanic.go.
//
// Three kinds of allocations are not checked: those on system stacks, those
// with locks of the runtime held or preemption disabled, and tiny objects that
// fit into an existing tiny block, which count only for limits of calls. The
// next allocation of another kind that the P counts for the scope is checked
// instead.

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// memscopeAllowance is the largest number of bytes, objects or calls that a P
// may count before it checks limits again. It bounds how late a P finds a limit
// crossed.
const memscopeAllowance = 1 << 20

// memscopeUnlimited is the value of a limit that is not set.
const memscopeUnlimited = 1<<63 - 1

// memscopeCrossing describes the first crossing of one of a scope's limits.
type memscopeCrossing struct {
	state   atomic.Uint32 // one of the constants below; kind, counted, n and stack are valid when it is memscopeRecorded
	next    *memscope     // in memscopeWatcher.crossed
	kind    int           // kind of the limit
	counted memscopeCounts
	n       int // length of the call stack in stack
	stack   [64]uintptr
}

const (
	memscopeBelow = iota
	memscopeCrossed
	memscopeRecorded
)

// reached reports whether one of the counts in now is above due.
func (due *memscopeCounts) reached(now memscopeCounts) bool {
	for k := range now {
		if now[k]-due[k] > 0 {
			return true
		}
	}
	return false
}

// check checks the limits of s and of the scopes around it. now has the counts
// of the mcache. check returns the counts above which it is to be called again.
func (s *memscope) check(now memscopeCounts) memscopeCounts {
	due := memscopeNeverDue(now)
	for ; s != nil; s = s.parent {
		if s.crossing == nil {
			continue
		}
		left, below := s.left()
		if !below && s.panics {
			wantMemscopePanic()
			due = now // so that the next allocation, perhaps of another goroutine, is checked, too
		}
		for k := range left {
			due[k] = min(due[k], now[k]+left[k])
		}
	}
	return due
}

// memscopeNeverDue returns counts that will not be reached soon.
func memscopeNeverDue(now memscopeCounts) memscopeCounts {
	for k := range now {
		now[k] += 1 << 62
	}
	return now
}

// left returns how much may be counted on this P before the limits of s are to
// be checked again. below reports whether none of them is crossed. If left is
// the first to find one crossed, it records that (cross).
func (s *memscope) left() (left memscopeCounts, below bool) {
	never := memscopeNeverDue(memscopeCounts{})
	if s.crossing.state.Load() != memscopeBelow {
		return never, false
	}
	counted, ps := s.read()
	for k := range counted {
		if s.limits[k] == memscopeUnlimited {
			left[k] = never[k]
			continue
		}
		left[k] = s.limits[k] - counted[k]
		if left[k] < 0 {
			s.cross(k, counted)
			return never, false
		}
		if ps > 1 {
			left[k] /= 2 * ps
		}
		left[k] = min(left[k], memscopeAllowance)
	}
	return left, true
}

// cross records that the limit of the given kind is crossed, and adds s to
// memscopeWatcher, unless a limit of s was crossed before.
func (s *memscope) cross(kind int, counted memscopeCounts) {
	c := s.crossing
	if !c.state.CompareAndSwap(memscopeBelow, memscopeCrossed) {
		return
	}
	c.kind, c.counted = kind, counted
	c.n = callers(0, c.stack[:])
	c.state.Store(memscopeRecorded)
	if raceenabled {
		racereleasemerge(unsafe.Pointer(c))
	}
	if s.bubble != nil {
		s.bubble.incActive() // until the goroutine that cancels the scope is started
	}
	memscopeWatcher.add(s)
}

// memscopeCheck checks the limits of s. It is called when the work in s is
// done.
//
//go:linkname memscopeCheck runtime/memscope.runtime_check
func memscopeCheck(s *memscope) {
	if s.crossing == nil {
		return
	}
	mp := acquirem()
	s.left()
	releasem(mp)
}

// memscopeCrossedBy returns the limit of s that was first found crossed, if
// any, the counts at that time, and the stack of the allocation, or of the call
// of memscopeCheck, that found it crossed.
//
//go:linkname memscopeCrossedBy runtime/memscope.runtime_crossed
func memscopeCrossedBy(s *memscope) (kind int, counted [memscopeKinds]int64, stack []uintptr, crossed bool) {
	c := s.crossing
	if c == nil || c.state.Load() == memscopeBelow {
		return
	}
	for c.state.Load() != memscopeRecorded {
		osyield()
	}
	return c.kind, c.counted, append(stack, c.stack[:c.n]...), true
}

// memscopeWatcher has the state of the goroutine memscopeWatch.
var memscopeWatcher memscopeWatching

// A memscopeWatching is a list of scopes that have crossed a limit. It has no
// locks, because scopes are added where memory is allocated.
type memscopeWatching struct {
	crossed atomic.Pointer[memscope] // linked by memscopeCrossing.next
	idle    atomic.Uint32            // 1 if g is parked or is about to park

	ready uint32 // semaphore, released when g is set

	// Set before the first scope, by memscopeStart and memscopeWatch.
	g        *g
	cancel   func(owner unsafe.Pointer)
	newError func(owner unsafe.Pointer) any
}

// memscopeStart sets the functions of package memscope that the runtime calls
// when a limit is crossed: cancel starts a goroutine that cancels the scope,
// and newError returns the value that a goroutine panics with. memscopeStart
// also starts memscopeWatch.
//
//go:linkname memscopeStart runtime/memscope.runtime_start
func memscopeStart(cancel func(unsafe.Pointer), newError func(unsafe.Pointer) any) {
	memscopeWatcher.cancel, memscopeWatcher.newError = cancel, newError
	go memscopeWatch()
	semacquire(&memscopeWatcher.ready)
}

// memscopeWatch starts the goroutines that cancel scopes that have crossed a
// limit.
func memscopeWatch() {
	w := &memscopeWatcher
	w.g = getg()
	semrelease(&w.ready)
	for {
		for s := w.take(); s != nil; {
			next := s.crossing.next
			s.crossing.next = nil
			s.startCancel()
			s = next
		}
		gopark(memscopeParked, nil, waitReasonMemscope, traceBlockSystemGoroutine, 1)
	}
}

// startCancel starts the goroutine that cancels s, in the bubble in which s was
// made. Package memscope starts that goroutine, because goroutines that start
// in functions of the runtime count as the runtime's own.
func (s *memscope) startCancel() {
	gp := getg()
	if raceenabled {
		raceacquire(unsafe.Pointer(s.crossing))
	}
	mp := acquirem()
	gp.bubble = s.bubble
	memscopeWatcher.cancel(s.owner)
	gp.bubble = nil
	releasem(mp)
	if s.bubble != nil {
		s.bubble.decActive()
	}
}

// memscopeParked reports whether the goroutine may park: the list is empty, or
// add has set idle to 0 and will make the goroutine ready. memscopeParked sets
// idle before it reads the list, so that it misses no scope.
func memscopeParked(*g, unsafe.Pointer) bool {
	w := &memscopeWatcher
	w.idle.Store(1)
	return w.crossed.Load() == nil || !w.idle.CompareAndSwap(1, 0)
}

// add adds s to the list. It runs on the stack of a goroutine that holds no
// lock of the runtime.
func (w *memscopeWatching) add(s *memscope) {
	for {
		s.crossing.next = w.crossed.Load()
		if w.crossed.CompareAndSwap(s.crossing.next, s) {
			break
		}
	}
	if w.idle.CompareAndSwap(1, 0) {
		goready(w.g, 1)
	}
}

// take returns the list and empties it.
func (w *memscopeWatching) take() *memscope {
	for {
		s := w.crossed.Load()
		if s == nil || w.crossed.CompareAndSwap(s, nil) {
			return s
		}
	}
}
