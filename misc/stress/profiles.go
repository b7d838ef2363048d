// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These workers take other profiles of runtime/pprof and dumps of all stacks,
// and run the execution tracer. They take some profiles as text. The profiles
// that are not text must be valid.

package main

import (
	"bytes"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"time"
)

// profileOf returns a function for rounds. Each round takes one of the
// profiles.
func profileOf(r *rand.Rand, names ...string) func() {
	return func() {
		p := pprof.Lookup(names[r.IntN(len(names))])
		if p == nil {
			return // the toolchain is upstream's
		}
		debug := max(0, r.IntN(6)-3)
		var b bytes.Buffer
		check(p.WriteTo(&b, debug))
		must(b.Len() > 0, "%s: nothing written", p.Name())
		if debug == 0 {
			parse(b.Bytes())
		}
	}
}

func profileHeap(r *rand.Rand) func()       { return profileOf(r, "heap", "allocs") }
func profileGrowth(r *rand.Rand) func()     { return profileOf(r, "growth") }
func profilePeak(r *rand.Rand) func()       { return profileOf(r, "peak") }
func profileGoroutines(r *rand.Rand) func() { return profileOf(r, "goroutine", "threadcreate") }
func profileLeaks(r *rand.Rand) func()      { return profileOf(r, "goroutineleak") }

func profileContention(r *rand.Rand) func() {
	runtime.SetBlockProfileRate(1000)
	runtime.SetMutexProfileFraction(10)
	return profileOf(r, "block", "mutex")
}

func dumpStacks(*rand.Rand) func() {
	buf := make([]byte, 1<<20)
	return func() { must(runtime.Stack(buf, true) > 0, "no stacks") }
}

func profileCPU(r *rand.Rand) func() {
	return func() {
		var b bytes.Buffer
		check(pprof.StartCPUProfile(&b))
		time.Sleep(rand.N(300 * time.Millisecond))
		pprof.StopCPUProfile()
		parse(b.Bytes())
	}
}

func traceExecution(*rand.Rand) func() {
	return func() {
		check(trace.Start(io.Discard))
		time.Sleep(rand.N(200 * time.Millisecond))
		trace.Stop()
	}
}

func recordFlight(*rand.Rand) func() {
	return func() {
		f := trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: 100 * time.Millisecond, MaxBytes: 2 << 20})
		check(f.Start())
		time.Sleep(rand.N(200 * time.Millisecond))
		n, err := f.WriteTo(io.Discard)
		check(err)
		must(n > 0, "an empty flight recording")
		f.Stop()
	}
}
