// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"io"
	"runtime"
	"slices"
	"testing"
	"time"
)

// BenchmarkRefsRequests measures how long requests take while a profile is
// taken, and while garbage is collected, with two Ps and a heap of 8 million
// objects. Each millisecond, a request is made that spins for 0.2 ms, unless
// the last one is still running. The time of a request counts from the tick of
// the clock.
func BenchmarkRefsRequests(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	tree := newRequestTree(1 << 23)
	var collections, profiles []time.Duration
	for range max(b.N, 5) {
		collections = append(collections, requestsDuring(runtime.GC)...)
		profiles = append(profiles, requestsDuring(func() {
			if err := Lookup("refs").WriteTo(io.Discard, 0); err != nil {
				b.Error(err)
			}
		})...)
	}
	runtime.KeepAlive(tree)
	for _, m := range []struct {
		name  string
		times []time.Duration
	}{{"GC", collections}, {"profile", profiles}} {
		slices.Sort(m.times)
		n := len(m.times)
		b.ReportMetric(float64(m.times[n/2])/1e6, "ms-median/"+m.name)
		b.ReportMetric(float64(m.times[n*99/100])/1e6, "ms-99%/"+m.name)
		b.ReportMetric(float64(n)/float64(max(b.N, 5)), "requests/"+m.name)
	}
	b.ReportMetric(0, "ns/op")
}

type requestTree struct{ left, right *requestTree }

// newRequestTree returns a tree of n-1 objects, where n is a power of two.
func newRequestTree(n int) *requestTree {
	if n <= 1 {
		return nil
	}
	return &requestTree{newRequestTree(n / 2), newRequestTree(n / 2)}
}

// requestsDuring makes requests until f returns, and returns their times.
func requestsDuring(f func()) (times []time.Duration) {
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		ticks := time.NewTicker(time.Millisecond)
		defer ticks.Stop()
		for {
			select {
			case <-stop:
				return
			case start := <-ticks.C:
				for began := time.Now(); time.Since(began) < 200*time.Microsecond; {
				}
				times = append(times, time.Since(start))
			}
		}
	}()
	f()
	close(stop)
	<-stopped
	return times
}
