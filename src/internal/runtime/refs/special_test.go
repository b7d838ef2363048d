// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package refs_test

import (
	. "internal/runtime/refs"
	"testing"
)

// TestTimerCalls checks for which function a timer is. The names are those of
// package time: if it renames them, TestMark of cmd/heapgraph/internal/core and
// the corpus of the refs profile fail.
func TestTimerCalls(t *testing.T) {
	for _, test := range []struct {
		function string
		want     TimerCalls
	}{
		{"time.sendTime", TimerSends},
		{"time.goFunc", TimerCallsArgument},
		{"time.goFunc2", TimerCallsItself},
		{"runtime.goroutineReady", TimerCallsItself},
		{"", TimerCallsItself},
	} {
		if got := TimerCallsOf(test.function); got != test.want {
			t.Errorf("TimerCallsOf(%q) is %d, want %d", test.function, got, test.want)
		}
	}
}

// TestHolder checks to what references are attached.
func TestHolder(t *testing.T) {
	for _, test := range []struct {
		byNode, second bool
		want           Holder
	}{{false, false, HeldByObject}, {true, false, HeldByRoot}, {true, true, HeldByRoot}, {false, true, HeldAsOwned}} {
		if got := HolderOf(test.byNode, test.second); got != test.want {
			t.Errorf("HolderOf(%t, %t) is %d, want %d", test.byNode, test.second, got, test.want)
		}
	}
	for _, test := range []struct {
		special, dead bool
		want          Holder
	}{{false, false, HeldByRoot}, {false, true, HeldByRoot}, {true, false, HeldBySpecial}, {true, true, HeldAsOwned}} {
		if got := RootHolder(test.special, test.dead); got != test.want {
			t.Errorf("RootHolder(%t, %t) is %d, want %d", test.special, test.dead, got, test.want)
		}
	}
}
