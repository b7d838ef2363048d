// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package profilerecord

// GrowthRecord is what made the process grow, by call stack and kind of memory. All but
// Growths, a number of events, are bytes since the program began.
type GrowthRecord struct {
	Kind     string // heap, stack, runtime or mmap
	Stack    []uintptr
	Growths  int64
	Mapped   int64 // address space mapped
	Unmapped int64 // address space unmapped
	Released int64 // memory returned to the operating system
	Enlarged int64 // by which stacks became larger
	Resident int64 // pages backed by memory for the first time, or again
}
