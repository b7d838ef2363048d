// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file makes large allocations wait while the part of a set that needs no
// collection is written, so that one request that takes all memory at once
// leaves a reason, too.

package evidence

import (
	"fmt"
	"runtime"
	"strings"
	_ "unsafe" // for linkname
)

// A gate wakes the watcher when an allocation waits.
type gate struct {
	asked chan struct{} // has an element if an allocation has asked
	ended chan struct{} // closed when no goroutine asks for allocations any more
}

// start lets allocations wait. The watcher's goroutine calls it, and does not
// wait itself.
func (g *gate) start() {
	g.asked = make(chan struct{}, 1)
	g.ended = make(chan struct{})
	runtime_startGate()
	go func() {
		defer close(g.ended)
		for runtime_awaitAsked() {
			select {
			case g.asked <- struct{}{}:
			default:
			}
		}
	}()
}

// stop lets no allocation wait any more. Two goroutines must not ask for them,
// because the runtime wakes only one. Therefore stop waits for the one of start.
func (g *gate) stop() {
	runtime_stopGate()
	<-g.ended
}

// largeShare is the number of parts of the limit. An allocation of one part or
// more always waits until memory has been measured. All smaller allocations
// together wait when they have taken what was left at the last measurement, but
// at least a fifth of a part, so that measuring costs little near the share.
const largeShare = 20

// open lets the allocations that wait continue. The next ones wait when they
// would take more than the process may before a set is due.
func (g *gate) open(u usage) {
	if u.limit == 0 {
		g.openWide()
		return
	}
	part := max(u.limit/largeShare, 1)
	runtime_openGate(max(u.left, part/5), uint64(part))
}

// openWide lets all allocations continue.
func (g *gate) openWide() { runtime_openGate(-1, 0) }

// waitingText lists the allocations that have waited, for evidence.txt.
func waitingText() string {
	var b strings.Builder
	var stack [64]uintptr
	for i := 0; ; i++ {
		size, depth := runtime_waitingAllocation(i, stack[:])
		if size == 0 {
			return b.String()
		}
		if i == 0 {
			b.WriteString("\nallocations that have waited for this set:\n")
		}
		fmt.Fprintf(&b, "\t%d bytes\n", size)
		frames := runtime.CallersFrames(stack[:depth])
		for more := true; more; {
			var f runtime.Frame
			f, more = frames.Next()
			fmt.Fprintf(&b, "\t\t%s %s:%d\n", f.Function, f.File, f.Line)
		}
	}
}

// The functions are defined in runtime/evidencegate.go.
//
//go:linkname runtime_startGate runtime.evidence_startGate
func runtime_startGate()

//go:linkname runtime_stopGate runtime.evidence_stopGate
func runtime_stopGate()

//go:linkname runtime_openGate runtime.evidence_openGate
func runtime_openGate(left int64, large uint64)

//go:linkname runtime_closeGate runtime.evidence_closeGate
func runtime_closeGate()

//go:linkname runtime_awaitAsked runtime.evidence_awaitAsked
func runtime_awaitAsked() bool

//go:linkname runtime_waitingBytes runtime.evidence_waitingBytes
func runtime_waitingBytes() (bytes, fresh int64)

//go:linkname runtime_waitingAllocation runtime.evidence_waitingAllocation
func runtime_waitingAllocation(i int, stack []uintptr) (size uintptr, depth int)

//go:linkname runtime_countWaiting runtime.evidence_countWaiting
func runtime_countWaiting(count bool)
