// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// A gap is a profile that a busy server did not answer at one moment within the
// watch. There the figures are those halfway between the moments beside it,
// which say nothing of how steady a growth is.

package main

import (
	"fmt"
	"strings"
)

// leaveGap reports whether a profile may be a gap at moment i, because of an
// error, and says so in the report. Two gaps in a row are none.
func (f *fetcher) leaveGap(page string, i int, err error) bool {
	if !isBusy(err) || i <= 1 || i >= spaced || f.take.files[momentFile(page, i-1)] == nil {
		return false
	}
	name, _, _ := strings.Cut(page, "?")
	f.take.Missing[fmt.Sprintf("%s at %.3g s", name, f.take.Moments[i])] = err.Error()
	return true
}

func (t *take) isGap(page string, i int) bool {
	has := func(i int) bool { return t.files[momentFile(page, i)] != nil }
	return !has(i) && has(i-1) && has(i+1)
}

// momentFile returns the file that has a page at moment i.
func momentFile(page string, i int) string {
	if page == heapStats {
		return heapText(i)
	}
	return numbered(page, i)
}

// fillGaps gives the gaps of a take their figures.
func (f *facts) fillGaps(t *take) {
	for i := 1; i < len(f.Moments)-1; i++ {
		if t.isGap("memory", i) || t.isGap(heapStats, i) {
			f.Moments[i].fill(f.Moments[i-1], f.Moments[i+1])
		}
		if t.isGap("growth", i) {
			for _, m := range f.Mapped {
				fill(m.Mapped, i)
				fill(m.Unmapped, i)
			}
		}
		if t.isGap("goroutine", i) {
			for _, p := range f.Places {
				fill(p.Counts, i)
			}
		}
	}
}

func (m *moment) fill(before, after moment) {
	m.Cycle = before.Cycle
	m.Live = (before.Live + after.Live) / 2
	m.Huge = (before.Huge + after.Huge) / 2
	for c, n := range after.Classes {
		m.Classes[c] = (before.Classes[c] + n) / 2
	}
}

func fill(values []int64, i int) { values[i] = (values[i-1] + values[i+1]) / 2 }
