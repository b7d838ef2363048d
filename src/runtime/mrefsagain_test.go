// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Which goroutines count as having run since their stacks were scanned, and how
// much one root job does for queued finalizers and cleanups.

package runtime_test

import (
	. "runtime"
	"testing"
)

func TestRefsMayRun(t *testing.T) {
	GC() // so that a collection has begun
	for _, test := range []struct {
		state       string
		this, older bool // whether a goroutine first seen waiting in this collection, or earlier, counts as having run
	}{
		{"runnable", false, false},
		{"chan receive", false, false},
		{"preempted", false, false},
		{"coroutine", true, true},
		{"GC assist marking", true, true},
		{"GC worker (active)", true, true},
		{"stopping the world", true, true},
		{"syscall", true, false},
	} {
		if got := RefsCountsAsRun(test.state, true); got != test.this {
			t.Errorf("%s, first seen in this collection: %v, want %v", test.state, got, test.this)
		}
		if got := RefsCountsAsRun(test.state, false); got != test.older {
			t.Errorf("%s, first seen earlier: %v, want %v", test.state, got, test.older)
		}
	}
}

func TestRefsTakeBlocks(t *testing.T) {
	for _, n := range []int{0, 1, RefsQueuedBlocks, RefsQueuedBlocks + 1, 10_000} {
		sum := 0
		for _, blocks := range RefsTakeBlocks(n) {
			if blocks < 1 || blocks > RefsQueuedBlocks {
				t.Errorf("%d blocks: a job takes %d", n, blocks)
			}
			sum += blocks
		}
		if sum != n {
			t.Errorf("%d blocks: the jobs take %d", n, sum)
		}
	}
}
