// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestInOrder compares the order with that of slices.SortStableFunc, for slices
// with many equal elements.
func TestInOrder(t *testing.T) {
	type pair struct{ key, at int }
	for n := range 200 {
		s := make([]pair, n)
		for i := range s {
			s[i] = pair{rand.IntN(1 + n/4), i}
		}
		want := slices.Clone(s)
		slices.SortStableFunc(want, func(x, y pair) int { return cmp.Compare(x.key, y.key) })
		if got := inOrder(s, func(x, y *pair) int { return cmp.Compare(x.key, y.key) }); !slices.Equal(got, want) {
			t.Fatalf("have %v, want %v", got, want)
		}
		if !slices.IsSortedFunc(s, func(x, y pair) int { return cmp.Compare(x.at, y.at) }) {
			t.Fatal("inOrder has changed its argument")
		}
	}
}
