// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Garbage takes a large part of memory because GOGC or GOMEMLIMIT allows it.

package main

import "fmt"

const (
	// largeGOGC is how many times the live heap the next collection waits
	// for. It is 2 with the default of GOGC, and more by the bytes of stacks
	// and globals, which count for the goal.
	largeGOGC = 3
	// garbageShare is the share of the resident size. With the default of
	// GOGC, new objects are up to half of the heap, which is no fault.
	garbageShare = 0.40
)

func findGarbage(f *facts) []finding {
	m := f.Moments[0] // a recording takes the garbage away
	n := m.Classes[recent]
	alive := m.Live // by the collection that has set the goal
	off := f.NextGC >= 1<<60
	never := off && m.Cycle == 0 // no collection has run
	if f.Compare || f.NextGC == 0 || alive == 0 && !never || n < f.least(garbageShare, 4*standingLeast) {
		return nil
	}
	goal := float64(f.NextGC)
	if goal < largeGOGC*float64(alive+m.Classes[stacks]+mega) {
		return nil
	}
	x := finding{
		Kind:      "garbage",
		Signature: "gogc",
		Text:      fmt.Sprintf("%s were allocated since the last collection, and %s are alive.", formatSize(n), formatSize(alive)),
		Place:     "GOGC, GOMEMLIMIT",
		Bytes:     n,
		Details:   []string{fmt.Sprintf("the next collection begins at a heap of %s: a smaller GOGC, or GOMEMLIMIT if GOGC is off, trades processor time for it", formatSize(f.NextGC))},
		Profile:   "heap",
		More:      "grep NextGC " + f.take.path("heap.txt"),
		group:     standing,
	}
	if never {
		x.Text = fmt.Sprintf("%s were allocated, and no collection has run.", formatSize(n))
	}
	if off {
		x.Details = []string{"no collection will begin by itself: GOGC is off, and there is no GOMEMLIMIT"}
	}
	return []finding{x}
}
