// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph

import (
	"math"
	"testing"
)

// TestLimit checks that a large file is refused, and causes no panic, if its
// graph has no room in the address space.
func TestLimit(t *testing.T) {
	const is32 = math.MaxInt == math.MaxInt32
	for _, test := range []struct {
		size, memory int64
		objects      uint32
		references   uint64
		fits         bool
	}{
		{1000, 0, 1000, 1000, true},
		{1 << 20, 0, 1000, 30e6, true},
		{1 << 20, 0, 1000, 100e6, false},
		{16 << 20, 0, 1000, 80e6, true},
		{16 << 20, 0, 1000, 300e6, !is32},
		{1 << 30, 0, 1000, 1e9, !is32},
		{1000, 1 << 30, 1000, 80e6, true},
		{1000, 1 << 30, 1000, 100e6, false},
		{1000, math.MaxInt64, 1000, 170e6, true},
		{1000, math.MaxInt64, 1000, 1e9, !is32},
		{1000, math.MaxInt64, 1e9, 1e9, !is32},
	} {
		f := &File{size: test.size}
		b := &builder{f: f, g: &Graph{end: Vertex(test.objects)}, most: f.limit(&Options{Memory: test.memory})}
		if b.fits(test.references) != test.fits {
			t.Errorf("%d bytes, limit %d: %d objects and %d references fit: %v", test.size, test.memory, test.objects, test.references, !test.fits)
		}
	}
}
