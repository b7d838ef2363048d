// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Stack sizes: the metric /sched/goroutines/stack-size:bytes, which tells how
// many goroutines hold how much stack (golang.org/issue/81527).
//
// Nothing is counted where stacks are allocated: reading the metric looks at
// every goroutine, without stopping the world. Goroutines that start, exit or
// grow meanwhile are counted as they are met; with none of these the counts are
// exact. System goroutines are included, and those that wait for C threads to
// call Go, so that the counts add up to /sched/goroutines:goroutines.

package runtime

import (
	"internal/runtime/sys"
)

// numStackSizes is the number of sizes that a stack may have on 64-bit systems,
// where SetMaxStack's default is 1 GB. The last bucket holds anything above.
const numStackSizes = 20

// stackSizeBuckets holds the bounds of the histogram's buckets: fixedStack and
// its doubles, each the only size in its bucket, and infinity.
// The first call of readStackSizes sets it. Protected by metricsSema.
var stackSizeBuckets []float64

// readStackSizes computes the metric. The caller holds metricsSema.
func readStackSizes(_ *statAggregate, out *metricValue) {
	if stackSizeBuckets == nil {
		stackSizeBuckets = makeStackSizeBuckets()
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

func makeStackSizeBuckets() []float64 {
	b := make([]float64, numStackSizes+1)
	for i := range numStackSizes {
		b[i] = float64(uint64(fixedStack) << i)
	}
	b[numStackSizes] = float64Inf()
	return b
}
