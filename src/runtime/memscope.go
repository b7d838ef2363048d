// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Memory scopes: what a piece of work allocates, and limits to it. This is the runtime's
// side of package runtime/memscope.
//
// A goroutine is in at most one scope, g.memscope, which the goroutines that it starts
// are in, too. Scopes nest: what is counted in a scope is counted in the scopes around.
//
// No allocation does anything for a scope. An mcache counts down to the next sample of
// the memory profile with every allocation, and from that follows how much was
// allocated from it so far (memscopecount.go). A P counts for the scope of the goroutine
// that runs on it, or ran last: what its mcache has counted meanwhile goes to the scope
// when a goroutine of another scope runs there (memscopeSwitch). Limits end the
// countdown early (memscopelimit.go), as scopes do that count objects.
//
// What the runtime allocates for itself while a goroutine of a scope runs is taken out
// again by memscopePause and memscopeResume.
//
// In the order of data: memscopecount.go, memscopelimit.go, memscopepanic.go,
// memscopelive.go, memscopename.go.

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// memscopeUnlimited is the limit of what has none.
const memscopeUnlimited = 1<<63 - 1

// A memscope is a scope. Fields without a comment on how they change do not change.
type memscope struct {
	parent  *memscope
	owner   unsafe.Pointer // *memscope.Scope
	limits  memscopeCounts
	limited bool   // there is a limit here or in a scope around
	counts  bool   // this scope counts objects and calls
	slow    bool   // this scope or one around does
	panics  bool   // goroutines that go on over a limit panic
	name    uint16 // see memscopename.go

	crossing *memscopeCrossing // see memscopelimit.go; nil if this scope has no limit
	bubble   *synctestBubble   // that it was made in

	live memscopeLiveRef // see memscopelive.go

	counted [memscopeShards]memscopeShard
}

// memscopeShards is in how many parts a scope counts, lest Ps that count for it at the
// same time write to the same words.
const memscopeShards = 8

// A memscopeShard is what Ps with the same number modulo memscopeShards have counted.
type memscopeShard struct {
	n [memscopeKinds]atomic.Int64
}

// memscopeNew returns a new scope in the scope of the goroutine. limits are of bytes,
// objects and calls; 0 is none.
//
//go:linkname memscopeNew runtime/memscope.runtime_new
func memscopeNew(owner unsafe.Pointer, name string, limits [memscopeKinds]int64, counts, panics bool) *memscope {
	s := &memscope{parent: getg().memscope, owner: owner, counts: counts, slow: counts, panics: panics, bubble: getg().bubble}
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
	if p := s.parent; p != nil {
		s.limited = s.limited || p.limited
		s.slow = s.slow || p.slow
		s.name = p.name
	}
	if name != "" {
		s.name = memscopeName(name)
	}
	return s
}

// memscopeSet puts the goroutine into s, or out of any scope if s is nil, with a state of
// g.memscopePanic there, and returns what it had before.
//
//go:linkname memscopeSet runtime/memscope.runtime_set
func memscopeSet(s *memscope, state uint8) (*memscope, uint8) {
	mp := acquirem()
	gp := mp.curg
	old, oldState := gp.memscope, gp.memscopePanic
	gp.memscope, gp.memscopePanic = s, state
	memscopeSwitch(mp.p.ptr(), gp)
	releasem(mp)
	return old, oldState
}

// memscopeCurrent returns the scope of the goroutine.
//
//go:linkname memscopeCurrent runtime/memscope.runtime_current
func memscopeCurrent() *memscope { return getg().memscope }

// memscopeUsage returns what was counted in s. Objects and calls are 0 unless s counts
// them.
//
//go:linkname memscopeUsage runtime/memscope.runtime_usage
func memscopeUsage(s *memscope) (counted [memscopeKinds]int64) {
	mp := acquirem()
	n, _ := s.read()
	releasem(mp)
	if !s.counts {
		n[memscopeObjects], n[memscopeCalls] = 0, 0
	}
	return n
}
