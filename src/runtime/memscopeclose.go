// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Closing of memory scopes.
//
// A scope is closed when memscope.Run returns: the work is over, and what its
// goroutines do from then on is not for it. For example, the first request of
// a pool starts a worker that later serves everybody. A goroutine in a closed
// scope counts for the innermost scope around it that is open.
//
// A P that counts for a scope when the scope is closed may go on until it runs
// another goroutine. This is right for the scopes around the closed one. The
// closed scope itself keeps the counts of the moment when it was closed.
//
// A closed scope crosses no limit. memscopeCrossing.state decides: it leaves
// memscopeBelow once, either because a limit is crossed or because the scope is
// closed.

package runtime

import _ "unsafe" // for linkname

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
