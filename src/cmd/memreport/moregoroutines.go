// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// More and more goroutines wait at a place.

package main

import "fmt"

const (
	// moreLeast and moreShare are the number of new goroutines at a place
	// from which on they may be a leak, and their part of all that are there.
	moreLeast = 50
	moreShare = 0.10
)

func findGoroutines(f *facts) (all []finding) {
	leaked := make(map[string]bool)
	for _, x := range findLeaked(f) {
		leaked[f.key(x.Place)] = true
	}
	for _, p := range f.Places {
		last := len(p.Counts) - 1
		n := p.came()
		if leaked[f.key(p.Code)] || n < moreLeast || float64(n) < moreShare*float64(p.Counts[last]) || !f.neverFewer(p) {
			continue
		}
		all = append(all, finding{
			Kind:      "goroutines-growth",
			Signature: function(p.Code),
			Text:      fmt.Sprintf("More and more goroutines wait at one place: %s more %s.", formatCount(n), f.inWatch()),
			Place:     p.Code,
			Bytes:     f.stacksOf(n),
			Details:   append(p.reason(), fmt.Sprintf("%s are there now%s", formatCount(p.Counts[last]), p.began())),
			Profile:   "goroutine",
			More:      "go tool pprof -top -cum " + f.diff("goroutine", 1, len(f.take.Moments)-1),
			group:     growing,
			came:      n,
			starts:    []string{p.Start},
		})
	}
	return all
}

// began says in which function goroutines began, if it is another one than
// that in which they wait.
func (p place) began() string {
	if p.Start == function(p.Code) {
		return ""
	}
	return "; they began in " + p.Start
}

// neverFewer reports whether the number of goroutines at a place has grown in
// each interval of the watch.
func (f *facts) neverFewer(p place) bool {
	return f.steady(func(i int) int64 { return p.Counts[i] })
}
