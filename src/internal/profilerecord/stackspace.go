// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has the records in which the runtime passes the sizes of stacks to
// runtime/pprof, in addition to the stack traces of a goroutine profile.
// runtime/stackspace.go fills them, and runtime/pprof/stackspace.go reads them.

package profilerecord

// A goroutine's StackRecord has words after its stack, in the capacity of
// Stack. StackRecord can have no additional fields, because modules reach it by
// linkname with copies of upstream's declaration. runtime.makeRecordStack and
// runtime.setRecordScope write the words. The constants are their positions.
const (
	StackTailStart     = iota // StackSpace.Start
	StackTailUsed             // StackSpace.Used
	StackTailAllocated        // StackSpace.Allocated
	StackTailScope            // number of the name of the goroutine's memory scope
	StackTailWords            // number of words
)

// Tail returns the words after the stack of a goroutine's record. They are 0 in
// a record that was not filled in because fewer goroutines were recorded than
// had been counted.
func (r *StackRecord) Tail() (tail [StackTailWords]uintptr) {
	if n := len(r.Stack); n+StackTailWords <= cap(r.Stack) {
		copy(tail[:], r.Stack[n:cap(r.Stack)])
	}
	return tail
}

// Space returns the stack memory of a goroutine from its record.
func (r *StackRecord) Space() StackSpace {
	t := r.Tail()
	return StackSpace{t[StackTailStart], t[StackTailUsed], t[StackTailAllocated]}
}

// StackSpace is the stack memory of one goroutine at the time when its stack
// trace was recorded, in bytes. Used is at most Allocated.
type StackSpace struct {
	Start     uintptr // entry PC of the goroutine's first function, or 0
	Used      uintptr // from the innermost recorded frame to the end of the stack
	Allocated uintptr // the size of the stack
}

// StackTotals is the stack memory that belongs to no record of the profile,
// in bytes, and the total that everything must add up to.
type StackTotals struct {
	// Total is all stack memory taken from the heap when the profile
	// stopped the world: /memory/classes/heap/stacks:bytes.
	Total uintptr

	// System has the stacks of system goroutines by first function. Entries
	// with PC 0 are unused. If System is full, SystemOther has the rest.
	System      [32]SystemStack
	SystemOther uintptr

	// G0, Gsignal and Gcrash are the stacks that the runtime allocated for
	// its threads: for scheduling, for signals and for crashing.
	G0, Gsignal, Gcrash uintptr
}

// SystemStack is the stack memory of the system goroutines that started with
// the function at PC.
type SystemStack struct {
	PC    uintptr
	Bytes uintptr
}

// StackSpaceNames holds return PCs in goexit and in the functions whose names
// stand for stack memory that has no frame in the profile.
type StackSpaceNames struct {
	FreeStack, SystemStack, G0, Gsignal, Gcrash, StackCache, DeepStack, Goexit uintptr
}
