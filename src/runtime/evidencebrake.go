// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// While runtime/evidence writes a set of evidence, it limits Go's memory if the
// memory limit is a cgroup's. This limit applies in addition to GOMEMLIMIT,
// which the program may read and set at the same time.

package runtime

import (
	"internal/runtime/atomic"
	_ "unsafe" // for linkname
)

// evidenceBrake is the limit, in bytes, or 0 if there is none.
var evidenceBrake atomic.Int64

// evidence_brake sets the limit, or removes it if limit is 0.
//
//go:linkname evidence_brake
func evidence_brake(limit int64) {
	systemstack(func() {
		lock(&mheap_.lock)
		evidenceBrake.Store(limit)
		gcControllerCommit()
		unlock(&mheap_.lock)
	})
}

// brakedLimit returns the limit to use for the heap goal: the smaller one of
// GOMEMLIMIT and the limit of runtime/evidence.
func brakedLimit(memoryLimit int64) int64 {
	if brake := evidenceBrake.Load(); brake != 0 {
		return min(brake, memoryLimit)
	}
	return memoryLimit
}
