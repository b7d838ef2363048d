// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build unix

package pprof_test

import (
	"io"
	"runtime"
	. "runtime/pprof"
	"testing"
	"time"
)

type (
	setBenchSession struct {
		buffer *setBenchBuffer
		user   *setBenchUser
		_      [6]int
	}
	setBenchBuffer struct {
		p *int
		_ [15]int
	}
	setBenchUser  struct{ name string }
	setBenchOther struct{ next *setBenchOther }
)

var (
	setBenchSessions []*setBenchSession
	setBenchOthers   []*setBenchOther
)

// BenchmarkRetainedSets measures retained sizes of sets in a heap of a million
// objects. It reports the CPU time of the process as a multiple of a
// collection's: for the first call, and for a later call, which knows the
// members.
func BenchmarkRetainedSets(b *testing.B) {
	const n = 250_000
	setBenchSessions, setBenchOthers = make([]*setBenchSession, n), make([]*setBenchOther, n)
	for i := range n {
		setBenchSessions[i] = &setBenchSession{buffer: new(setBenchBuffer), user: new(setBenchUser)}
		setBenchOthers[i] = new(setBenchOther)
	}
	defer func() { setBenchSessions, setBenchOthers = nil, nil }()
	for _, set := range []string{"setBenchSession", "setBenchOther", "setBenchSessions", "setBenchSession.user"} {
		b.Run(set, func(b *testing.B) {
			var gc, first, again time.Duration
			write := func(r *Retained) time.Duration {
				start := cpuTime()
				if _, err := r.Write(io.Discard, 0); err != nil {
					b.Fatal(err)
				}
				return cpuTime() - start
			}
			for b.Loop() {
				start := cpuTime()
				runtime.GC()
				gc += cpuTime() - start
				r := Retained{Sets: []string{"runtime/pprof_test." + set}}
				first += write(&r)
				again += write(&r)
			}
			b.ReportMetric(float64(first)/float64(gc), "first/gc")
			b.ReportMetric(float64(again)/float64(gc), "again/gc")
		})
	}
}
