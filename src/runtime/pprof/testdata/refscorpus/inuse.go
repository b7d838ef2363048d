// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The same shapes by the inuse profile: with every allocation sampled it must have the
// same objects at the same paths.

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

// sampling counts calls of sampled.
var sampling struct {
	sync.Mutex
	n int
}

// sampled calls f with all allocations sampled: those of the shapes, and not those for
// reading profiles.
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

// profiles are the profiles that tell paths, and what their values are called.
var profiles = map[string]string{"refs": "live", "inuse": "inuse"}

// wanted returns the name of the profile that is taken.
func wanted() string {
	if *inuse {
		return "inuse"
	}
	return "refs"
}

// ofGoroutine returns text if profiles have the labels of goroutines that retain memory.
func ofGoroutine(text string) string {
	if *inuse {
		return ""
	}
	return text
}
