// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build linux && !android && (386 || amd64 || arm64 || loong64 || ppc64le || riscv64)

package pprof

import (
	"internal/profile"
	"runtime"
	"testing"
)

// TestPageFaultsRecording takes refs and inuse profiles while page faults are
// counted. All faults of the recordings must be at one stack, and the faults of
// the program at their own stacks.
func TestPageFaultsRecording(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	growUncounted(16 << 20)
	_, pages := mapPages(t, -1, 200)
	stop := startPageFaults(t, 1)
	writeProfile(t, "refs")
	touchAnonymous(pages[:100])
	writeProfile(t, "inuse")
	touchAnonymous(pages[100:])
	p := stop()
	p.want("touchAnonymous", 200)
	if n := p.in("_ReferenceRecording", "minor"); n < 500 {
		t.Errorf("recordings have %d faults, want 500 or more of some 4 MiB", n)
	}
	for _, function := range []string{"writeRefs", "writeInuse", "refsDrain", "refsDrainN", "refsMarkSome"} {
		if n := p.sum(func(s *profile.Sample) bool { return calls(s, function) }); n != 0 {
			t.Errorf("%d faults are of %s", n, function)
		}
	}
	runtime.KeepAlive(uncountedList)
}
