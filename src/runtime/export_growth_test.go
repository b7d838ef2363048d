// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime

import "internal/profilerecord"

// GrowthTotals adds up all records of the growth profile for Go's own memory.
// It returns the bytes of address space that are mapped, and the bytes of pages
// that have memory behind them.
func GrowthTotals(records []profilerecord.GrowthRecord) (mapped, resident int64, ok bool) {
	n, ok := pprof_growthProfileInternal(records)
	for _, r := range records[:min(n, len(records))] {
		if r.Kind != "mmap" {
			mapped += r.Mapped - r.Unmapped
			resident += r.Resident - r.Released
		}
	}
	return mapped, resident, ok
}
