// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Memory is mapped and never unmapped.

package main

import "fmt"

func findMapped(f *facts) (all []finding) {
	last := len(f.Moments) - 2
	if f.Compare || last < 1 {
		return nil
	}
	f = f.during(f.Moments[last].At - f.Moments[1].At)
	for _, m := range f.Mapped {
		came, went := m.Mapped[last]-m.Mapped[1], m.Unmapped[last]-m.Unmapped[1]
		if came < f.least(growthShare, growthLeast) || f.unmapped(1, last) > came/10 || went > 0 ||
			!f.steady(func(i int) int64 { return m.Mapped[i] }) {
			continue
		}
		x := finding{
			Kind:      "mapped-growth",
			Signature: function(m.Code),
			Text:      fmt.Sprintf("Mapped memory grows%s, and nothing is unmapped.", f.rateText(came)),
			Place:     m.Code,
			Bytes:     came,
			Details:   []string{fmt.Sprintf("%s came %s, now %s; mapped by %s", formatSize(came), f.inWatch(), formatSize(m.Mapped[last]-m.Unmapped[last]), m.Call)},
			Profile:   "growth",
			More:      "go tool pprof -top -cum -sample_index=mapped_space " + f.diff("growth", 1, last),
			group:     growing,
		}
		all = append(all, x)
	}
	return all
}

// unmapped returns what all code has unmapped between two moments.
func (f *facts) unmapped(a, b int) (n int64) {
	for _, m := range f.Mapped {
		n += m.Unmapped[b] - m.Unmapped[a]
	}
	return n
}
