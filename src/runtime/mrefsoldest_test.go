// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Which goroutines are the oldest, and in which order their stacks are scanned.

package runtime_test

import (
	"math/rand/v2"
	. "runtime"
	"slices"
	"testing"
)

func TestRefsOldest(t *testing.T) {
	for _, n := range []int{0, 1, 15, 16, 17, 1000} {
		goids := make([]uint64, n)
		for i, id := range rand.Perm(n) {
			goids[i] = uint64(id + 1)
		}
		want := make([]int, n)
		for i := range want {
			want[i] = i
		}
		slices.SortFunc(want, func(a, b int) int { return int(goids[a]) - int(goids[b]) })
		want = want[:min(n, 16)]
		if got := RefsOldest(goids); !slices.Equal(got, want) {
			t.Errorf("%d goroutines: %v, want %v", n, got, want)
		}
	}
}
