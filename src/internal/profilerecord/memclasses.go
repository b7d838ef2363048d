// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package profilerecord

// MemClasses divides Go's memory into classes, in bytes. The comments name
// metrics below /memory/classes.
type MemClasses struct {
	Live uint64 // heap/objects: those that the latest collection found alive
	New  uint64 // heap/objects: the others

	Fragmented    uint64 // heap/unused
	Free          uint64 // heap/free
	Stacks        uint64 // heap/stacks
	OSStacks      uint64 // os-stacks
	MSpanInUse    uint64 // metadata/mspan/inuse
	MSpanFree     uint64 // metadata/mspan/free
	MCacheInUse   uint64 // metadata/mcache/inuse
	MCacheFree    uint64 // metadata/mcache/free
	MetadataOther uint64 // metadata/other
	Buckets       uint64 // profiling/buckets
	Other         uint64 // other
}

// Total returns the sum of all classes.
func (m *MemClasses) Total() uint64 {
	return m.Live + m.New + m.Fragmented + m.Free + m.Stacks + m.OSStacks + m.MSpanInUse + m.MSpanFree +
		m.MCacheInUse + m.MCacheFree + m.MetadataOther + m.Buckets + m.Other
}
