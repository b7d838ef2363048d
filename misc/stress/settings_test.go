// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"testing"
)

// stops returns how often the world has been stopped, except for collections.
func stops() (n uint64) {
	s := []metrics.Sample{{Name: "/sched/pauses/total/other:seconds"}}
	metrics.Read(s)
	for _, c := range s[0].Value.Float64Histogram().Counts {
		n += c
	}
	return n
}

// TestProcsChanged checks that each round with -procs stops the world, for
// another number and for the number of the flag.
func TestProcsChanged(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	defer func(old int) { *procs = old }(*procs)
	for _, n := range []int{1, 2, 17, 32, 33} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			*procs = n
			runtime.GOMAXPROCS(n)
			round := changeProcs(rand.New(rand.NewPCG(1, uint64(n))))
			for i := range 50 {
				before := stops()
				round()
				if s := stops() - before; s < 2 {
					t.Errorf("round %d stopped the world %d times, want 2", i, s)
				}
				if now := runtime.GOMAXPROCS(0); now != n {
					t.Errorf("GOMAXPROCS is %d after round %d", now, i)
				}
			}
		})
	}
}
