// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file measures by how much memory in use has grown within a time.

package evidence

import (
	"math"
	"time"
)

// A window divides time into parts, and has the least memory in use in each of
// the latest windowParts parts.
type window struct {
	part  time.Duration
	first time.Time
	slots [windowParts]windowSlot
}

// windowParts is the number of parts. Growth is measured within a time that is
// up to one part shorter than asked for.
const windowParts = 60

type windowSlot struct {
	number int64 // number of the part, from 1 on; 0 if the slot is not in use
	least  int64 // bytes
}

func newWindow(within time.Duration, now time.Time) *window {
	return &window{part: max(within/windowParts, 1), first: now}
}

// add adds a measurement, and returns the number of bytes by which memory in
// use exceeds the least in the window.
func (w *window) add(now time.Time, inUse int64) (growth int64) {
	number := 1 + int64(now.Sub(w.first)/w.part)
	slot := &w.slots[number%windowParts]
	if slot.number != number {
		*slot = windowSlot{number, math.MaxInt64}
	}
	slot.least = min(slot.least, inUse)
	least := inUse
	for _, s := range w.slots {
		if s.number != 0 && s.number > number-windowParts {
			least = min(least, s.least)
		}
	}
	return inUse - least
}

// clear forgets all measurements.
func (w *window) clear() {
	w.slots = [windowParts]windowSlot{}
}
