// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Free heap stays with the process, more than the collector will use, or the heap
// has returned it, and huge pages keep it resident.

package main

import "fmt"

const (
	// freeShare is the share of the resident size of free heap beyond what
	// the next collection will find in use, and a tenth, which the runtime
	// keeps for itself.
	freeShare  = 0.20
	keptOfGoal = 1.1
)

func findFree(f *facts) []finding {
	m := f.Moments[0]
	excess := m.Classes[free] - max(int64(keptOfGoal*float64(f.NextGC))-m.heap(), 0)
	if len(f.Moments) < 3 || f.NextGC == 0 || f.NextGC >= 1<<60 || excess < f.least(freeShare, 4*standingLeast) {
		return nil
	}
	// What the runtime returns in the watch is on its way.
	a, b := f.firstWatched().Classes[free], f.lastWatched().Classes[free]
	if b < a-a/50 {
		return nil
	}
	x := finding{
		Kind:      "free-not-returned",
		Signature: "heap",
		Text:      fmt.Sprintf("%s of heap are free, and were not returned in the watch.", formatSize(m.Classes[free])),
		Place:     "debug.FreeOSMemory, GOMEMLIMIT",
		Bytes:     excess,
		Details:   []string{fmt.Sprintf("%s more than the heap will need before the next collection, which begins at %s", formatSize(excess), formatSize(f.NextGC))},
		Profile:   "memory",
		More:      "go tool pprof -top " + f.take.path("memory.0.pb.gz"),
		group:     standing,
	}
	if f.take.files["memory.0.pb.gz"] == nil { // of an unchanged toolchain
		x.Profile, x.More = "heap", "grep '^# Heap' "+f.take.path("heap.txt")
	}
	return []finding{x}
}

// findHuge finds memory that the heap has returned, and that the system has made
// huge pages of again.
func findHuge(f *facts) []finding {
	n := f.now().Huge
	for _, m := range f.Moments {
		n = min(n, m.Huge)
	}
	if f.Compare || n < f.least(freeShare, 4*standingLeast) {
		return nil
	}
	return []finding{{
		Kind:      "free-not-returned",
		Signature: "huge pages",
		Text:      fmt.Sprintf("%s of heap were returned, and huge pages keep them resident.", formatSize(n)),
		Place:     "GODEBUG=disablethp=1",
		Bytes:     n,
		Details:   []string{"the system makes huge pages of memory of which parts are in use: with this setting it does not, and the program may be slower"},
		Profile:   "memory",
		More:      "go tool pprof -top " + f.take.path(f.take.last("memory")),
		group:     standing,
	}}
}
