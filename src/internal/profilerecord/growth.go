// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package profilerecord

// A GrowthRecord is the growth of the process for one call stack and kind of
// memory. Growths is a number of events. All other numbers are bytes since the
// program began.
type GrowthRecord struct {
	Kind     string // heap, stack, runtime or mmap
	Stack    []uintptr
	Growths  int64
	Mapped   int64 // address space mapped
	Unmapped int64 // address space unmapped
	Released int64 // memory returned to the operating system
	Enlarged int64 // increase of stack sizes
	Resident int64 // pages backed by memory for the first time, or again
}
