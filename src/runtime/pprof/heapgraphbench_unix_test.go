// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build unix

package pprof_test

import (
	"flag"
	"io"
	"runtime"
	"runtime/metrics"
	. "runtime/pprof"
	"slices"
	"syscall"
	"testing"
	"time"
)

// A graphBenchItem refers to two other items and to bytes.
type graphBenchItem struct {
	next, other *graphBenchItem
	name        *[16]byte
}

var graphBenchObjects = flag.Int("graphobjects", 2e6, "objects in the heap of benchmarks of heap graphs")

// newGraphBenchList returns a list with graphBenchObjects objects, half of
// which have three references.
func newGraphBenchList() *graphBenchItem {
	var list *graphBenchItem
	other := new(graphBenchItem)
	for i := range *graphBenchObjects / 2 {
		list = &graphBenchItem{list, other, new([16]byte)}
		if i%1000 == 0 {
			other = list
		}
	}
	return list
}

// A graphBenchCost is the time that collections take.
type graphBenchCost struct {
	mark, all time.Duration
	pauses    []time.Duration // time for which each collection stopped the world
}

// add adds the cost of f, which runs a collection.
func (c *graphBenchCost) add(f func()) {
	mark, all, pause := markTime(), cpuTime(), pauseTime()
	f()
	c.mark += markTime() - mark
	c.all += cpuTime() - all
	c.pauses = append(c.pauses, pauseTime()-pause)
}

// pause returns the median of the pauses, in microseconds. Single pauses may be
// much longer, if the system does not run a thread that is to stop.
func (c *graphBenchCost) pause() float64 {
	slices.Sort(c.pauses)
	return float64(c.pauses[len(c.pauses)/2].Nanoseconds()) / 1000
}

// BenchmarkHeapGraph takes snapshots. It reports the time of marking and the
// CPU time of the process, both as multiples of a collection's, the median time
// for which a collection and a snapshot stop the world, the size of the file
// per object and per reference, and the number of dropped references.
func BenchmarkHeapGraph(b *testing.B) {
	list := newGraphBenchList()
	var plain, graph graphBenchCost
	var stats HeapGraphStats
	for b.Loop() {
		plain.add(runtime.GC)
		graph.add(func() {
			var err error
			if stats, err = (&HeapGraph{MemoryLimit: 1 << 30}).Write(io.Discard); err != nil {
				b.Fatal(err)
			}
		})
	}
	runtime.KeepAlive(list)
	b.ReportMetric(float64(graph.mark)/float64(plain.mark), "mark/gc")
	b.ReportMetric(float64(graph.all)/float64(plain.all), "all/gc")
	b.ReportMetric(plain.pause(), "gc-pause-us")
	b.ReportMetric(graph.pause(), "pause-us")
	b.ReportMetric(float64(stats.FileSize)/float64(stats.Objects), "B/object")
	b.ReportMetric(float64(stats.FileSize)/float64(stats.References), "B/reference")
	b.ReportMetric(float64(stats.Dropped), "dropped")
}

// markTime returns the CPU time for which collections have marked, without the
// collection that is running. It counts the time during which workers are
// scheduled, so it is right only if the system has a processor for each P.
func markTime() time.Duration {
	samples := []metrics.Sample{
		{Name: "/cpu/classes/gc/mark/assist:cpu-seconds"},
		{Name: "/cpu/classes/gc/mark/dedicated:cpu-seconds"},
		{Name: "/cpu/classes/gc/mark/idle:cpu-seconds"},
	}
	metrics.Read(samples)
	sum := 0.0
	for _, s := range samples {
		sum += s.Value.Float64()
	}
	return time.Duration(sum * float64(time.Second))
}

// pauseTime returns the time for which collections have stopped the world.
func pauseTime() time.Duration {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return time.Duration(m.PauseTotalNs)
}

// cpuTime returns the CPU time of the process.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
