// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Memory was once much larger than it is, and one place had made it so.

package main

import (
	"fmt"
	"time"
)

const (
	// peakTimes is how much larger the peak was than memory in use is now, or
	// will be when the next collection begins.
	peakTimes = 1.5
	// peakMore is by how much it was larger at least.
	peakMore = 4 * standingLeast
	// peakPart is the part of the peak that one place had allocated. With less,
	// it was load that is gone.
	peakPart = 0.5
	// peakStill is the part of that which the place may have allocated again.
	// With more, the peak is how a busy server's garbage goes up and down.
	peakStill = 0.10
)

func findPeak(f *facts) []finding {
	need := f.inUse()
	if f.Peak.Bytes < need+peakMore || float64(f.Peak.Bytes) < peakTimes*float64(need) ||
		float64(f.Peak.Share) < peakPart*float64(f.Peak.Bytes) ||
		float64(f.Peak.Still) > peakStill*float64(f.Peak.Share) {
		return nil
	}
	x := finding{
		Kind:      "past-peak",
		Signature: function(f.Peak.Code),
		Text:      fmt.Sprintf("Memory in use was %s, %s, and is %s.", formatSize(f.Peak.Bytes), f.ago(f.Peak.Time), formatSize(f.now().inUse())),
		Place:     f.Peak.Code,
		Bytes:     f.Peak.Bytes - need,
		Details:   []string{fmt.Sprintf("this code had allocated %s of it", formatSize(f.Peak.Share))},
		Profile:   "peak",
		More:      "go tool pprof -top " + f.take.path("peak.pb.gz"),
		group:     past,
	}
	if now := f.now().inUse(); need > now {
		x.Details[0] += fmt.Sprintf("; the next collection begins at %s", formatSize(need))
	}
	return []finding{x}
}

// inUse returns what Go's memory in use is: the table has its parts.
func (m moment) inUse() int64 {
	return m.heap() + m.Classes[stacks] + m.Classes[structures]
}

// heap returns what objects take, with what is free between them.
func (m moment) heap() int64 {
	return m.Classes[objects] + m.Classes[live] + m.Classes[recent] + m.Classes[fragmented]
}

// inUse returns what Go's memory in use is at most between two collections.
func (f *facts) inUse() (most int64) {
	for _, m := range f.Moments {
		n := m.inUse()
		if f.NextGC < 1<<60 {
			n += max(f.NextGC-m.heap(), 0)
		}
		most = max(most, n)
	}
	return most
}

// ago says how long before the report a time was, both by the server's clock.
func (f *facts) ago(t time.Time) string {
	began := f.Peak.Began
	if began.IsZero() {
		began = f.Time
	}
	d := began.Sub(t)
	if t.IsZero() || d < 0 {
		return "during the watch"
	}
	if f.once() {
		return formatTime(d) + " earlier"
	}
	return formatTime(d) + " before the watch"
}
