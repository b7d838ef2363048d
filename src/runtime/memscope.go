// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Memory scopes: counts of the memory that a piece of work allocates, and
// limits on it. This is the runtime's side of package runtime/memscope.
//
// A goroutine is in at most one scope, g.memscope. The goroutines that it
// starts are in that scope, too. Scopes nest: everything that counts in a scope
// counts in the scopes around it.
//
// Most allocations do no work for scopes. With each allocation of an object or
// of a tiny block, an mcache counts down the bytes to the next sample of the
// heap profile. From this countdown follows the number of bytes that were
// allocated from the mcache so far (memscopecount.go). A P counts for the scope
// of the goroutine that runs on it or ran on it last, until it becomes idle.
// When the P becomes idle, or when a goroutine of another scope, or of none,
// begins to run on it, the bytes, objects and calls that it has counted for the
// scope are added to the scope (countFor). Limits end the countdown early
// (memscopelimit.go), and so do scopes that count objects.
//
// memscopePause and memscopeResume exclude memory that the runtime allocates
// for itself while a goroutine of a scope runs.
//
// A scope is closed when memscope.Run returns: the work is over, and what its
// goroutines do from then on is not for it. For example, the first request of
// a pool starts a worker that later serves everybody. A goroutine in a closed
// scope counts for the innermost scope around it that is open. A P that counts
// for a scope when it is closed may go on until it runs another goroutine, which
// is right for the scopes around. The closed scope keeps its counts of that
// moment, and crosses no limit.
//
// The other files are memscopecount.go, memscopelimit.go, memscopelive.go and
// memscopename.go.

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// A memscope is a scope. Only owner, closing, final, live, counted, and the
// memscopeCrossing change.
type memscope struct {
	parent  *memscope
	owner   unsafe.Pointer // *memscope.Scope
	limits  memscopeCounts
	limited bool   // this scope or one around it has a limit
	counts  bool   // this scope counts objects and calls
	slow    bool   // this scope or one around it counts objects and calls
	depth   uint8  // number of scopes around this one
	name    uint16 // see memscopename.go

	crossing *memscopeCrossing // see memscopelimit.go; nil if this scope has no limit
	bubble   *synctestBubble   // bubble in which the scope was made, or nil

	closing atomic.Uint32  // memscopeOpen, memscopeClosing or memscopeClosed
	final   memscopeCounts // counts when the scope was closed

	live memscopeLiveRef // see memscopelive.go

	counted [memscopeShards]memscopeShard
}

// memscopeWork has the functions that the scheduler, newstack, sysmon,
// allocations and the heap profiler call if there is a scope. The
// initialization of package runtime/memscope sets it, so that the linker leaves
// these functions out of programs that do not import that package. The compiler
// does not check the annotations of functions that are called through a
// variable, so each of these functions has the annotation nowritebarrierrec if
// its callers have it.
var memscopeWork memscopeFunctions

type memscopeFunctions struct {
	countFor   func(*p, *memscope)
	allocating func(*memscopeP, *m, *mcache)
	sampled    func(*specialprofile, *bucket, *memscope)
	freed      func(*specialprofile)
}

// memscopeInit sets memscopeWork and memscopeNamed.
//
//go:linkname memscopeInit
func memscopeInit() {
	w := &memscopeWork
	w.countFor = (*p).countFor
	w.allocating = (*memscopeP).allocating
	w.sampled = (*specialprofile).countSampled
	w.freed = (*specialprofile).countFreed
	memscopeNamed = memLabelsPrepare
}

// memscopeUsed reports whether the program imports package runtime/memscope.
//
//go:linkname memscopeUsed
func memscopeUsed() bool { return memscopeWork.countFor != nil }

// memscopeShards is the number of parts of a scope's counts. With several
// parts, Ps that count for a scope at the same time seldom write to the same
// words.
const memscopeShards = 8

