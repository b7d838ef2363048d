// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The heap profiler records two facts about a sampled object, in addition to
// its bucket and its labels: when it was allocated, and whether it is a block
// for several tiny objects.
//
// Both facts are in the object's special. On 64-bit systems, the special has
// room for them; on 32-bit systems, each special is 4 bytes larger because of
// them. Objects without specials cost nothing. The facts are written before the
// special is in its span's list, and never after. Recordings of references read
// them (mrefssites.go).

package runtime

import "unsafe"

// recordAllocation sets the cycle and tiny fields of s for the object at p,
// which is being allocated. setprofilebucket calls it, on the system stack of
// the M that allocates.
func (s *specialprofile) recordAllocation(p unsafe.Pointer) {
	s.special.cycle = work.cycles.Load()
	if c := getMCache(getg().m); c != nil {
		s.special.tiny = c.tiny == uintptr(p)
	}
}

// survived returns the number of collections that have found the object alive,
// up to and including the collection with number cycle.
func (s *specialprofile) survived(cycle uint32) uint32 {
	return cycle - s.special.cycle
}
