// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Memory is mapped and never unmapped.

package main

import "fmt"

func findMapped(f *facts) (all []finding) {
	first, last := f.steadyEnds()
	if first >= last {
		return nil
	}
	if !f.Compare {
		f = f.during(f.Moments[last].At - f.Moments[first].At)
	}
	for _, m := range f.Mapped {
		came, went := m.size(last)-m.size(first), m.Unmapped[last]-m.Unmapped[first]
		if came < f.least(growthShare, growthLeast) || f.unmapped(first, last) > came/10 || went > 0 ||
			!f.steady(m.size) {
			continue
		}
		x := finding{
			Kind:      "mapped-growth",
			Signature: function(m.Code),
			Text:      fmt.Sprintf("Mapped memory grows%s, and nothing is unmapped.", f.rateText(came)),
			Place:     m.Code,
			Bytes:     came,
			Details:   []string{fmt.Sprintf("%s came %s, now %s; mapped by %s", formatSize(came), f.inWatch(), formatSize(m.size(last)), m.Call)},
			Profile:   "growth",
			More:      "go tool pprof -top -cum -sample_index=mapped_space " + f.diff("growth", first, last),
			group:     growing,
		}
		all = append(all, x)
	}
	return all
}

// size returns what code has mapped at a moment, and not unmapped.
func (m mapping) size(moment int) int64 { return m.Mapped[moment] - m.Unmapped[moment] }

// unmapped returns what all code has unmapped between two moments.
func (f *facts) unmapped(a, b int) (n int64) {
	for _, m := range f.Mapped {
		n += m.Unmapped[b] - m.Unmapped[a]
	}
	return n
}
