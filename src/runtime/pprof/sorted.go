// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"cmp"
	"slices"
	"unsafe"
)

// sorted returns pointers to the elements of s in the order of compare. Equal
// elements keep their order. It sorts all types as pointers to bytes, so that a
// program has the code of slices.SortFunc once; each type of elements would add
// 6 to 14 KB of code.
func sorted[T any](s []T, compare func(x, y *T) int) []*T {
	all := make([]*T, len(s))
	for i := range s {
		all[i] = &s[i]
	}
	slices.SortFunc(*(*[]*byte)(unsafe.Pointer(&all)), func(x, y *byte) int {
		if c := compare((*T)(unsafe.Pointer(x)), (*T)(unsafe.Pointer(y))); c != 0 {
			return c
		}
		return cmp.Compare(uintptr(unsafe.Pointer(x)), uintptr(unsafe.Pointer(y)))
	})
	return all
}

// inOrder returns a copy of s in the order of sorted.
func inOrder[T any](s []T, compare func(x, y *T) int) []T {
	ordered := make([]T, len(s))
	for i, x := range sorted(s, compare) {
		ordered[i] = *x
	}
	return ordered
}
