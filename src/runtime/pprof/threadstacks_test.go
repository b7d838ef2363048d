// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"internal/profilerecord"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
)

// TestThreadStacks checks the stacks of threads.
func TestThreadStacks(t *testing.T) {
	space := takeSpace(t)
	if n := space.under("runtime._SystemStack;runtime._gcrash"); n <= 0 || n%1024 != 0 {
		t.Errorf("stack for crashing: %d bytes", n)
	}
	if n := space.under("runtime._SystemStack;runtime._g0"); n%1024 != 0 {
		t.Errorf("stacks for scheduling: %d bytes", n)
	}
	if runtime.GOOS == "linux" {
		threads, _ := runtime.ThreadCreateProfile(nil)
		if n := space.under("runtime._SystemStack;runtime._gsignal"); n%(32<<10) != 0 || n < 32<<10 || n > int64(threads)*32<<10 {
			t.Errorf("signal stacks of %d threads: %d bytes", threads, n)
		}
	}
}

// TestStackSpaceBusy checks that the profile adds up while goroutines start,
// exit, grow and shrink, and threads start and exit.
func TestStackSpaceBusy(t *testing.T) {
	var wg sync.WaitGroup
	var stop atomic.Bool
	for i := range 8 {
		wg.Go(func() {
			for j := 0; !stop.Load(); j++ {
				var short sync.WaitGroup
				short.Go(func() {
					recurse(nil, (i+j)%20*10)
					if i == 1 {
						runtime.LockOSThread() // the thread exits with the goroutine
					}
				})
				short.Wait()
				if i == 0 && j%100 == 0 {
					runtime.GC()
				}
			}
		})
	}
	defer wg.Wait()
	defer stop.Store(true)
	groupStacks(make([]profilerecord.StackRecord, 2), make([]unsafe.Pointer, 2)) // not filled in
	for range 50 {
		var totals profilerecord.StackTotals
		s := newStackSpace()
		for _, g := range groupStacks(goroutineStacks(&totals)) {
			if g.used > g.allocated*uintptr(g.count) {
				t.Fatalf("%d bytes used of %d stacks of %d bytes", g.used, g.count, g.allocated)
			}
			s.addGoroutines(g)
		}
		s.addOthers(&totals)
		if got, want := s.total(), int64(totals.Total); got != want {
			t.Fatalf("the profile adds up to %d bytes, want %d", got, want)
		}
		for _, n := range s.nodes {
			if n.bytes < 0 {
				t.Fatalf("a node of %d bytes: %+v", n.bytes, n)
			}
		}
	}
}
