// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These workers change settings of the collector and the scheduler, run
// collections, and read statistics. Most of them stop the world.

package main

import (
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// mostProcs is the greatest number that changeProcs chooses.
const mostProcs = 32

func changeProcs(r *rand.Rand) func() {
	return func() {
		if *procs == 0 {
			runtime.GOMAXPROCS(1 + r.IntN(mostProcs))
			return
		}
		// A call with the number that is set already does not stop the
		// world. Therefore another number is set for a moment. The
		// worker's rests are so long that GOMAXPROCS is *procs most of
		// the time.
		other := 1 + r.IntN(mostProcs-1)
		if other >= *procs {
			other++
		}
		runtime.GOMAXPROCS(other)
		time.Sleep(brief)
		runtime.GOMAXPROCS(*procs)
	}
}

func changePercent(r *rand.Rand) func() {
	return func() { debug.SetGCPercent([]int{10, 50, 100, 200}[r.IntN(4)]) }
}

func changeLimit(r *rand.Rand) func() {
	return func() { debug.SetMemoryLimit([]int64{300 << 20, 1 << 30, math.MaxInt64}[r.IntN(3)]) }
}

func freeOSMemory(*rand.Rand) func() { return debug.FreeOSMemory }

func collect(*rand.Rand) func() { return runtime.GC }

func readMemStats(*rand.Rand) func() {
	var s runtime.MemStats
	return func() {
		runtime.ReadMemStats(&s)
		must(s.HeapAlloc > 0 && s.HeapAlloc <= s.HeapInuse && s.HeapInuse+s.HeapIdle == s.HeapSys, "%+v", s)
	}
}

func readMetrics(*rand.Rand) func() {
	var all []metrics.Sample
	for _, d := range metrics.All() {
		all = append(all, metrics.Sample{Name: d.Name})
	}
	return func() {
		metrics.Read(all)
		for _, s := range all {
			must(s.Value.Kind() != metrics.KindBad, "%s is unknown", s.Name)
		}
	}
}
