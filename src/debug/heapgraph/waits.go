// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file says how long goroutines have waited. A goroutine that has waited
// for hours tells a leak from a crowd that is being served.

package heapgraph

import (
	"cmp"
	format "internal/heapgraph"
	"slices"
)

// minutes returns for how many minutes a goroutine has waited.
func (t *tables) minutes(goroutine uint32) int {
	i, ok := slices.BinarySearchFunc(t.waits, uint64(goroutine), func(w format.Wait, n uint64) int { return cmp.Compare(w.Goroutine, n) })
	if !ok {
		return 0
	}
	return int(t.waits[i].Minutes)
}

// checkWaits checks the numbers of the waits, and sorts them.
func (t *tables) checkWaits() error {
	const minutes = 1 << 31
	for i, w := range t.waits {
		if w.Goroutine >= uint64(len(t.goroutines)) || w.Minutes >= minutes {
			return numberError(format.KindWaits, i)
		}
	}
	slices.SortFunc(t.waits, func(a, b format.Wait) int { return cmp.Compare(a.Goroutine, b.Goroutine) })
	return nil
}
