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
// and its call stack, and makes the scheduler run soon. The scheduler wakes the
// goroutine memscopeWatch, which starts a goroutine that cancels the scope's
// context. The allocating goroutine cannot cancel it, because cancelling takes
// locks that this goroutine may hold, nor wake memscopeWatch, because this may
// allocate a thread.
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
	memscopeNeverCrossed // the scope was closed first
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
		for k, n := range s.left() {
			due[k] = min(due[k], now[k]+n)
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
// be checked again.
func (s *memscope) left() (left memscopeCounts) {
	never := memscopeNeverDue(memscopeCounts{})
	if s.crossing.state.Load() != memscopeBelow {
		return never
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
			return never
		}
		if ps > 1 {
			left[k] /= 2 * ps
		}
		left[k] = min(left[k], memscopeAllowance)
	}
	return left
}

// cross records that the limit of the given kind is crossed, and adds s to
// memscopeWatcher, if s is open and no limit of s was crossed before. It runs in
// mallocgc's context.
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
	getg().preempt = true // makes releasem, which mallocgc calls, set the stack guard
}

// crossed reports whether a limit of s was found crossed while s was open.
func (s *memscope) crossed() bool {
	if s.crossing == nil {
		return false
	}
	state := s.crossing.state.Load()
	return state == memscopeCrossed || state == memscopeRecorded
}

// memscopeOver returns the owner of the innermost scope of the goroutine that
// has crossed a limit, or nil if there is none.
//
//go:linkname memscopeOver
func memscopeOver() unsafe.Pointer {
	for s := getg().openMemscope(); s != nil && s.limited; s = s.parent {
		if s.isOpen() && s.crossed() {
			return s.owner
		}
	}
	return nil
}

// memscopeCrossedBy returns the limit of s that was first found crossed, if
// any, the counts at that time, and the stack of the allocation, or of the call
// of memscopeClose, that found it crossed.
//
//go:linkname memscopeCrossedBy
func memscopeCrossedBy(s *memscope) (kind int, counted [memscopeKinds]int64, stack []uintptr, crossed bool) {
	c := s.crossing
	if !s.crossed() {
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
	idle    atomic.Uint32            // 1 if g is parked or is about to park, and nothing has woken it

	ready uint32 // semaphore, released when g is set

	// Set before the first scope, by memscopeStart.
	g      *g
	cancel func(owner unsafe.Pointer) // starts a goroutine that cancels the scope
}

// memscopeStart sets the function of package memscope that the runtime calls
// when a limit is crossed: it starts a goroutine that cancels the scope.
//
//go:linkname memscopeStart
func memscopeStart(cancel func(unsafe.Pointer)) {
	memscopeWatcher.cancel = cancel
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
	if owner := s.owner; owner != nil { // otherwise Run is returning, and cancels the context itself
		memscopeWatcher.cancel(owner)
	}
	gp.bubble = nil
	releasem(mp)
	if s.bubble != nil {
		s.bubble.decActive()
	}
}

// memscopeParked reports whether the goroutine may park: the list is empty, or
// wake has set idle to 0 and will make the goroutine ready. memscopeParked sets
// idle before it reads the list, so that it misses no scope.
func memscopeParked(*g, unsafe.Pointer) bool {
	w := &memscopeWatcher
	w.idle.Store(1)
	return w.crossed.Load() == nil || !w.idle.CompareAndSwap(1, 0)
}

// add adds s to the list. It runs in mallocgc's context.
func (w *memscopeWatching) add(s *memscope) {
	for {
		s.crossing.next = w.crossed.Load()
		if w.crossed.CompareAndSwap(s.crossing.next, s) {
			return
		}
	}
}

// waiting reports whether a scope is in the list.
func (w *memscopeWatching) waiting() bool { return w.crossed.Load() != nil }

// wake makes memscopeWatch run if it is parked. It runs on the system stack and
// with a P.
func (w *memscopeWatching) wake() {
	if w.idle.CompareAndSwap(1, 0) {
		ready(w.g, 0, true)
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
