// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Profiles that many goroutines request at the same time, while another
// goroutine requests profiles of other kinds. The live bytes with which a
// profile is compared are those in its comments, because the metrics may be
// those of a later cycle.

package main

import (
	"bytes"
	"io"
	"runtime"
	"runtime/pprof"
	"strconv"
	"sync"
)

// others are the profiles of other kinds.
var others = []string{"goroutineleak", "heap", "allocs", "goroutine", "threadcreate", "mutex", "block", "inuse"}

// together takes many refs profiles at once.
func together(built []*shape) (all result) {
	if *inuse {
		return all
	}
	var wait, busy sync.WaitGroup
	done := make(chan bool)
	check(pprof.StartCPUProfile(io.Discard))
	busy.Go(func() { otherProfiles(done) })
	results := make([]result, 8)
	if *short {
		results = results[:3]
	}
	for i := range results {
		wait.Go(func() {
			for range *repeat {
				results[i].add(inspect(built))
			}
		})
	}
	wait.Wait()
	close(done)
	busy.Wait()
	pprof.StopCPUProfile()
	for _, r := range results {
		all.add(r)
	}
	return all
}

func otherProfiles(done chan bool) {
	for {
		for _, name := range others {
			if name == "goroutineleak" && !findsLeaks() {
				continue // it allocates while the marks are checked, which the runtime forbids
			}
			if p := pprof.Lookup(name); p != nil {
				check(p.WriteTo(io.Discard, 0))
			}
		}
		check(pprof.Lookup("refs").WriteTo(io.Discard, 1))
		runtime.GC()
		select {
		case <-done:
			return
		default:
		}
	}
}

func inspect(built []*shape) result { return inspectWritten(written(), built) }

func written() []byte {
	var b bytes.Buffer
	sampled(func() { check(pprof.Lookup(wanted()).WriteTo(&b, 0)) })
	return b.Bytes()
}

func inspectWritten(b []byte, built []*shape) result {
	p := readProfile(b)
	live, err := strconv.ParseUint(p.comment(`(\d+) bytes live`), 10, 64)
	check(err)
	return p.judge(b, live, built, func(s *shape) bool { return s.before == nil })
}
