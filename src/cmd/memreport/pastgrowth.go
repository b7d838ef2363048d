// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Paths have grown in the watch, and no finding says so: the growth is over, or
// not steady, or other memory has shrunk meanwhile. Those are lines below the table,
// and no findings: a leak that has stopped looks like a cache that is full, or a
// server that has started, and a queue grows and shrinks.

package main

import (
	"fmt"
	"slices"
	"time"
)

// overPart is the part of the growth by which the live heap may change in the
// last third of the watch if the growth is over.
const overPart = 0.05

// grewTexts says which paths have grown, if no finding is about growth of the
// live heap.
func (f *facts) grewTexts() (lines []string) {
	if f.Refs == nil || f.RefsOnce || f.once() || len(findLive(f))+len(findLiveWhole(f)) > 0 {
		return nil
	}
	all := f.grown()
	largest(all, func(t trail) int64 { return t.at().NewBytes }, trail.String)
	for _, t := range all[:min(len(all), namedMost)] {
		lines = append(lines, f.grewText(t))
	}
	return lines
}

// grewText says how a path has grown, as far as that is known.
func (f *facts) grewText(t trail) string {
	e, how, when := t.at(), ", but not steadily", f.during(f.RefsTime).inWatch()
	thirds := f.grewIn()
	switch {
	case f.cameAlive() < e.NewBytes/2:
		how = ", beside memory that shrank"
	case e.growsLarger():
		how = " in steps"
	case thirds > 0 && f.isWhole(e):
		how, when = ", and no longer grows", "in the first "+formatTime(f.RefsTime-f.Watch*(3-thirds)/3)
	}
	return fmt.Sprintf("grew%s: %s: %s %s", how, t, formatSize(e.NewBytes), when)
}

// largerPart is the part of a growth that new objects have, at most, if objects have
// become larger.
const largerPart = 0.5

// growsLarger reports whether most of what came to e is that objects have become
// larger. Slices do so in steps, by append, and that none came lately does not mean
// that none will.
func (e *element) growsLarger() bool {
	brought := float64(e.Bytes) / float64(max(e.Objects, 1)) * float64(e.NewCount)
	return brought < largerPart*float64(e.NewBytes)
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

// grown returns the paths that have grown by more than the threshold, also those
// whose objects have become larger: of each variable, and of each function of
// goroutines, one at least.
func (f *facts) grown() []trail {
	all := f.growths()
	for _, t := range f.holders() {
		found := slices.ContainsFunc(all, func(x trail) bool { return len(x) >= len(t) && x[len(t)-1] == t.at() })
		if !found && t.at().NewBytes >= f.leastLive(t.stays()) && !t.at().isPool() {
			all = append(all, t.most())
		}
	}
	return all
}

// most returns the trail to the first container or last element below t that has
// most of what came there.
func (t trail) most() trail {
	for at := t.at(); !at.isContainer(); at = t.at() {
		most := at.mostIn()
		if most == nil || most.isPool() {
			break
		}
		t = append(t[:len(t):len(t)], most)
	}
	return t
}
