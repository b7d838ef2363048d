// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

// nameLocations returns the locations of frames that are names. Frames are root
// first, and locations leaf first.
func (b *profileBuilder) nameLocations(frames []string) []uint64 {
	locs := make([]uint64, len(frames))
	for i, name := range frames {
		locs[len(frames)-1-i] = b.nameLocation(name)
	}
	return locs
}

// nameLocation returns the location of a frame that is a name. It may be called
// between calls of appendLocsForStack. It stores the location in b.locs,
// because appendLocsForStack computes IDs from the length of b.locs. The key is
// less than the address of any code.
func (b *profileBuilder) nameLocation(name string) uint64 {
	function, written := b.funcs[name]
	if !written {
		function = len(b.funcs) + 1
		b.funcs[name] = function
		b.nameFunction(function, b.stringIndex(name))
	}
	if l, ok := b.locs[uintptr(function)]; ok {
		return l.id
	}
	id := uint64(len(b.locs)) + 1
	b.nameLine(id, function)
	b.locs[uintptr(function)] = locInfo{id: id}
	return id
}
