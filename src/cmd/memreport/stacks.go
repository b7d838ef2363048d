// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Stacks take a large part of memory: the frames of one function fill them, or
// they have grown and are hardly used.

package main

import "fmt"

const (
	// fillerShare is the share of the resident size, and fillerPart the part
	// of all stacks, that one function's frames must have.
	fillerShare = 0.03
	fillerPart  = 0.5
	// largeFrames are bytes of the function in each goroutine, more than the
	// handlers of net/http and TLS together take.
	largeFrames = 8 << 10
	// freeStackShare is the share of free stack space. Connections with TLS
	// have grown stacks, too, and take less.
	freeStackShare = 0.25
	// freeStackPart is the part of all stacks that is free. A stack doubles when
	// it is full, and so up to half of one that is in use may be free.
	freeStackPart = 2.0 / 3
)

func findStacks(f *facts) []finding {
	u := f.Stacks
	last := len(f.take.Moments) - 1
	x := finding{
		Kind:    "stacks",
		Profile: "goroutine",
		More:    "go tool pprof -top -sample_index=stack_space " + f.take.path(numbered("goroutine", last)),
		group:   standing,
	}
	switch {
	case u.Bytes >= f.least(fillerShare, mega) && float64(u.Bytes) >= fillerPart*float64(u.Total) &&
		u.Instances > 0 && u.Bytes/u.Instances >= largeFrames:
		x.Text = fmt.Sprintf("Frames of one function fill the goroutine stacks: %s of %s.", formatSize(u.Bytes), formatSize(u.Total))
		x.Place, x.Bytes = u.Filler, u.Bytes
		x.Details = []string{fmt.Sprintf("%s have it on their stacks, with %s each", plural(u.Instances, "goroutine"), formatSize(u.Bytes/u.Instances))}
	case u.Free >= f.least(freeStackShare, standingLeast) && float64(u.Free) >= freeStackPart*float64(u.Total) &&
		u.Goroutines > 0 && u.Free/u.Goroutines >= largeFrames && len(f.Grown) > 0:
		x.Text = fmt.Sprintf("Goroutine stacks have grown and are hardly used: %s of %s are free.", formatSize(u.Free), formatSize(u.Total))
		x.Place, x.Bytes = f.Grown[0].Code, u.Free
		x.Details = []string{fmt.Sprintf("most growth since the start is by this code: %s", formatSize(f.Grown[0].Bytes))}
		x.Profile = "growth"
		x.More = "go tool pprof -top -sample_index=stack_growth " + f.take.path(numbered("growth", last))
	default:
		return nil
	}
	x.Signature = function(x.Place)
	return []finding{x}
}
