// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime_test

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// TestThreadStacks compares the part of the profile that is the rest of
// the total with the memory that it stands for.
func TestThreadStacks(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.GC()
	exit := make(chan bool)
	defer close(exit)
	for range 50 {
		go func() { <-exit }()
	}
	var rest, unowned uintptr
	for range 100 {
		before := runtime.UnownedStackBytes()
		rest, unowned = runtime.UnownedStackSpace(), runtime.UnownedStackBytes()
		if before == unowned && rest == unowned {
			return
		}
		runtime.Gosched() // a thread or goroutine starts or exits
	}
	t.Errorf("the profile leaves %d bytes, the allocator has %d", rest, unowned)
}
