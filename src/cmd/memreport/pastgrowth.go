// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The live heap has grown in the watch, and no longer grows. That is a line below
// the table, and no finding: a leak that has stopped looks like a cache that is
// full, or a server that has started.

package main

import (
	"fmt"
	"time"
)

// overPart is the part of the growth by which the live heap may change in the
// last third of the watch if the growth is over.
const overPart = 0.05

// grewText says below which path most of such growth is, if there is one.
func (f *facts) grewText() string {
	first := f.grewIn()
	t := f.grewBelow()
	if first == 0 || t == nil {
		return ""
	}
	return fmt.Sprintf("grew, and no longer grows: %s: %s in the first %s", t, formatSize(t.at().NewBytes), formatTime(f.RefsTime-f.Watch*(3-first)/3))
}

// grewIn returns in how many thirds of the watch the live heap grew, or 0 if the
// growth is not over.
func (f *facts) grewIn() (thirds time.Duration) {
	if f.Compare || len(f.Moments) <= collected[3] {
		return 0
	}
	total := f.liveRise(0, 3)
	for i := 3; i > 0 && float64(max(f.liveRise(i-1, 3), -f.liveRise(i-1, 3))) <= overPart*float64(total); i-- {
		thirds = time.Duration(i - 1)
	}
	return thirds
}

// grewBelow returns the path below which most of what came is, or nil.
func (f *facts) grewBelow() trail {
	if f.Refs == nil {
		return nil
	}
	for _, t := range f.growths() {
		if f.isWhole(t.at()) {
			return t
		}
	}
	return nil
}
