// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These workers record: they take the profiles refs and inuse, in both formats,
// and check the properties that each must have whatever other workers do:
//
//   - The samples of refs add up to the bytes that the recorded cycle found
//     live, which a comment of the profile gives. The collector counts these
//     bytes itself, by P, and the profile counts them object by object, at
//     paths.
//   - If no other cycle has followed when the profile is complete, the sum
//     also equals the metric /gc/heap/live:bytes.
//   - refs has all plants, which are objects of a type of their own in a
//     variable (plants.go), at that variable and nowhere else. inuse has the
//     estimate that is expected for their number, because they are all sampled.
//     This is not checked for profiles that are written as text.

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime/metrics"
	"runtime/pprof"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/pprof/profile"
)

// made has the numbers of recordings.
var made struct {
	cycles   atomic.Int64 // different cycles, because requests may share one
	compared atomic.Int64 // recordings that have been compared with the metric
	slowest  atomic.Int64 // nanoseconds of the slowest request

	mu   sync.Mutex
	seen map[uint64]bool // the latest cycles
}

// A recording is a profile in the form in which it was written, and the
// collector's values.
type recording struct {
	kind    string
	text    bool
	written []byte
	cycle   uint64 // the collector's number of cycles when the profile was complete
	live    uint64 // the bytes that the last of these cycles found alive
	parsed  *profile.Profile
}

func recordRefs(r *rand.Rand) func()  { return func() { record("refs", r) } }
func recordInuse(r *rand.Rand) func() { return func() { record("inuse", r) } }

// record makes a recording and checks it.
func record(kind string, r *rand.Rand) {
	rec := recording{kind: kind, text: r.IntN(4) == 0}
	debug := 0
	if rec.text {
		debug = 1
	}
	var b bytes.Buffer
	start := time.Now()
	if err := pprof.Lookup(kind).WriteTo(&b, debug); err != nil {
		panic(fmt.Sprintf("stress: %s: %v", kind, err))
	}
	rec.cycle, rec.live = collector()
	slow := time.Since(start).Nanoseconds()
	for old := made.slowest.Load(); slow > old && !made.slowest.CompareAndSwap(old, slow); {
		old = made.slowest.Load()
	}
	rec.written = b.Bytes()
	if err := rec.check(); err != nil {
		if *output != "" {
			check(os.WriteFile(*output, rec.written, 0o666))
		}
		panic(fmt.Sprintf("stress: recording of %s: %v", kind, err))
	}
}

// collector returns the number of the last cycle, and the number of bytes that
// it found live. It reads the cycle's number twice, because a cycle may end in
// between.
func collector() (cycle, live uint64) {
	for {
		before := metric("/gc/cycles/total:gc-cycles")
		live = metric("/gc/heap/live:bytes")
		if cycle = metric("/gc/cycles/total:gc-cycles"); cycle == before {
			return cycle, live
		}
	}
}

func metric(name string) uint64 {
	s := []metrics.Sample{{Name: name}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// check returns an error if the recording is wrong.
func (r *recording) check() error {
	m := cycleComment.FindSubmatch(r.comments())
	if m == nil {
		return fmt.Errorf("no comment tells the live heap")
	}
	cycle, _ := strconv.ParseUint(string(m[1]), 10, 64)
	live, _ := strconv.ParseUint(string(m[2]), 10, 64)
	count(cycle)
	switch {
	case r.kind == "inuse" && r.text:
		return nil
	case r.kind == "inuse":
		return checkInuse(r.parse())
	}
	sum := r.sum()
	if sum != live {
		return fmt.Errorf("the samples of cycle %d add up to %d bytes, of %d alive: %+d", cycle, sum, live, int64(sum-live))
	}
	if cycle == r.cycle {
		made.compared.Add(1)
		if sum != r.live {
			return fmt.Errorf("the samples of cycle %d add up to %d bytes, and /gc/heap/live:bytes is %d: %+d", cycle, sum, r.live, int64(sum-r.live))
		}
	}
	if r.text {
		return nil
	}
	return checkPlants(r.parse())
}

var (
	cycleComment = regexp.MustCompile(`GC cycle (\d+): (\d+) bytes live`)
	textHeader   = regexp.MustCompile(`^refs profile: (\d+) bytes in \d+ objects\n`)
)

// comments returns a text that contains the profile's comments.
func (r *recording) comments() []byte {
	if r.text {
		return r.written[:min(len(r.written), 1000)]
	}
	var b bytes.Buffer
	for _, c := range r.parse().Comments {
		fmt.Fprintln(&b, c)
	}
	return b.Bytes()
}

// sum returns the bytes of all samples, or, if r is a text, the sum in its
// first line.
func (r *recording) sum() (bytes uint64) {
	if r.text {
		if m := textHeader.FindSubmatch(r.written); m != nil {
			bytes, _ = strconv.ParseUint(string(m[1]), 10, 64)
		}
		return bytes
	}
	for _, s := range r.parse().Sample {
		bytes += uint64(s.Value[1])
	}
	return bytes
}

func (r *recording) parse() *profile.Profile {
	if r.parsed == nil {
		r.parsed = parse(r.written)
	}
	return r.parsed
}

// parse returns a valid profile.
func parse(written []byte) *profile.Profile {
	p, err := profile.ParseData(written)
	check(err)
	check(p.CheckValid())
	return p
}

// count counts each recorded cycle once. It forgets old cycles, because no
// request for these is left.
func count(cycle uint64) {
	made.mu.Lock()
	defer made.mu.Unlock()
	if made.seen == nil || len(made.seen) > 10_000 {
		kept := map[uint64]bool{}
		for c := range made.seen {
			if c+1000 > cycle {
				kept[c] = true
			}
		}
		made.seen = kept
	}
	if !made.seen[cycle] {
		made.seen[cycle] = true
		made.cycles.Add(1)
	}
}
