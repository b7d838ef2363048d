// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file sorts tables. slices.SortFunc is faster, but adds code for each
// element type to every server that links this package (see doc/bench.md).

package heapgraph

import "sort"

// sortTable sorts s, which is often in order.
func sortTable[T any](s []T, compare func(a, b T) int) {
	t := table[T]{s, compare}
	if !sort.IsSorted(t) {
		sort.Sort(t)
	}
}

// A table is a slice and its order.
type table[T any] struct {
	s       []T
	compare func(a, b T) int
}

func (t table[T]) Len() int           { return len(t.s) }
func (t table[T]) Less(i, j int) bool { return t.compare(t.s[i], t.s[j]) < 0 }
func (t table[T]) Swap(i, j int)      { t.s[i], t.s[j] = t.s[j], t.s[i] }
