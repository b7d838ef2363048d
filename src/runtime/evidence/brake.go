// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file slows the program down while a set is recorded.

package evidence

import _ "unsafe" // for linkname

// brake slows the program down if the limit is a cgroup's, and returns a
// function that ends the slowdown. The collector does not know of the cgroup's
// limit. While a recording marks the heap, the collector would, with GOGC=100,
// let the program allocate about as many bytes as are live. brake limits Go's
// memory to its present size plus half of what is left to the cgroup's limit.
// Goroutines that allocate must then help to mark.
func brake(u usage) (release func()) {
	if u.source == "" || u.source == gomemlimit {
		return func() {}
	}
	runtime_brake(max(u.goInUse+u.free+max(u.limit-u.inUse, 0)/2, 1))
	return func() { runtime_brake(0) }
}

// The function is defined in runtime/evidencebrake.go.
//
//go:linkname runtime_brake runtime.evidence_brake
func runtime_brake(limit int64)
