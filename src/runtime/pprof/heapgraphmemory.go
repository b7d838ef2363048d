// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Memory off the heap for the writer of heap graphs: for the references and
// claims that it sorts, and for sections that are deflated or that wait to be
// written. On the heap, this memory would be in the snapshot. The part that is
// allocated while the collection marks would appear there as live objects that
// nothing reaches.

package pprof

import (
	"sync"
	"unsafe"
)

// A heapGraphMemory is the memory that a snapshot takes off the heap. Both
// goroutines that write the snapshot take memory.
type heapGraphMemory struct {
	mu    sync.Mutex
	parts [][]byte
}

// alloc returns n zeroed bytes. If the runtime gets no more memory off the
// heap, they are on the heap.
func (m *heapGraphMemory) alloc(n int) []byte {
	p := pprof_heapGraphAlloc(uintptr(n))
	if p == nil {
		return make([]byte, n)
	}
	b := unsafe.Slice((*byte)(p), n)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.parts = append(m.parts, b)
	return b
}

// free frees all memory that alloc has taken off the heap. No other goroutine
// may use it.
func (m *heapGraphMemory) free() {
	for _, b := range m.parts {
		pprof_heapGraphFree(unsafe.Pointer(unsafe.SliceData(b)), uintptr(len(b)))
	}
	m.parts = nil
}

// The functions are defined in runtime/mrefsgraph.go.
//
//go:linkname pprof_heapGraphAlloc runtime.pprof_heapGraphAlloc
func pprof_heapGraphAlloc(n uintptr) unsafe.Pointer

//go:linkname pprof_heapGraphFree runtime.pprof_heapGraphFree
func pprof_heapGraphFree(p unsafe.Pointer, n uintptr)
