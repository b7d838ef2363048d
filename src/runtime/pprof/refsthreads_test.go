// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These tests record while other goroutines disturb the scheduler. A goroutine
// that is locked to a thread parks the thread, which hands off its P. A thread
// without this P then follows the pointers that the write barrier has found on
// the P. A goroutine that stops the world also waits for locks that the
// collector holds.

package pprof

import (
	"fmt"
	"internal/profile"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
)

// refsLiveSum returns the live heap that a refs profile reports, and the sum of
// its samples, both in bytes.
func refsLiveSum(p *profile.Profile) (live, sum int64) {
	for _, c := range p.Comments {
		var cycle int
		if _, err := fmt.Sscanf(c, "GC cycle %d: %d bytes live", &cycle, &live); err == nil {
			break
		}
	}
	for _, s := range p.Sample {
		sum += s.Value[1]
	}
	return live, sum
}

// churn writes pointers and allocates until done is set.
func churn(done *atomic.Bool) {
	nodes := make([]*[4]*int, 64)
	for i := 0; !done.Load(); i++ {
		n := &nodes[i%len(nodes)]
		*n = &[4]*int{new(int), nil, new(int)}
		(*n)[i%4] = nodes[0][0]
		if i%16 == 0 {
			runtime.Gosched()
		}
	}
}

func TestRefsLockedThreads(t *testing.T) {
	for _, procs := range []int{2, 8, 32} {
		t.Run(strconv.Itoa(procs), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			var done atomic.Bool
			var wg sync.WaitGroup
			for range 24 {
				wg.Go(func() {
					runtime.LockOSThread()
					defer runtime.UnlockOSThread()
					churn(&done)
				})
			}
			takeExactRefs(t, 5)
			done.Store(true)
			wg.Wait()
		})
	}
}

// takeExactRefs takes n profiles whose samples must add up to the live heap.
func takeExactRefs(t *testing.T, n int) {
	t.Helper()
	for range n {
		p := takeProfile(t, "refs")
		if live, sum := refsLiveSum(p); live == 0 || sum != live {
			t.Errorf("samples have %d bytes, the live heap %d", sum, live)
		}
	}
}

func TestRefsStoppedWorld(t *testing.T) {
	for _, mode := range []string{"0", "1", "2"} {
		t.Run(mode, func(t *testing.T) {
			if !ownProcess(t, "GODEBUG=gcstoptheworld="+mode) {
				return
			}
			var done atomic.Bool
			var wg sync.WaitGroup
			for range 6 {
				wg.Go(func() { churn(&done) })
				wg.Go(func() {
					var stats runtime.MemStats
					for !done.Load() {
						runtime.ReadMemStats(&stats)
					}
				})
			}
			profiles := 50
			if testing.Short() {
				profiles = 10
			}
			takeExactRefs(t, profiles)
			done.Store(true)
			wg.Wait()
		})
	}
}
