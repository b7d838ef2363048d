// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"runtime/metrics"
	"slices"
	"syscall"
	"time"

	"gorefs/misc/bench/programs/pauses"
)

// A cost has the times that a call took, all in seconds.
type cost struct {
	seconds float64 // elapsed time
	cpu     float64 // CPU time of the process
	marking float64 // CPU time of the collector while it marked
	stopped float64 // time for which the world was stopped
}

// A meter measures a call. newMeter starts it directly before the call, and
// read reads it directly after the call.
type meter struct {
	start        time.Time
	cpu, marking float64
	stops        *pauses.Reader
}

func newMeter() *meter {
	m := &meter{stops: pauses.Read("/sched/pauses/total/gc:seconds")}
	m.stops.Mark()
	m.marking = markingTime()
	m.cpu = processTime()
	m.start = time.Now()
	return m
}

func (m *meter) read() cost {
	return cost{
		seconds: time.Since(m.start).Seconds(),
		cpu:     processTime() - m.cpu,
		marking: markingTime() - m.marking,
		stopped: m.stops.Since(),
	}
}

// costs are the costs of many calls of one kind.
type costs []cost

// print prints the medians, in units that begin with prefix.
func (c costs) print(prefix string) {
	for _, unit := range []struct {
		name  string
		value func(cost) float64
	}{
		{"sec/op", func(c cost) float64 { return c.seconds }},
		{"cpu-sec/op", func(c cost) float64 { return c.cpu }},
		{"stw-sec/op", func(c cost) float64 { return c.stopped }},
	} {
		fmt.Println(median(c.each(unit.value)), prefix+unit.name)
	}
}

func (c costs) each(value func(cost) float64) []float64 {
	var values []float64
	for _, one := range c {
		values = append(values, value(one))
	}
	return values
}

// over returns the ratios of c's values to the values of others, which were
// measured in turns.
func (c costs) over(others costs, value func(cost) float64) []float64 {
	var ratios []float64
	for i := range c {
		ratios = append(ratios, value(c[i])/value(others[i]))
	}
	return ratios
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// processTime returns the user and system time of the process.
func processTime() float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()).Seconds()
}

// markingTime returns the CPU time of all garbage collections so far, without
// their sweeping.
func markingTime() float64 {
	return readMetric("/cpu/classes/gc/total:cpu-seconds").Float64()
}

// memory returns the bytes of all objects and of the collector's own memory.
func memory() float64 {
	return float64(readMetric("/memory/classes/heap/objects:bytes").Uint64() +
		readMetric("/memory/classes/metadata/other:bytes").Uint64())
}

func readMetric(name string) metrics.Value {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return sample[0].Value
}
