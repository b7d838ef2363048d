// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package profilerecord

// MemUsage is what Go's memory was used for at a mark termination, in bytes. See
// runtime/memusage.go, which fills it, and runtime/pprof/memory.go, which reads it.
// The metrics that are named here are those below /memory/classes, of that moment.
type MemUsage struct {
	Cycle uint32 // the collection, as in runtime.MemStats.NumGC; 0: none is complete, the moment is that of the profile
	Time  int64  // nanoseconds since 1970

	Live uint64 // heap/objects: what the collection did not free. With Cycle 0, all objects
	Dead uint64 // heap/objects: what it freed, sweeping after mark termination

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

	Released uint64 // heap/released. Not in Total
}

// MemUsageRecord is a record of the memory profile with the objects that the latest sweep
// freed. Those are in the record without labels, whatever labels they had.
type MemUsageRecord struct {
	LabelledMemRecord
	DeadObjects int64 // of FreeObjects
}

// Total returns Go's memory in bytes: the metric total without heap/released.
func (m *MemUsage) Total() uint64 {
	return m.Live + m.Dead + m.Fragmented + m.Free + m.Stacks + m.OSStacks + m.MSpanInUse + m.MSpanFree +
		m.MCacheInUse + m.MCacheFree + m.MetadataOther + m.Buckets + m.Other
}
