// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime_test

import (
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"testing"
)

// stackSizes returns the number of goroutines with stacks of size bytes or
// more, the number of all goroutines in the histogram, and the number that
// /sched/goroutines:goroutines gives.
func stackSizes(size float64) (large, all, goroutines uint64) {
	s := []metrics.Sample{{Name: "/sched/goroutines/stack-size:bytes"}, {Name: "/sched/goroutines:goroutines"}}
	metrics.Read(s)
	h := s[0].Value.Float64Histogram()
	for i, n := range h.Counts {
		all += n
		if h.Buckets[i] >= size {
			large += n
		}
	}
	return large, all, s[1].Value.Uint64()
}

//go:noinline
func touchStack(bytes int) byte {
	var a [1024]byte
	a[bytes%len(a)] = 1
	if bytes > len(a) {
		return a[touchStack(bytes-len(a))]
	}
	return a[bytes%len(a)]
}

// TestStackSizeMetric checks the histogram of goroutines by stack size.
func TestStackSizeMetric(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // because the collector shrinks stacks
	const n, size = 500, 64 << 10
	large0, _, _ := stackSizes(size)

	exit := make(chan bool)
	var grown, exited sync.WaitGroup
	for i := range 2 * n {
		grown.Add(1)
		exited.Go(func() {
			if i%2 == 0 {
				touchStack(size)
			}
			grown.Done()
			<-exit
		})
	}
	grown.Wait()
	large1, all, goroutines := stackSizes(size)
	if large1-large0 != n {
		t.Errorf("%d goroutines more with stacks of %d bytes, want %d", large1-large0, size, n)
	}
	for range 100 {
		if all == goroutines {
			break
		}
		_, all, goroutines = stackSizes(size) // a goroutine of the runtime has started or exited
	}
	if all != goroutines {
		t.Errorf("%d goroutines in the histogram, %d by /sched/goroutines:goroutines", all, goroutines)
	}
	close(exit)
	exited.Wait()
}

// TestStackSizeMetricBusy reads the metric while goroutines start, exit and
// grow.
func TestStackSizeMetricBusy(t *testing.T) {
	const workers = 4
	stop := make(chan bool)
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			for j := 0; ; j++ {
				select {
				case <-stop:
					return
				default:
				}
				var short sync.WaitGroup
				short.Go(func() { touchStack((i + j) % 32 << 10) })
				short.Wait()
			}
		})
	}
	for range 1000 {
		if _, all, _ := stackSizes(0); all < workers || all > 1000 {
			t.Errorf("%d goroutines in the histogram", all)
		}
	}
	close(stop)
	wg.Wait()
}
