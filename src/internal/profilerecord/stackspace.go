// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package profilerecord

import "unsafe"

// StackSpace is the stack memory of a goroutine at the time when its stack
// trace was recorded, in bytes. It stands behind the trace, in the capacity of
// StackRecord.Stack, because modules use StackRecord by linkname with copies of
// its declaration: it can have no more fields.
type StackSpace struct {
	Start     uintptr // entry PC of the goroutine's first function, or 0
	Used      uintptr // from the innermost recorded frame to the end of the stack
	Allocated uintptr // the size of the stack
	Scope     uintptr // number of the name of the goroutine's memory scope, or 0
}

// StackSpaceWords is the capacity that a recorded stack has behind its length.
const StackSpaceWords = unsafe.Sizeof(StackSpace{}) / unsafe.Sizeof(uintptr(0))

// Space returns the StackSpace behind r.Stack. A record that was not filled in
// has none.
func (r *StackRecord) Space() *StackSpace {
	n := len(r.Stack)
	if uintptr(cap(r.Stack)-n) < StackSpaceWords {
		return new(StackSpace)
	}
	return (*StackSpace)(unsafe.Pointer(&r.Stack[:n+1][n]))
}

// StackTotals is the stack memory that is in no record of a goroutine profile,
// in bytes.
type StackTotals struct {
	Total uintptr // /memory/classes/heap/stacks:bytes when the world was stopped

	// System has the runtime's own stacks, by the function that they are
	// for. There are fewer such functions than entries.
	System [32]SystemStack
}

type SystemStack struct {
	PC    uintptr // entry of the function
	Bytes uintptr
}

// StackSpaceNames has return PCs in the functions that stand for stack memory
// without frames.
type StackSpaceNames struct {
	FreeStack, SystemStack, StackCache, DeepStack, UnframedStack uintptr
}
