// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime_test

import (
	"maps"
	"runtime"
	"testing"
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
