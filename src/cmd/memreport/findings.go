// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// A finding is a sentence about facts, with its numbers. Each kind is a pure
// function in a file of its own. No finding is a guess, and a server under
// steady load has none: see the thresholds.

package main

import "slices"

const (
	mega = 1_000_000

	// A change must be at least this share of the resident size or, if the
	// live heap changes, of the live heap. In 30 s, such a change doubles the
	// size within the hour.
	growthShare = 0.01
	// And at least so many bytes, because requests for profiles themselves
	// move some hundred kilobytes, and the first ones load code.
	growthLeast = 2 * mega
	// Objects below goroutines, and C's memory, come and go with requests.
	unsteadyShare = 0.05
	// What is there and does not grow is worth a line from this share on.
	standingShare = 0.10
	// And from so many bytes on: a process has 10 MB without doing anything.
	standingLeast = 8 * mega
	// Each interval of the watch must have this part of an equal share of the
	// growth. Then a change that happened once is not taken for growth.
	steadyPart = 0.3
	// The part of a growth that a place must have to be its place.
	mostPart = 0.8
)

// Groups order findings: what grows ends in a crash, what stands costs memory,
// what is past may come again.
const (
	growing = iota
	standing
	past
)

// A finding says what is wrong, and how to see more. Signature stays the same
// in other builds and processes.
type finding struct {
	Kind      string   `json:"kind"`
	Signature string   `json:"signature"`
	Text      string   `json:"text"`
	Place     string   `json:"place"` // path of references, or code
	Bytes     int64    `json:"bytes"`
	Details   []string `json:"details"`
	Profile   string   `json:"profile"` // that the numbers are from
	More      string   `json:"more"`    // a command

	group  int
	came   int64     // goroutines or objects
	starts []string  // functions with which the goroutines begin that it is about
	unused *capacity // that holds nothing, of such a finding
}

// Beginnings of details.
const (
	mostOfIt    = "most of it: > "
	allocatedBy = "allocated by "
	partlyBy    = "partly allocated by "
)

// kinds are all kinds of findings.
var kinds = []func(*facts) []finding{
	findWaiting, findLive, findLiveWhole, findClasses, findMapped, findLeaked, findGoroutines, findBlocked,
	findStacks, findUnused, findOutside, findPools, findFinalizers, findGarbage, findCollections, findFree, findHuge,
	findFragmentation, findPeak,
}

// find returns the findings, most important first.
func find(f *facts) []finding {
	all := []finding{}
	for _, kind := range kinds {
		for _, x := range kind(f) {
			if x.Details == nil {
				x.Details = []string{}
			}
			x.Signature = signature(x.Kind, x.Signature)
			all = append(all, x)
		}
	}
	all = joinGoroutines(joinFinalizers(joinUnused(joinPlaces(all))))
	largest(all, func(x finding) int64 { return x.Bytes }, func(x finding) string { return x.Signature + "\n" + x.Place })
	slices.SortStableFunc(all, func(a, b finding) int { return a.group - b.group })
	return all
}

// least returns the bytes from which on a share matters.
func (f *facts) least(share float64, bytes int64) int64 {
	return max(int64(share*float64(f.whole())), bytes)
}

// steady reports whether a value has grown in each interval of the watch. Two
// takes have one interval.
func (f *facts) steady(value func(moment int) int64) bool {
	a, b := f.steadyEnds()
	if a >= b {
		return false
	}
	total := value(b) - value(a)
	for i := a; i < b; i++ {
		if float64(value(i+1)-value(i)) < steadyPart*float64(total)/float64(b-a) {
			return false
		}
	}
	return total > 0
}

// steadyEnds returns the moments between which values are steady: of a watch,
// without those before the first recording and after the last.
func (f *facts) steadyEnds() (first, last int) {
	if f.Compare {
		return 0, len(f.Moments) - 1
	}
	return 1, len(f.Moments) - 2
}

// inWatch says in what time something changed.
func (f *facts) inWatch() string {
	if f.Compare {
		return "since the base"
	}
	return "in " + formatTime(f.Watch)
}

// diff returns two files of a profile for a command: those of two moments or,
// of two takes, the last one of each.
func (f *facts) diff(name string, first, last int) string {
	if f.Compare && f.base.files[f.base.last(name)] == nil {
		return f.take.path(f.take.last(name))
	}
	if f.Compare {
		return "-diff_base=" + f.base.path(f.base.last(name)) + " " + f.take.path(f.take.last(name))
	}
	return "-diff_base=" + f.take.path(numbered(name, first)) + " " + f.take.path(numbered(name, last))
}
