// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime

// MemoryRanges is a set of addresses as programMemory is.
type MemoryRanges struct{ r memoryRanges }

// MaxMemoryRanges is the number of ranges for which a set has room.
const MaxMemoryRanges = len(memoryRanges{}.ranges)

func (m *MemoryRanges) Replace(old, from, new, to uintptr) {
	m.r.replace(rangeOf(old, from), rangeOf(new, to))
}

func (m *MemoryRanges) All() (all [][2]uintptr) {
	for _, r := range m.r.ranges[:m.r.n.Load()] {
		all = append(all, [2]uintptr{r.base, r.limit})
	}
	return all
}
