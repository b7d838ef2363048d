// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Many goroutines wait for a lock, or to send to a channel, all the time.
// Goroutines that receive are idle workers, and those that wait for the network
// idle connections.

package main

import "fmt"

const (
	// blockedLeast is a number of goroutines that no pool of workers has
	// waiting for a lock at every moment.
	blockedLeast = 100
	// blockedShare is the share of the resident size that their stacks take.
	blockedShare = 0.01
)

func findBlocked(f *facts) (all []finding) {
	if f.once() {
		return nil
	}
	taken := make(map[string]bool)
	for _, x := range append(findLeaked(f), findGoroutines(f)...) {
		taken[f.key(x.Place)] = true
	}
	for _, p := range f.Places {
		n := p.fewest()
		what := map[string]string{"send": "wait to send to a channel", "lock": "wait for a lock"}[p.State]
		if what == "" || taken[f.key(p.Code)] || n < blockedLeast || f.stacksOf(n) < f.least(blockedShare, 0) {
			continue
		}
		all = append(all, finding{
			Kind:      "goroutines-blocked",
			Signature: function(p.Code),
			Text:      fmt.Sprintf("%s or more %s at one place at every moment.", plural(n, "goroutine"), what),
			Place:     p.Code,
			Bytes:     f.stacksOf(n),
			Details:   []string{fmt.Sprintf("their stacks take about %s%s", formatSize(f.stacksOf(n)), p.began())},
			Profile:   "goroutine",
			More:      "go tool pprof -traces " + f.take.path(numbered("goroutine", len(f.take.Moments)-1)),
			group:     standing,
		})
	}
	return all
}

// fewest returns the least number of goroutines of all moments.
func (p place) fewest() int64 {
	n := p.Counts[0]
	for _, c := range p.Counts {
		n = min(n, c)
	}
	return n
}
