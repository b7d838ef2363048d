// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file is the child: it runs the workers, sends reports, and finds workers
// that make no progress.

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A job is a worker at work.
type job struct {
	worker
	rounds  atomic.Int64
	seen    int64     // number of rounds when watch last looked
	changed time.Time // time when that number was last seen to change
}

// stopping is closed when no further round may begin.
var stopping = make(chan struct{})

// work runs workers until the time is over or all recordings have been made. It
// does not return if a check fails.
func work(workers []worker) {
	if *procs > 0 {
		runtime.GOMAXPROCS(*procs)
	}
	jobs := make([]*job, len(workers))
	var running sync.WaitGroup
	for i, w := range workers {
		jobs[i] = &job{worker: w, changed: time.Now()}
		for n := range w.goroutines {
			r := rand.New(rand.NewPCG(*seed, uint64(i)<<32+uint64(n)))
			running.Go(func() { jobs[i].work(r) })
		}
	}
	go watchHeap()
	reports := json.NewEncoder(os.NewFile(reportFile, "reports"))
	for start := time.Now(); !enough(start, jobs); time.Sleep(time.Second) {
		check(reports.Encode(summary(jobs)))
		for _, j := range jobs {
			j.watch()
		}
	}
	close(stopping)
	ended := make(chan bool)
	go func() { running.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(*hang):
		panic(fmt.Sprintf("stress: workers do not end within %v", *hang))
	}
	last := summary(jobs)
	last.Done = true
	check(reports.Encode(last))
}

// enough reports whether the time is over or all recordings have been made. It
// returns false until each worker has made a round.
func enough(start time.Time, jobs []*job) bool {
	for _, j := range jobs {
		if j.rounds.Load() == 0 {
			return false
		}
	}
	return *duration > 0 && time.Since(start) > *duration ||
		*recordings > 0 && made.cycles.Load() >= *recordings
}

// work runs rounds.
func (j *job) work(r *rand.Rand) {
	round := j.start(r)
	for rest := time.Duration(0); sleep(rest); {
		j.waitForRoom()
		start := time.Now()
		round()
		j.rounds.Add(1)
		// Rounds come in bursts, so that some meet a short phase of a
		// cycle. A long rest follows, because there would be few
		// recordings if each worker took all the time that it can get.
		rest = 0
		if j.rest >= long || j.rest > 0 && r.IntN(4) == 0 {
			rest = rand.N(j.rest + min(time.Second, time.Duration(8**ease*float64(time.Since(start)))))
		}
	}
}

// sleep returns true after d, or false as soon as no further round may begin.
func sleep(d time.Duration) bool {
	select {
	case <-stopping:
		return false
	case <-time.After(d):
		return true
	}
}

// watch panics if the job has made no progress for a long time. The dump shows
// where it is.
func (j *job) watch() {
	if n := j.rounds.Load(); n != j.seen {
		j.seen, j.changed = n, time.Now()
	}
	if time.Since(j.changed) > *hang {
		panic(fmt.Sprintf("stress: %s has made no round for %v", j.name, *hang))
	}
}

func summary(jobs []*job) report {
	r := report{
		Recordings: made.cycles.Load(),
		Compared:   made.compared.Load(),
		Slowest:    time.Duration(made.slowest.Load()),
		Heap:       heapPeak.Load(),
	}
	for _, j := range jobs {
		r.Workers = append(r.Workers, j.name)
		r.Rounds = append(r.Rounds, j.rounds.Load())
	}
	return r
}

// check panics if err is not nil.
func check(err error) {
	if err != nil {
		panic(fmt.Sprint("stress: ", err))
	}
}

// must panics with the formatted text if ok is false.
func must(ok bool, format string, args ...any) {
	if !ok {
		panic("stress: " + strings.TrimSpace(fmt.Sprintf(format, args...)))
	}
}
