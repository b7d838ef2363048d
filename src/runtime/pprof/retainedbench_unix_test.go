// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build unix

package pprof_test

import (
	"io"
	"runtime"
	"runtime/metrics"
	. "runtime/pprof"
	"testing"
	"time"
)

// BenchmarkRetained takes retained profiles of the heap of BenchmarkHeapGraph.
// It reports the CPU time of the process as a multiple of a collection's, and
// the largest amount of memory off the heap, divided by the number of objects.
func BenchmarkRetained(b *testing.B) {
	list := newGraphBenchList()
	var gc, profile time.Duration
	stop := make(chan bool)
	most := mostMetadata(stop)
	for b.Loop() {
		all := cpuTime()
		runtime.GC()
		gc += cpuTime() - all

		all = cpuTime()
		if err := (&RetainedProfile{MemoryLimit: 1 << 30}).Write(io.Discard); err != nil {
			b.Fatal(err)
		}
		profile += cpuTime() - all
	}
	close(stop)
	runtime.KeepAlive(list)
	b.ReportMetric(float64(profile)/float64(gc), "all/gc")
	b.ReportMetric(float64(<-most)/float64(*graphBenchObjects), "B/object")
}

// mostMetadata returns a channel. When stop is closed, it sends there the
// largest number of bytes by which the runtime's metadata has grown.
func mostMetadata(stop chan bool) chan uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/metadata/other:bytes"}}
	most := make(chan uint64, 1)
	go func() {
		metrics.Read(sample)
		before := sample[0].Value.Uint64()
		high := before
		for {
			select {
			case <-stop:
				most <- high - before
				return
			case <-time.After(time.Millisecond):
				metrics.Read(sample)
				high = max(high, sample[0].Value.Uint64())
			}
		}
	}()
	return most
}
