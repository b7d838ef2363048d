// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file numbers values.

package pprof

// A numbering gives numbers to values in the order in which they come. Equal
// values have the same number.
type numbering[T comparable] struct {
	all   []T // by number
	index map[T]int32
}

// newNumbering returns a numbering with room for n values.
func newNumbering[T comparable](n int) numbering[T] {
	return numbering[T]{make([]T, 0, n), make(map[T]int32, n)}
}

// number returns the number of v.
func (n *numbering[T]) number(v T) int32 {
	i, ok := n.index[v]
	if !ok {
		i = int32(len(n.all))
		n.all = append(n.all, v)
		n.index[v] = i
	}
	return i
}
