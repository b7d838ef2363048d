// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"runtime"
	"slices"
	"testing"
)

// TestOwnFrames checks the names of the frames that stand for memory or faults
// without a call stack, as runtime._GC does in the CPU profile.
func TestOwnFrames(t *testing.T) {
	s := pprof_stackSpaceNames()
	pcs := []uintptr{s.FreeStack, s.DeepStack, s.SystemStack, s.StackCache,
		recordingStack()[0], pprof_unsampledPageFaults()}
	var got []string
	for _, pc := range pcs {
		frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
		got = append(got, frame.Function)
	}
	for _, r := range growthRecords() {
		frame, _ := runtime.CallersFrames(r.Stack).Next()
		if frame.Function == "runtime._GrowthUnattributed" && !slices.Contains(got, frame.Function) {
			got = append(got, frame.Function)
		}
	}
	want := []string{"runtime._FreeStack", "runtime._DeepStack", "runtime._SystemStack", "runtime._StackCache",
		"runtime._ReferenceRecording", "runtime._UnsampledPageFaults", "runtime._GrowthUnattributed"}
	if !slices.Equal(got, want) {
		t.Errorf("frames %q, want %q", got, want)
	}
}
