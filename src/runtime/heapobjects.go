// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// An estimate of the number of live objects, without a collection. With it,
// runtime/pprof decides whether there is enough memory for a profile of
// retained sizes.

package runtime

import _ "unsafe" // for linkname

// pprof_liveObjects estimates how many objects are alive. It finishes the sweep
// and counts the objects that are left. It multiplies their number by the share
// of the heap's bytes that the last collection marked, but by no less than
// half: after a collection, a heap with GOGC=100 doubles before the next one.
//
//go:linkname pprof_liveObjects
func pprof_liveObjects() int64 {
	for sweepone() != ^uintptr(0) {
		Gosched()
	}
	metricsLock()
	defer metricsUnlock()
	var stats heapStatsAggregate
	stats.compute()
	live, marked := gcController.heapLive.Load(), gcController.heapMarked
	share := 1.0
	if live > 0 {
		share = min(1, max(0.5, float64(marked)/float64(live)))
	}
	return int64(float64(stats.numObjects) * share)
}
