// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Stack sizes: the metric /sched/goroutines/stack-size:bytes, which gives the
// number of goroutines that have stacks of each size (golang.org/issue/81527).
//
// Nothing is counted where stacks are allocated. Reading the metric looks at
// every goroutine, without stopping the world. If goroutines start or exit, or
// if their stacks change size, during the reading, each goroutine is counted as
// it is found. Without such changes, the counts are exact. System goroutines
// are included, and so are goroutines that wait for C threads to call Go.
// Therefore the counts add up to /sched/goroutines:goroutines.

package runtime

import (
	"internal/runtime/sys"
)

// numStackSizes is the number of sizes that a stack may have on 64-bit systems
// where fixedStack is 2 KiB: from 2 KiB to 1 GiB, because no stack may be
// larger than 2 GB, twice SetMaxStack's default. Systems with a larger
// fixedStack, and 32-bit systems, use fewer sizes. The last bucket would also
// count larger stacks.
const numStackSizes = 20

// stackSizeBuckets has the bounds of the histogram's buckets: the products of
// fixedStack and the powers of two, and infinity. Each bucket but the last has
// one stack size. The first call of readStackSizes sets stackSizeBuckets.
// metricsSema protects it.
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
