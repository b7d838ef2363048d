// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime_test

import (
	"maps"
	"runtime"
	"testing"
	"time"
)

// TestMayWaitAtGate checks that an allocation waits only where no lock of the
// runtime is held, and never on behalf of the goroutine for which it waits.
func TestMayWaitAtGate(t *testing.T) {
	got := runtime.MayWaitAtGate()
	want := map[string]bool{
		"goroutine":              true,
		"locks":                  false,
		"preemption off":         false,
		"system stack":           false,
		"watcher":                false,
		"started by the watcher": false,
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestGateOpening checks for whom the gate is opened, and that a timer runs
// while somebody waits. It repeats what was so slow that the timer may have
// opened the gate.
func TestGateOpening(t *testing.T) {
	for way, want := range map[string]int32{"for those that were seen": 2, "for all, who were seen": 0, "wide": 0, "overdue": 0, "not yet due": 2} {
		var wait int32
		var records int
		var timed bool
		for range 5 {
			begun := time.Now()
			if wait, records, timed = runtime.GateOpening(way); time.Since(begun) < runtime.GateBound {
				break
			}
		}
		if wait != want || way != "overdue" && records != int(wait) || wait > 0 && way == "not yet due" && !timed {
			t.Errorf("%s: %d wait, want %d; %d records; timed %v", way, wait, want, records, timed)
		}
	}
}
