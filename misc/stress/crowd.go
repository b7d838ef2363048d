// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file limits the heap. Recordings one after another take more than half
// of the CPU time. The runtime then lets the program allocate without helping
// to mark. Therefore mutators wait when objects, live or not, take too much
// memory.

package main

import (
	"math/bits"
	"runtime/metrics"
	"slices"
	"sync/atomic"
	"time"
)

// mostHeap is the number of bytes that objects may take before mutators wait.
const mostHeap = 100 << 20 * bits.UintSize / 32

var (
	crowded  atomic.Bool   // whether mutators wait
	heapPeak atomic.Uint64 // the greatest number of bytes that objects have taken, live or not
)

// watchHeap sets crowded and heapPeak. It does not return.
func watchHeap() {
	for ; ; time.Sleep(10 * time.Millisecond) {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(s)
		heap := s[0].Value.Uint64()
		crowded.Store(heap > mostHeap)
		heapPeak.Store(max(heap, heapPeak.Load()))
	}
}

// waits reports whether the worker waits while objects take too much memory.
// Recordings do not wait, and neither do workers with long rests, such as
// profiles. The collections of recordings, and of some of these workers, make
// room.
func (w worker) waits() bool {
	recorder := slices.ContainsFunc(recorders, func(r worker) bool { return r.name == w.name })
	return !recorder && w.rest < long
}

// waitForRoom returns when the job may begin its next round.
func (j *job) waitForRoom() {
	for j.waits() && crowded.Load() {
		time.Sleep(time.Millisecond)
	}
}
