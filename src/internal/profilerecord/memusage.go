// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package profilerecord

// MemUsage has Go's memory by use at one moment. runtime/memusage.go fills it,
// and runtime/pprof/memory.go reads it.
type MemUsage struct {
	MemClasses            // without released memory, and without the memory of a recording of references
	Absent     MemClasses // the part of each class that has no pages: they were never touched, or are swapped out
	Released   uint64     // heap/released
	Returned   uint64     // the part of Released that has pages nevertheless
	Lazy       bool       // released pages stay until the system needs them (MADV_FREE)
	Pages      bool       // Absent and Returned are known

	Time  int64  // of the moment, in nanoseconds since 1970
	Cycle uint32 // number of the latest collection, as in runtime.MemStats.NumGC; 0 if there was none
	Freed uint64 // bytes of the objects that this collection found dead
}

// A MemUsageRecord is the record of the sampled objects of one call stack, size
// and set of labels that are allocated at that moment. AllocObjects is their
// number, and FreeObjects is 0.
type MemUsageRecord struct {
	LabelledMemRecord
	NewObjects int64 // the part of AllocObjects that was allocated since the latest collection
	LiveAbsent int64 // bytes without pages in older objects
	NewAbsent  int64 // bytes without pages in new objects
}
