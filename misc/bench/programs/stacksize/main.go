// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Stacksize reads the metric /sched/goroutines/stack-size:bytes with many
// goroutines parked,
//
//	stacksize GOROUTINES CALLS
//
// and prints the median time of a call. It prints nothing with a toolchain that
// does not have the metric.
package main

import (
	"fmt"
	"os"
	"runtime/metrics"
	"slices"
	"strconv"
	"sync"
	"time"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "stacksize: want GOROUTINES and CALLS")
		os.Exit(2)
	}
	count, err1 := strconv.Atoi(os.Args[1])
	calls, err2 := strconv.Atoi(os.Args[2])
	if err1 != nil || err2 != nil || count < 0 || calls < 1 {
		fmt.Fprintf(os.Stderr, "stacksize: bad numbers %q\n", os.Args[1:])
		os.Exit(2)
	}
	park(count)
	sample := []metrics.Sample{{Name: "/sched/goroutines/stack-size:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() == metrics.KindBad {
		return
	}
	times := make([]float64, calls)
	for i := range times {
		start := time.Now()
		metrics.Read(sample)
		times[i] = time.Since(start).Seconds()
	}
	slices.Sort(times)
	fmt.Println(times[calls/2], "sec/op")
}

func park(count int) {
	var ready sync.WaitGroup
	forever := make(chan bool)
	ready.Add(count)
	for range count {
		go func() {
			ready.Done()
			<-forever
		}()
	}
	ready.Wait()
}
