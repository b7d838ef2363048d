// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package evidence

import (
	"math"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// heapGoal returns the size of the heap, in bytes, at which the collector is to
// end the next collection.
func heapGoal() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

func TestBrake(t *testing.T) {
	if !ownProcess(t, "GOGC=off") {
		return
	}
	const none = math.MaxUint64 // heap goal without a limit
	inUse := newMeter(90).read(time.Now()).goInUse
	for _, test := range []struct {
		name   string
		u      usage
		memory int64 // GOMEMLIMIT
		during uint64
	}{
		{"cgroup", usage{source: "cgroup /x", limit: 200 << 20, inUse: 100 << 20, goInUse: inUse, free: 1000}, math.MaxInt64,
			uint64(inUse) + 1000 + 50<<20}, // half of the 100 MiB that are left
		{"beyond the cgroup's limit", usage{source: "cgroup /x", limit: 10, inUse: 20, goInUse: inUse}, math.MaxInt64, uint64(inUse)},
		{"cgroup, larger GOMEMLIMIT", usage{source: "cgroup /x", limit: 200 << 20, inUse: 100 << 20, goInUse: inUse}, 1 << 40,
			uint64(inUse) + 50<<20},
		{"GOMEMLIMIT", usage{source: gomemlimit, limit: 1 << 40, goInUse: inUse}, 1 << 40, 1 << 40},
		{"no limit", usage{goInUse: inUse}, math.MaxInt64, none},
	} {
		t.Run(test.name, func(t *testing.T) {
			setMemoryLimit(t, test.memory)
			before := heapGoal()
			release := brake(test.u)
			// The goal is below the limit by the memory that is not
			// part of the heap, but not below the size of the live
			// heap.
			if goal := heapGoal(); goal > test.during || test.during < none && goal == before && test.u.source != gomemlimit {
				t.Errorf("heap goal of %d meanwhile, want less than %d", goal, test.during)
			}
			if got := debug.SetMemoryLimit(-1); got != test.memory {
				t.Errorf("the program reads a memory limit of %d, want %d", got, test.memory)
			}
			debug.SetMemoryLimit(1 << 50)
			if goal := heapGoal(); test.u.source != gomemlimit && goal > test.during {
				t.Errorf("heap goal of %d after the program has set a limit, want less than %d", goal, test.during)
			}
			debug.SetMemoryLimit(test.memory)
			release()
			if goal := heapGoal(); goal != before && (goal < before/2 || goal/2 > before) {
				t.Errorf("heap goal of %d after that, want %d", goal, before)
			}
		})
	}
}
