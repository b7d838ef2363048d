// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Goroutines wait on what nothing else refers to: they never end.

package main

import "fmt"

// leakedLeast is the number of leaked goroutines at a place from which on they
// are more than a detail. The profile has no false ones.
const leakedLeast = 10

func findLeaked(f *facts) (all []finding) {
	for _, p := range f.Leaked {
		n := p.Counts[0]
		if n < leakedLeast {
			continue
		}
		x := finding{
			Kind:      "goroutines-leaked",
			Signature: function(p.Code),
			Text:      fmt.Sprintf("%s will wait forever: nothing else refers to what they wait for.", plural(n, "goroutine")),
			Place:     p.Code,
			Bytes:     f.stacksOf(n),
			Profile:   "goroutineleak",
			More:      "go tool pprof -traces " + f.take.path("goroutineleak.pb.gz"),
			group:     growing,
			came:      f.grownAt(p.Code),
			starts:    []string{p.Start},
			Details:   p.reason(),
		}
		if x.came <= 0 {
			x.group = standing
		}
		x.Details = append(x.Details, fmt.Sprintf("their stacks take about %s%s", formatSize(x.Bytes), p.began()))
		if x.came > 0 {
			x.Details = append(x.Details, fmt.Sprintf("%s of those that wait at this place came %s", formatCount(x.came), f.inWatch()))
		}
		all = append(all, x)
	}
	return all
}

// grownAt returns how many more goroutines wait at a place than at the beginning
// of the watch.
func (f *facts) grownAt(code string) (n int64) {
	for _, p := range f.Places {
		if f.key(p.Code) == f.key(code) {
			n += p.came()
		}
	}
	return n
}

// stacksOf returns the bytes of the stacks of n goroutines, by the mean.
func (f *facts) stacksOf(n int64) int64 {
	if f.Stacks.Goroutines == 0 {
		return 0
	}
	total := f.Stacks.Total
	if total == 0 {
		total = f.size(stacks)
	}
	return int64(float64(total) / float64(f.Stacks.Goroutines) * float64(n))
}
