// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Exports for memscope_test.go.

package runtime

import (
	"internal/profilerecord"
	"internal/runtime/pprof/label"
	"unsafe"
)

// MemscopeProfileLabels takes a goroutine profile with room for the given
// number of goroutines, and adds the scopes to the labels. The parameter more
// is a number of additional goroutines that the profile seems to have counted.
// It returns the labels that the goroutines then have.
func MemscopeProfileLabels(room, more int) (labels []string) {
	p := make([]profilerecord.StackRecord, room)
	n, ok := pprof_goroutineProfileWithStackSpace(p, nil, nil)
	if !ok {
		return nil
	}
	sets := make([]unsafe.Pointer, n)
	memscopeAddLabels(p[:n], n+more, sets)
	for _, set := range sets {
		if set != nil {
			for _, l := range (*label.Set)(set).List {
				labels = append(labels, l.Key+"="+l.Value)
			}
		}
	}
	return labels
}

var memscopeSink []byte

// MemscopeCross allocates n bytes, which is to cross a limit of the goroutine's
// scope. It reports whether the goroutine that cancels scopes was idle before,
// and whether the allocation has woken it. GOMAXPROCS must be 1, so that nothing
// else wakes it.
func MemscopeCross(n int) (idle, woken bool) {
	w := &memscopeWatcher
	mp := getg().m
	mp.preemptoff = "crossing a limit" // keeps the scheduler out
	idle = w.idle.Load() == 1
	memscopeSink = make([]byte, n)
	woken = w.idle.Load() == 0
	mp.preemptoff = ""
	return idle, woken
}
