// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file takes a profile whose GC cycle is known to be the last one, so that
// the runtime's metrics are of the same cycle.

package main

import (
	"bytes"
	"fmt"
	"regexp"
	"runtime/debug"
	"runtime/metrics"
	"runtime/pprof"
	"strconv"
)

// collector returns the number of the last cycle, and how many bytes it found
// alive.
func collector() (cycle, live uint64) {
	s := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64(), s[1].Value.Uint64()
}

// comment returns the text that the group in the pattern matches in one of the
// profile's comments.
func (p *profile) comment(pattern string) string {
	for _, c := range p.comments {
		if m := regexp.MustCompile(pattern).FindStringSubmatch(c); m != nil {
			return m[1]
		}
	}
	panic(fmt.Sprintf("no comment of %q is like %s", p.comments, pattern))
}

func (p *profile) cycle() uint64 {
	n, err := strconv.ParseUint(p.comment(`cycle (\d+)`), 10, 64)
	check(err)
	return n
}

// record returns a profile, the number of bytes that its cycle found alive
// according to the runtime's metrics, and the encoded profile. If another cycle
// follows before the metrics are read, record takes another profile, at last
// with automatic cycles turned off. The cycle of an inuse profile does not
// matter.
func record() (*profile, uint64, []byte) {
	for try := range 20 {
		if try == 10 {
			defer debug.SetGCPercent(debug.SetGCPercent(-1))
		}
		var b bytes.Buffer
		sampled(func() { check(pprof.Lookup(wanted()).WriteTo(&b, 0)) })
		cycle, live := collector()
		again, _ := collector()
		if p := readProfile(b.Bytes()); *inuse || p.cycle() == cycle && cycle == again {
			return p, live, b.Bytes()
		}
	}
	panic("other cycles follow even with GC off")
}

var roots = map[string]bool{
	"global": true, "stack": true, "finalizer": true, "cleanup": true,
	"timer": true, "weak": true, "runtime": true, "barrier": true,
	"allocated": true, "lost": true,
}

// exact returns an error if a sample cannot be right, or if the sum of all
// samples is not live.
func (p *profile) exact(live uint64) error {
	var sum, scan int64
	for _, s := range p.samples {
		if s.unused < 0 || s.unused > s.bytes {
			return fmt.Errorf("%d bytes of %d are unused at %s", s.unused, s.bytes, s.path())
		}
		if s.objects < 0 || s.bytes < s.objects {
			return fmt.Errorf("%d objects of %d bytes at %s", s.objects, s.bytes, s.path())
		}
		if !roots[s.root] {
			return fmt.Errorf("root %q of %s", s.root, s.path())
		}
		sum += s.bytes
		scan += s.scan
	}
	if *inuse {
		return nil // allocations before main are not sampled
	}
	if uint64(sum) != live {
		return fmt.Errorf("%d samples add up to %d bytes, of %d alive: %+d", len(p.samples), sum, live, sum-int64(live))
	}
	if scanned := p.comment(`(\d+) bytes scanned`); strconv.FormatInt(scan, 10) != scanned {
		return fmt.Errorf("%d samples add up to %d bytes to scan, and the collector has scanned %s", len(p.samples), scan, scanned)
	}
	return nil
}
