// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The metric /sched/goroutines/stack-size:bytes is computed when it is read, by
// a look at each goroutine while the program runs. Where stacks are allocated,
// nothing is counted.

package runtime

import "internal/runtime/sys"

// numStackSizes is the number of sizes from 2 KiB, the least fixedStack, to 1
// GiB: no stack may have 2 GB, which is twice SetMaxStack's default.
const numStackSizes = 20

// stackSizeBuckets are fixedStack times the powers of two, and infinity. The
// first reading sets it, with metricsSema held.
var stackSizeBuckets []float64

// readStackSizes computes the metric. The caller holds metricsSema.
func readStackSizes(_ *statAggregate, out *metricValue) {
	if stackSizeBuckets == nil {
		for i := range numStackSizes {
			stackSizeBuckets = append(stackSizeBuckets, float64(uint64(fixedStack)<<i))
		}
		stackSizeBuckets = append(stackSizeBuckets, float64Inf())
	}
	hist := out.float64HistOrInit(stackSizeBuckets)
	clear(hist.counts)
	forEachGRace(func(gp *g) {
		if s := readgstatus(gp); s == _Gidle || s == _Gdead {
			return
		}
		stk := stackBounds(gp)
		if size := stk.hi - stk.lo; size >= fixedStack {
			hist.counts[min(sys.TrailingZeros64(uint64(size/fixedStack)), numStackSizes-1)]++
		}
	})
}