// A memscopeShard has the counts of the Ps whose numbers are equal modulo
// memscopeShards.
type memscopeShard struct {
	n [memscopeKinds]atomic.Int64
}

// memscopeMaxDepth bounds how many scopes a P adds its counts to when it stops
// counting, which it does at switches of goroutines and at mark termination.
const memscopeMaxDepth = 16

// memscopeNew returns a new scope inside the scope of the goroutine, or nil if
// scopes would be nested more than memscopeMaxDepth deep. limits has a limit for
// bytes, objects and calls; 0 means no limit.
//
//go:linkname memscopeNew
func memscopeNew(owner unsafe.Pointer, name string, limits [memscopeKinds]int64, counts bool) *memscope {
	outer := getg().openMemscope()
	if outer != nil && outer.depth == memscopeMaxDepth-1 {
		return nil
	}
	s := &memscope{parent: outer, owner: owner, counts: counts, slow: counts, bubble: getg().bubble}
	for k, n := range limits {
		s.limits[k] = memscopeUnlimited
		if n != 0 {
			s.limits[k] = n
			s.limited = true
		}
	}
	if s.limited {
		s.crossing = new(memscopeCrossing)
	}
	if outer != nil {
		s.depth = outer.depth + 1
		s.limited = s.limited || outer.limited
		s.slow = s.slow || outer.slow
		s.name = outer.name
	}
	if name != "" {
		s.name = memscopeName(name)
	}
	return s
}

// memscopeSet puts the goroutine into s, or out of any scope if s is nil. It
// returns the scope that the goroutine was in before.
//
//go:linkname memscopeSet
func memscopeSet(s *memscope) *memscope {
	mp := acquirem()
	gp := mp.curg
	old := gp.memscope
	gp.memscope = s
	memscopeSwitch(mp.p.ptr(), gp)
	releasem(mp)
	return old
}

// memscopeCurrent returns the scope of the goroutine.
//
//go:linkname memscopeCurrent
func memscopeCurrent() *memscope { return getg().openMemscope() }

// memscopeUsage returns the counts of s. Objects and calls are 0 unless s
// counts them.
//
//go:linkname memscopeUsage
func memscopeUsage(s *memscope) (counted [memscopeKinds]int64) {
	n := s.usage()
	if !s.counts {
		n[memscopeObjects], n[memscopeCalls] = 0, 0
	}
	return n
}

// States of memscope.closing.
const (
	memscopeOpen    = iota
	memscopeClosing // final is being set
	memscopeClosed
)

// isOpen reports whether s is not closed.
//
//go:nosplit
func (s *memscope) isOpen() bool { return s.closing.Load() == memscopeOpen }

// openMemscope returns the scope that gp counts for: the innermost open scope
// that gp is in, or nil if there is none.
//
//go:nowritebarrierrec
func (gp *g) openMemscope() *memscope {
	s := gp.memscope
	for s != nil && !s.isOpen() {
		s = s.parent
	}
	return s
}

// memscopeClose closes s, after it has checked the limits of s. s.owner becomes
// nil, so that goroutines that stay in s do not keep its context alive.
//
//go:linkname memscopeClose
func memscopeClose(s *memscope) {
	mp := acquirem()
	if c := s.crossing; c != nil {
		s.left()
		c.state.CompareAndSwap(memscopeBelow, memscopeNeverCrossed)
	}
	s.closing.Store(memscopeClosing)
	s.final, _ = s.read()
	s.closing.Store(memscopeClosed)
	s.owner = nil
	releasem(mp)
}

// usage returns the counts of s or, if s is closed, those of the moment when it
// was closed. It does not return more than a later call.
func (s *memscope) usage() memscopeCounts {
	mp := acquirem()
	n, _ := s.read()
	releasem(mp)
	if s.isOpen() {
		return n
	}
	for s.closing.Load() == memscopeClosing {
		osyield()
	}
	return s.final
}
