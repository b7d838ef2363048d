// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file keeps memory for recordings, because there may be none when they
// are needed.

package evidence

import (
	"math"
	"unsafe"
)

// A reserve is memory off the heap that is kept for recordings.
type reserve struct {
	p unsafe.Pointer
	n uintptr
}

// reservePage is a multiple of all page sizes, and leastPage is a divisor of
// them, in bytes.
const (
	reservePage = 64 << 10
	leastPage   = 4 << 10
)

// defaultReserve returns the size of the reserve for a memory limit, which is 0
// if there is none. The smaller the objects are, the more memory a recording
// takes, relative to the heap (see doc/bench.md). Small heaps need relatively
// more, but an eighth of the limit is already more than the default share of
// 90% leaves.
func defaultReserve(limit int64) int64 {
	const least, most = 16 << 20, 256 << 20
	switch {
	case limit == 0:
		return least
	case limit/8 < least:
		return max(limit/8, 1)
	}
	return min(max(limit/12, least), most)
}

// take reserves n bytes, rounded up, and writes to each page, so that the
// system gives memory for it. It reports whether there is memory.
func (r *reserve) take(n int64) bool {
	if n > math.MaxInt-reservePage {
		return false
	}
	r.n = (uintptr(n) + reservePage - 1) &^ (reservePage - 1)
	r.p = runtime_reserve(r.n)
	if r.p == nil {
		return false
	}
	b := unsafe.Slice((*byte)(r.p), r.n)
	for i := 0; i < len(b); i += leastPage {
		b[i] = 1
	}
	return true
}

// held reports whether the memory is reserved.
func (r *reserve) held() bool { return r.p != nil }

// size returns the number of bytes that are reserved.
func (r *reserve) size() int64 {
	if !r.held() {
		return 0
	}
	return int64(r.n)
}

// release frees the memory, if it is reserved.
func (r *reserve) release() {
	if r.p != nil {
		runtime_release(r.p, r.n)
		r.p = nil
	}
}

// The functions are defined in runtime/evidencereserve.go.
//
//go:linkname runtime_reserve runtime.evidence_reserve
func runtime_reserve(n uintptr) unsafe.Pointer

//go:linkname runtime_release runtime.evidence_release
func runtime_release(p unsafe.Pointer, n uintptr)

//go:linkname runtime_limitRecording runtime.evidence_limitRecording
func runtime_limitRecording(n uint64, room int64)
