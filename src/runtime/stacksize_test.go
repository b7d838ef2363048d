// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime_test

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// stackSizes returns the numbers of goroutines that have stacks of 64 KiB or
// more, that are in the histogram, and that /sched/goroutines:goroutines gives.
func stackSizes() (large, all, goroutines uint64) {
	s := []metrics.Sample{{Name: "/sched/goroutines/stack-size:bytes"}, {Name: "/sched/goroutines:goroutines"}}
	metrics.Read(s)
	h := s[0].Value.Float64Histogram()
	for i, n := range h.Counts {
		all += n
		if h.Buckets[i] >= 64<<10 {
			large += n
		}
	}
	return large, all, s[1].Value.Uint64()
}

// awaitStacks calls stackSizes until done returns true, for at most a minute.
func awaitStacks(done func(large, all, goroutines uint64) bool) (large, all, goroutines uint64) {
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(time.Millisecond) {
		if large, all, goroutines = stackSizes(); done(large, all, goroutines) {
			break
		}
	}
	return
}

// TestStackSizeMetric reads the histogram while goroutines that grow start and
// exit, and then counts goroutines that wait.
func TestStackSizeMetric(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // the collector shrinks stacks
	const n = 500
	runtime.GC()                      // goroutines begin with small stacks again
	before, others, _ := stackSizes() // earlier tests have left goroutines
	exit, grown := make(chan bool), make(chan bool)
	defer func() { // those with large stacks must have exited before the next collection
		close(exit)
		awaitStacks(func(large, _, _ uint64) bool { return large <= before })
	}()
	for i := range 2 * n {
		go func() {
			useStackPtrs(i%2*1000, false)
			grown <- true
			<-exit
		}()
		go useStackPtrs(i%32, false)
		if _, all, _ := stackSizes(); all < uint64(i) || all > others+4*n+100 {
			t.Errorf("%d goroutines in the histogram", all)
		}
	}
	for range 2 * n {
		<-grown
	}
	large, all, goroutines := awaitStacks(func(_, all, goroutines uint64) bool {
		return all == goroutines // no goroutine has started or exited meanwhile
	})
	if large-before != n || all != goroutines {
		t.Errorf("%d goroutines more with large stacks, want %d; %d in the histogram, want %d", large-before, n, all, goroutines)
	}
}
