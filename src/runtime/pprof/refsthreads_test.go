// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Recordings beside goroutines that are locked to threads, which park them: their
// Ps are handed off, and what the write barrier has found on these is followed by
// threads that have no P.

package pprof

import (
	"fmt"
	"internal/profile"
	"runtime"
	"strconv"
	"sync"
	"testing"
)

// refsLiveSum returns the live heap that a refs profile reports, and the sum of its
// samples.
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

// churn writes pointers and allocates until done is closed.
func churn(done <-chan bool) {
	nodes := make([]*[4]*int, 64)
	for i := 0; ; i++ {
		select {
		case <-done:
			return
		default:
		}
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
			done := make(chan bool)
			var wg sync.WaitGroup
			for range 24 {
				wg.Go(func() {
					runtime.LockOSThread()
					defer runtime.UnlockOSThread()
					churn(done)
				})
			}
			for range 5 {
				p := takeProfile(t, "refs")
				if live, sum := refsLiveSum(p); live == 0 || sum != live {
					t.Errorf("samples have %d bytes, the live heap %d", sum, live)
				}
			}
			close(done)
			wg.Wait()
		})
	}
}
