// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Goroutineprofile takes goroutine profiles of many parked goroutines,
//
//	goroutineprofile SHAPE GOROUTINES CALLS
//
// and prints the cost of a call: the median and the minimum of its time; the
// medians of the time for which it stopped the world, and of the part of this
// time in which it waited until the world had stopped; and the means of the
// bytes that it allocated and of the size of the profile.
//
// The pauses are as exact as the runtime's histograms: see programs/pauses.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"time"

	"gorefs/misc/bench/programs/pauses"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "goroutineprofile:", err)
		os.Exit(2)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("want SHAPE, GOROUTINES and CALLS, have %q", args)
	}
	shape, ok := shapes[args[0]]
	if !ok {
		return fmt.Errorf("unknown shape %q", args[0])
	}
	count, err := strconv.Atoi(args[1])
	if err != nil || count < 0 {
		return fmt.Errorf("bad number of goroutines %q", args[1])
	}
	calls, err := strconv.Atoi(args[2])
	if err != nil || calls < 1 {
		return fmt.Errorf("bad number of calls %q", args[2])
	}
	parkAll(shape, count)
	return profile(calls)
}

// A byteCount is a writer that keeps only the length.
type byteCount int

func (c *byteCount) Write(p []byte) (int, error) {
	*c += byteCount(len(p))
	return len(p), nil
}

func profile(calls int) error {
	goroutines := pprof.Lookup("goroutine")
	var size byteCount
	if err := goroutines.WriteTo(&size, 0); err != nil { // warms up, and is not measured
		return err
	}
	size = 0
	total := pauses.Read("/sched/pauses/total/other:seconds")
	stopping := pauses.Read("/sched/pauses/stopping/other:seconds")
	var times, stopped, waited []float64
	var allocated uint64
	var before, after runtime.MemStats
	for range calls {
		runtime.GC()
		runtime.ReadMemStats(&before)
		total.Mark()
		stopping.Mark()
		start := time.Now()
		err := goroutines.WriteTo(&size, 0)
		times = append(times, time.Since(start).Seconds())
		if err != nil {
			return err
		}
		stopped = append(stopped, total.Since())
		waited = append(waited, stopping.Since())
		runtime.ReadMemStats(&after)
		allocated += after.TotalAlloc - before.TotalAlloc
	}
	fmt.Println(median(times), "sec/op")
	fmt.Println(slices.Min(times), "min-sec/op")
	fmt.Println(median(stopped), "stw-sec/op")
	fmt.Println(median(waited), "stopping-sec/op")
	fmt.Println(float64(allocated)/float64(calls), "B/op")
	fmt.Println(float64(size)/float64(calls), "profile-bytes")
	return nil
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
