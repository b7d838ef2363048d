// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime

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
