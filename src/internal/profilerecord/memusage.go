// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package profilerecord

// MemUsage has the amounts of Go's memory by use at a mark termination, in
// bytes. runtime/memusage.go fills it, and runtime/pprof/memory.go reads it.
// The comments here name metrics below /memory/classes, as of that moment.
type MemUsage struct {
	Cycle uint32 // number of the collection, as in runtime.MemStats.NumGC; 0 if none is complete: the moment is then that of the profile
	Time  int64  // nanoseconds since 1970

	Live uint64 // heap/objects: the objects that the collection did not free; all objects if Cycle is 0
	Dead uint64 // heap/objects: the objects that the collection freed, because it sweeps after mark termination

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
	Other         uint64 // other, without Reserve
	Reserve       uint64 // other: the reserve of runtime/evidence

	Released uint64 // heap/released; not in Total
}

// A MemUsageRecord is a record of the heap profile with the number of its
// objects that were freed by the sweep after the mark termination that MemUsage
// describes. They are counted in the record without labels, even if they had
// labels.
type MemUsageRecord struct {
	LabelledMemRecord
	DeadObjects int64 // part of the sum of FreeObjects over the records of the same stack and size
}

// Total returns Go's memory in bytes, which is the metric total without
// heap/released and without the off-heap memory of a recording of references.
func (m *MemUsage) Total() uint64 {
	return m.Live + m.Dead + m.Fragmented + m.Free + m.Stacks + m.OSStacks + m.MSpanInUse + m.MSpanFree +
		m.MCacheInUse + m.MCacheFree + m.MetadataOther + m.Buckets + m.Other + m.Reserve
}
