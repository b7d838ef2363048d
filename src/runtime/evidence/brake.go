// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package evidence

import (
	"math"
	"runtime/debug"
)

// brake slows the program down if the limit is a cgroup's and GOMEMLIMIT is not
// set, and returns a function that ends this. Otherwise the collector would not
// know of the limit, and let the program allocate as much as it already has
// until the recordings have marked the heap. With a memory limit of half of what
// is left to the cgroup's, goroutines that allocate help to mark.
func brake(u usage) (release func()) {
	if u.source == "" || u.source == gomemlimit {
		return func() {}
	}
	limit := u.goInUse + u.free + max(u.limit-u.inUse, 0)/2
	if before := debug.SetMemoryLimit(limit); before != math.MaxInt64 {
		debug.SetMemoryLimit(before)
		return func() {}
	}
	return func() {
		// If the program has set another limit meanwhile, it stays.
		if now := debug.SetMemoryLimit(math.MaxInt64); now != limit {
			debug.SetMemoryLimit(now)
		}
	}
}
