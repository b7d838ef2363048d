// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has the table of workers, which run while recordings are made.

package main

import (
	"math/rand/v2"
	"regexp"
	"runtime/pprof"
	"time"
)

// A worker does one kind of work in rounds, for as long as the program runs.
// Each of its goroutines calls start once, and then calls the returned function
// again and again. A round of a mutator takes milliseconds and uses a few
// megabytes of memory at most. A round panics if a check fails.
type worker struct {
	name       string
	goroutines int
	rest       time.Duration // a rest is at most this long, plus at most a second (see job.work); 0 for no rests
	start      func(r *rand.Rand) (round func())
}

const (
	brief  = time.Millisecond
	medium = 10 * time.Millisecond
	long   = 100 * time.Millisecond
)

// recorders always run, unless the toolchain is upstream's.
var recorders = []worker{
	{"refs", 2, 0, recordRefs},
	{"inuse", 1, medium, recordInuse},
}

// mutators change the heap, stacks, threads and everything else that the
// runtime manages.
var mutators = []worker{
	{"graph", 2, brief, mutateGraph},
	{"maps", 1, brief, mutateMaps},
	{"channels", 1, brief, passNodes},
	{"goroutines", 1, medium, burst},
	{"large", 1, medium, allocateLarge},
	{"tiny", 1, brief, allocateTiny},
	{"loops", 1, brief, loopWithoutCalls},
	{"closures", 1, brief, capture},
	{"threads", 1, brief, endThreads},
	{"locked", 1, brief, parkLocked},
	{"finalizers", 1, brief, finalize},
	{"cleanups", 1, brief, cleanUp},
	{"weak", 1, brief, pointWeakly},
	{"unique", 1, brief, canonicalize},
	{"pools", 1, brief, pool},
	{"pull", 1, brief, pull},
	{"timers", 1, brief, setTimers},
	{"contexts", 1, brief, cancelContexts},
	{"labels", 1, brief, labelGoroutines},
	{"stacks", 1, brief, growStacks},
	{"reflect", 1, brief, makeTypes},
	{"panics", 1, brief, panicAndRecover},
	{"defers", 1, brief, deferCalls},
	{"locks", 1, brief, waitForLocks},
	{"library", 1, brief, useLibrary},
	{"connections", 1, brief, connect},
	{"leaks", 1, long, leakGoroutines},
}

// settings change the behavior of the collector and the scheduler, run
// collections, and read statistics.
var settings = []worker{
	{"GOMAXPROCS", 1, long, changeProcs},
	{"SetGCPercent", 1, long, changePercent},
	{"SetMemoryLimit", 1, long, changeLimit},
	{"FreeOSMemory", 1, 10 * long, freeOSMemory},
	{"GC", 1, long, collect},
	{"ReadMemStats", 1, medium, readMemStats},
	{"metrics", 1, medium, readMetrics},
}

// others take other profiles, traces and dumps.
var others = []worker{
	{"heap", 1, long, profileHeap},
	{"growth", 1, long, profileGrowth},
	{"peak", 1, long, profilePeak},
	{"goroutine", 1, long, profileGoroutines},
	{"goroutineleak", 1, 5 * long, profileLeaks},
	{"contention", 1, long, profileContention},
	{"stack", 1, long, dumpStacks},
	{"cpu", 1, 5 * long, profileCPU},
	{"trace", 1, 5 * long, traceExecution},
	{"flight", 1, 5 * long, recordFlight},
	{"heapdump", 1, 10 * long, dumpHeap},
}

// choose returns the recorders, unless the toolchain is upstream's, and all
// other workers whose names match the first regular expression and do not match
// the second one. If the second one is empty, it excludes no worker.
func choose(only, without string) ([]worker, error) {
	wanted, err := regexp.Compile(only)
	if err != nil {
		return nil, err
	}
	unwanted, err := regexp.Compile(without)
	if err != nil {
		return nil, err
	}
	var chosen []worker
	if pprof.Lookup("refs") != nil { // if not, the toolchain is upstream's
		chosen = recorders
	}
	for _, table := range [][]worker{mutators, blockers, askers, callers, scopers, graphers, settings, others} {
		for _, w := range table {
			if wanted.MatchString(w.name) && (without == "" || !unwanted.MatchString(w.name)) {
				chosen = append(chosen, w)
			}
		}
	}
	return chosen, nil
}
