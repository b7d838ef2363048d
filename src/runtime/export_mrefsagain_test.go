// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Exports for mrefsagain_test.go.

package runtime

import "unsafe"

const RefsQueuedBlocks = refsQueuedBlocks

// RefsCountsAsRun reports whether a goroutine whose stack was scanned in the
// given state counts as having run since. this says whether it was first seen
// waiting in the present collection. The state is a name of waitReasonStrings,
// or one of two other states.
func RefsCountsAsRun(state string, this bool) bool {
	gp := &g{waitsince: work.tstart}
	if !this {
		gp.waitsince--
	}
	status := uint32(_Gwaiting)
	for reason, name := range waitReasonStrings {
		if name == state {
			gp.waitreason = waitReason(reason)
		}
	}
	switch state {
	case "syscall":
		status = _Gsyscall
	case "runnable":
		status = _Grunnable
	}
	gp.atomicstatus.Store(status | _Gscan)
	refsMayRun(gp)
	return gp.waitsince == 0
}

// RefsTakeBlocks takes all of n blocks from a list, and returns the number of
// blocks that it took each time.
func RefsTakeBlocks(n int) (taken []int) {
	blocks := make([]struct {
		index int
		link  *struct{}
	}, n+1)
	size := unsafe.Sizeof(blocks[0])
	base := uintptr(unsafe.Pointer(&blocks[0]))
	for i := range n - 1 {
		blocks[i].link = (*struct{})(unsafe.Pointer(&blocks[i+1]))
	}
	var l refsBlocks
	if n > 0 {
		l.first.Store(base)
	}
	for {
		first, end := l.take(unsafe.Offsetof(blocks[0].link))
		if first == end {
			KeepAlive(blocks)
			return taken
		}
		if end == 0 {
			end = base + uintptr(n)*size
		}
		taken = append(taken, int((end-first)/size))
	}
}
