// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has what differs if the shapes are checked in the inuse profile. If
// every allocation is sampled, that profile must have the same objects at the
// same paths as the refs profile.

package main

import (
	"flag"
	"os"
	"runtime"
	"slices"
	"sync"
)

var inuse = flag.Bool("inuse", false, "take inuse profiles, with all allocations sampled")

func init() {
	if slices.Contains(os.Args, "-inuse") {
		runtime.MemProfileRate = 0
	}
}

// sampling counts the calls of sampled that have not returned.
var sampling struct {
	sync.Mutex
	n int
}

// sampled calls f while all allocations are sampled. Shapes are built and
// profiles are taken in such calls; profiles are read outside of them.
func sampled(f func()) {
	if !*inuse {
		f()
		return
	}
	sampleMore(1)
	defer sampleMore(-1)
	f()
}

func sampleMore(n int) {
	sampling.Lock()
	defer sampling.Unlock()
	sampling.n += n
	runtime.MemProfileRate = min(sampling.n, 1)
}

// profiles are the profiles that have paths, and the names of their values.
var profiles = map[string]string{"refs": "live", "inuse": "inuse"}

// wanted returns the name of the profile that the corpus takes.
func wanted() string {
	if *inuse {
		return "inuse"
	}
	return "refs"
}

// ofGoroutine returns text if the profile has the labels of the goroutines that
// retain memory, which an inuse profile does not.
func ofGoroutine(text string) string {
	if *inuse {
		return ""
	}
	return text
}
