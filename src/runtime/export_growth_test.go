// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime

import (
	"internal/abi"
	"internal/profilerecord"
	"internal/runtime/sys"
)

// GrowthTotals adds up all records of the growth profile for Go's own memory.
// It returns the bytes of address space that are mapped, and the bytes of pages
// that have memory behind them.
func GrowthTotals(records []profilerecord.GrowthRecord) (mapped, resident int64, ok bool) {
	n, ok := pprof_growthProfileInternal(records)
	for _, r := range records[:min(n, len(records))] {
		if r.Kind != "mmap" {
			mapped += r.Mapped - r.Unmapped
			resident += r.Resident - r.Released
		}
	}
	return mapped, resident, ok
}

// GrowthHiddenFrames returns the numbers of frames that the growth profile's
// buckets have and that profiles do not show: leading frames of the runtime, in
// call stacks that have other frames, and those of goexit. It looks at call
// stacks that were taken by frame pointers, and returns their number, too.
func GrowthHiddenFrames() (leading, last, stacks int) {
	for b := (*bucket)(gbuckets.Load()); b != nil; b = b.allnext {
		stk := b.stk()
		if stk[0] != 0 {
			continue
		}
		stacks++
		if len(stk) > 2 && stk[len(stk)-1] == abi.FuncPCABI0(goexit)+sys.PCQuantum {
			last++
		}
		if first := len(growthUserFrames(stk)); first < len(stk)-1 && first > 0 {
			leading += len(stk) - 1 - first
		}
	}
	return leading, last, stacks
}

// growthUserFrames returns the call stack of frame pointers stk without its
// first word and its leading frames of the runtime.
func growthUserFrames(stk []uintptr) []uintptr {
	for stk = stk[1:]; len(stk) > 0 && isRuntime(funcname(findfunc(stk[0]-1))); {
		stk = stk[1:]
	}
	return stk
}
