// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime_test

import (
	"internal/profilerecord"
	"runtime"
	"runtime/debug"
	"testing"
)

// TestStackSpaceUnowned checks the stack memory that a goroutine profile shows
// for no goroutine or thread, which is the rest of the total. It must equal the
// memory that UnownedStackBytes counts.
func TestStackSpaceUnowned(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.GC()
	exit := make(chan bool)
	defer close(exit)
	for range 50 {
		go func() { <-exit }()
	}
	var unowned, left uintptr
	for range 100 {
		before := runtime.UnownedStackBytes()
		var totals profilerecord.StackTotals
		goroutines := runtime.GoroutineStackSpace(&totals)
		unowned = runtime.UnownedStackBytes()
		left = totals.Total - goroutines - totals.SystemOther - totals.G0 - totals.Gsignal - totals.Gcrash
		for _, s := range totals.System {
			left -= s.Bytes
		}
		if before == unowned && left == unowned {
			return
		}
		runtime.Gosched() // a thread or goroutine starts or exits
	}
	t.Errorf("the profile leaves %d bytes, the allocator has %d", left, unowned)
}
