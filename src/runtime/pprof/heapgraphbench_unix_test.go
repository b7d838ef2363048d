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
	"syscall"
	"testing"
	"time"
)

// A graphBenchItem has two references and bytes.
type graphBenchItem struct {
	next, other *graphBenchItem
	name        *[16]byte
}

const graphBenchObjects = 2e6

// newGraphBenchList returns a list with graphBenchObjects objects, each second
// of which has three references.
func newGraphBenchList() *graphBenchItem {
	var list *graphBenchItem
	other := new(graphBenchItem)
	for i := range int(graphBenchObjects / 2) {
		list = &graphBenchItem{list, other, new([16]byte)}
		if i%1000 == 0 {
			other = list
		}
	}
	return list
}

// BenchmarkHeapGraph takes snapshots. It reports the time of marking as a
// multiple of a collection's, the CPU time of the process likewise, and the size
// of the file.
func BenchmarkHeapGraph(b *testing.B) {
	list := newGraphBenchList()
	var plain, graph struct{ mark, all time.Duration }
	var stats HeapGraphStats
	for b.Loop() {
		mark, all := markTime(), cpuTime()
		runtime.GC()
		plain.mark += markTime() - mark
		plain.all += cpuTime() - all

		mark, all = markTime(), cpuTime()
		var err error
		if stats, err = new(HeapGraph).Write(io.Discard); err != nil {
			b.Fatal(err)
		}
		graph.mark += markTime() - mark
		graph.all += cpuTime() - all
	}
	runtime.KeepAlive(list)
	b.ReportMetric(float64(graph.mark)/float64(plain.mark), "mark/gc")
	b.ReportMetric(float64(graph.all)/float64(plain.all), "all/gc")
	b.ReportMetric(float64(stats.FileSize)/float64(stats.Objects), "B/object")
	b.ReportMetric(float64(stats.FileSize)/float64(stats.References), "B/reference")
	b.ReportMetric(float64(stats.Dropped), "dropped")
}

// markTime returns the CPU time that collections have marked for, without the one
// that is running. It counts the time during which workers are scheduled, so that
// it is right only if the system has a processor for each P.
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

// cpuTime returns the CPU time of the process.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
