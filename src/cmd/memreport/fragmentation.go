// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Free memory between objects is more than the collector will use. What is left
// of a burst keeps a page each, for example.

package main

import "fmt"

// fragmentedShare is the share of the resident size of free memory between
// objects.
const fragmentedShare = 0.20

// findFragmentation counts what the heap, with what is free in it, has above
// the size at which the next collection begins. Below that, new objects fill
// it: right after a collection, a busy server's garbage is free between
// objects.
func findFragmentation(f *facts) []finding {
	if f.Compare || f.once() || f.NextGC == 0 || f.NextGC >= 1<<60 {
		return nil
	}
	least := f.least(fragmentedShare, 4*standingLeast)
	n := f.now().Classes[fragmented]
	for _, m := range f.Moments {
		n = min(n, m.Classes[fragmented], m.heap()-int64(keptOfGoal*float64(f.NextGC)))
	}
	if n < least {
		return nil
	}
	now := f.now().Classes[fragmented]
	x := f.classFinding(fragmented, n, fmt.Sprintf("%s of heap are free between objects, and stay so.", formatSize(now)))
	x.Kind, x.Place, x.group = "fragmentation", "fragmented heap", standing
	if x.Profile == "memory" { // of now: there is no growth to show
		x.More = "go tool pprof -top " + f.take.path(f.take.last("memory"))
	}
	x.Details = []string{
		fmt.Sprintf("the heap has %s more than it needs before the next collection, which begins at %s", formatSize(n), formatSize(f.NextGC)),
		"objects that stay were allocated among many that are gone",
	}
	return []finding{x}
}
