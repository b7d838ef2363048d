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

// A newSamples counts the sampled objects that were allocated since the latest
// mark termination. The cycles of the heap profile do not tell, because reading
// a heap profile before the first collection merges them.
//
// The zero value is ready for use. Its user protects it with a lock whose
// holder cannot be preempted, so that memstats.numgc does not change meanwhile.
type newSamples struct {
	numgc   uint32 // memstats.numgc when objects was counted
	objects uint32
}

// count counts an object that is being allocated.
func (n *newSamples) count() {
	*n = newSamples{memstats.numgc, n.load() + 1}
}

// load returns the number of new objects.
func (n *newSamples) load() uint32 {
	if n.numgc != memstats.numgc {
		return 0
	}
	return n.objects
}
