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
	for _, n := range []int{0, 1, 15, 16, 17, 1000, 5000} {
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
		for ps := 1; ps < 5; ps++ {
			if got := RefsOldest(goids, ps); !slices.Equal(got, want) {
				t.Errorf("%d goroutines on %d Ps: %v, want %v", n, ps, got, want)
			}
		}
	}
}

// TestRefsOldestJobs checks that the jobs go over each goroutine once, and none
// over more than a few.
func TestRefsOldestJobs(t *testing.T) {
	for _, n := range []int{0, 1, RefsChoosePerJob, RefsChoosePerJob + 1, 1_000_000} {
		next := 0
		for _, part := range RefsChooseJobs(n) {
			if part[0] != next || part[1] <= part[0] || part[1]-part[0] > RefsChoosePerJob {
				t.Fatalf("%d goroutines: a job goes over %v after %d", n, part, next)
			}
			next = part[1]
		}
		if next != n {
			t.Errorf("%d goroutines: the jobs go over %d", n, next)
		}
	}
}

func TestRefsMainGoroutine(t *testing.T) {
	if id := RefsFirstGoroutine(); id != 1 {
		t.Errorf("the first goroutine is %d, not 1, the main goroutine", id)
	}
}
