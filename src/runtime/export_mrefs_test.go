// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Exports for tests that record references.

package runtime

import (
	"internal/abi"
	"internal/profilerecord"
	"internal/runtime/refs"
)

// RefsRecordLimited records references with at most the given number of nodes.
// If nodes is 0, the limit is the same as for a profile.
func RefsRecordLimited(nodes uint32) *profilerecord.RefsProfile {
	refsPaths.Most = nodes
	defer func() { refsPaths.Most = 0 }()
	p, failed := pprof_refs(false)
	if failed != "" {
		panic(failed)
	}
	return p
}

// RefsMemory returns the number of bytes off the heap that the recorder has.
func RefsMemory() uint64 { return refsMemory.used.Load() }

// RefsMarksGlobals reports whether a recording is at the stage of the globals
// of packages that are not the program's own, or at an earlier stage.
func RefsMarksGlobals() bool {
	return refsRecording.on && refsMarking.stage <= refs.StageGlobals
}

// RefsHasScannedStacks reports whether a recording has followed the stacks of
// the program's goroutines, and not yet the objects that only pools hold.
func RefsHasScannedStacks() bool {
	return refsRecording.on && refsMarking.stage >= refs.StageSpecials && refsMarking.stage < refs.StagePools
}

// RefsTypeString returns the name of a type.
func RefsTypeString(t *abi.Type) string { return toRType(t).string() }
