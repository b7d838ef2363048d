// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package refs

import "unsafe"

// Offset is Groups.offset.
func (g *Groups) Offset(off uintptr) (isElem bool, in uintptr) { return g.offset(off) }

// Segments returns how many of the first n records of an array have different
// places, in a segment that is long enough.
func Segments(n uint32) (places int) {
	a := Array{size: 1}
	seen := make(map[[2]uintptr]bool)
	for i := range n {
		segment, record := segmentOf(i)
		if record < a.segmentSize(segment) {
			seen[[2]uintptr{uintptr(segment), record}] = true
		}
	}
	return len(seen)
}

// HeadsSize is the number of bytes that an array takes before its first record.
const HeadsSize = unsafe.Sizeof(heads{})
