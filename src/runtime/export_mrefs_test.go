// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Exports for tests that record references.

package runtime

import "internal/profilerecord"

// RefsRecordLimited records references with so many nodes at most.
func RefsRecordLimited(nodes uint32) *profilerecord.RefsProfile {
	refsNodes.most = nodes
	defer func() { refsNodes.most = 0 }()
	p, failed := pprof_refs(false)
	if failed != "" {
		panic(failed)
	}
	return p
}

// RefsMemory returns how many bytes of memory the recorder has.
func RefsMemory() uint64 { return refsMemory.used.Load() }

// RefsMarksGlobals reports whether a recording marks what globals hold.
func RefsMarksGlobals() bool {
	return refs.on && refsMarking.stage <= refsStageGlobals
}

// RefsHasScannedStacks reports whether a recording has followed the stacks of
// the program's goroutines, and not what pools hold.
func RefsHasScannedStacks() bool {
	return refs.on && refsMarking.stage >= refsStageSpecials && refsMarking.stage < refsStagePools
}
