// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Shapes that are held by goroutines in states that stacks.go does not have.
// Such a goroutine runs, is in a system call or a panic, sleeps, sends,
// receives or selects, is blocked for ever, is a coroutine, or iterates over a
// map.

package main

import (
	"fmt"
	"io"
	"iter"
	"os"
	"regexp"
	"runtime"
	"runtime/pprof"
	"sync/atomic"
	"syscall"
	"time"
)

var (
	waited, sent chan *payload

	pipe        [2]*os.File // both ends, so that no finalizer closes them
	blockedFile int
	coroutine   func() (*payload, bool)
	iterated    map[int]*payload
)

//go:noinline
func holdSyscall() {
	b := onHeap[[5000]byte]()
	parked.Done()
	_, err := syscall.Read(blockedFile, b[:])
	runtime.KeepAlive(b)
	check(err)
}

//go:noinline
func holdSender() {
	p := onHeap[payload]()
	parked.Done()
	sent <- p
	runtime.KeepAlive(p)
}

//go:noinline
func holdReceiver() {
	parked.Done()
	<-waited
}

// A runner has an allocation header, from which the recorder learns its type
// although it finds the runner in a register.
type runner struct {
	turns uint64
	_     [600]byte
	_     *runner
}

var stopRunning atomic.Bool

// holdRunning is stopped in a loop without calls, where any register may hold a
// pointer.
//
//go:noinline
func holdRunning() {
	p := onHeap[runner]()
	parked.Done()
	for !stopRunning.Load() {
		p.turns++
	}
	parked.Done()
}

// stopsLoops reports whether the runtime can stop a loop without calls.
func stopsLoops() bool {
	return !setting("asyncpreemptoff=1") && !setting("gccheckmark=1")
}

//go:noinline
func holdLeaked() {
	p := onHeap[payload]()
	unreachable := make(chan bool)
	parked.Done()
	<-unreachable
	runtime.KeepAlive(p)
}

// findsLeaks reports whether the runtime can find goroutines that are blocked
// for ever.
func findsLeaks() bool {
	return pprof.Lookup("goroutineleak") != nil && !setting("gccheckmark=1")
}

// findLeaks makes the runtime find the goroutines that are blocked for ever.
func findLeaks() {
	if findsLeaks() {
		check(pprof.Lookup("goroutineleak").WriteTo(io.Discard, 0))
	}
}

//go:noinline
func holdSelecting() {
	p := onHeap[payload]()
	parked.Done()
	select {
	case <-forever:
	case <-release:
	}
	runtime.KeepAlive(p)
}

//go:noinline
func holdSleeping() {
	p := onHeap[payload]()
	parked.Done()
	time.Sleep(time.Hour)
	runtime.KeepAlive(p)
}

// holdPanicking waits in a deferred call that a panic runs.
//
//go:noinline
func holdPanicking() {
	defer func() {
		park()
		recover()
	}()
	panic(&headed{p: new(payload)})
}

//go:noinline
func holdYielding(yield func(*payload) bool) {
	p := onHeap[payload]()
	yield(nil)
	runtime.KeepAlive(p)
}

// holdIterating waits while it iterates over a map whose storage has been
// replaced since the iteration began. Only the goroutine holds the old storage.
//
//go:noinline
func holdIterating() {
	for range iterated {
		for i := range 3000 {
			iterated[i] = new(payload)
		}
		park()
	}
}

var goroutineShapes = []shape{
	{
		name:  "system call",
		roots: stack("main.holdSyscall"),
		build: func() {
			var err error
			pipe[0], pipe[1], err = os.Pipe()
			check(err)
			blockedFile = int(pipe[0].Fd())
			start(1, holdSyscall)
		},
		want:  nothing,
		check: holds(1, func() int64 { return noscan(5000) }, "main.holdSyscall.b *[5000]uint8", "syscall.Read.p []uint8"),
	},
	{
		name:  "channel with waiting senders",
		roots: append(stack("main.holdSender"), global("main.sent", &sent)),
		build: func() { sent = make(chan *payload); start(3, holdSender); settle() },
		want:  func() []ref { return []ref{count(1, "main.sent")} },
		check: holds(3, of[payload], "main.holdSender.p *payload", "main.holdSender.(temporary) *payload"),
	},
	{
		name:  "channel with waiting receivers",
		roots: []variable{global("main.waited", &waited)},
		loose: true,
		build: func() { waited = make(chan *payload, 1); start(3, holdReceiver); settle() },
		want: func() []ref {
			return []ref{
				count(1, "main.waited"),
				at(1, array[*payload](1), "main.waited", "chan *main.payload[buffer]"),
			}
		},
	},
	{
		name:  "leaked goroutine",
		roots: stack("main.holdLeaked"),
		build: func() { start(1, holdLeaked); settle(); findLeaks() },
		want:  nothing,
		check: func(got paths, _ *profile) error {
			variable := "main.holdLeaked.p *payload"
			if findsLeaks() {
				variable += " {leaked=true}"
			}
			return holds(1, of[payload], variable)(got, nil)
		},
	},
	{
		name:  "goroutine in a select",
		roots: stack("main.holdSelecting"),
		build: func() { start(1, holdSelecting); settle() },
		want:  nothing,
		check: holds(1, of[payload], "main.holdSelecting.p *payload"),
	},
	{
		name:  "sleeping goroutine",
		roots: stack("main.holdSleeping"),
		build: func() { start(1, holdSleeping); settle() },
		want:  nothing,
		check: holds(1, of[payload], "main.holdSleeping.p *payload"),
	},
	{
		name:  "goroutine in a panic",
		roots: stack("main.holdPanicking"),
		build: func() { start(1, holdPanicking) },
		want:  nothing,
		loose: true,
		check: func(_ paths, p *profile) error {
			return expect("what the panic holds", p.below("main.holdPanicking", "main.headed"), 1, of[headed]())
		},
	},
	{
		name:  "coroutine",
		owns:  regexp.MustCompile(`main\.holdYielding`),
		build: func() { coroutine, _ = iter.Pull(holdYielding); coroutine() },
		want:  nothing,
		check: func(got paths, _ *profile) error {
			return expect("what the coroutine holds", got.last("main.holdYielding.p *payload"), 1, of[payload]())
		},
	},
	{
		name:  "goroutine that iterates over a map that grew",
		roots: append(stack("main.holdIterating"), global("main.iterated", &iterated)),
		build: func() { iterated = filled(100); start(1, holdIterating) },
		want: func() []ref {
			return []ref{
				count(1, "main.iterated"),
				some("main.iterated", "map[int]*main.payload[table]"),
				at(3000, of[payload](), "main.iterated", "map[int]*main.payload[value]"),
			}
		},
		check: func(got paths, _ *profile) error {
			old := got.last("maps.Iter > internal/runtime/maps.Iter.m *Map > map[int]*main.payload[table]")
			if old.objects == 0 {
				return fmt.Errorf("the goroutine does not hold the old storage: %v", got)
			}
			return nil
		},
	},
}

// While holdRunning runs, registers may still hold pointers that are no longer
// in use. Shapes for which that matters are not checked from here on; see
// shape.alone.
var runningShapes = []shape{
	{
		name:  "running goroutine",
		roots: stack("main.holdRunning"),
		build: func() {},
		before: func() {
			if stopsLoops() {
				stopRunning.Store(false)
				start(1, holdRunning)
				parked.Add(1)
			}
		},
		after: func() {
			stopRunning.Store(true)
			parked.Wait()
		},
		want:  nothing,
		loose: true,
		check: func(_ paths, p *profile) error {
			if !stopsLoops() {
				return nil
			}
			return expect("what the stack holds", p.below("main.holdRunning", "main.runner"), 1, of[runner]())
		},
	},
}

// settle gives goroutines that are about to block time to do so.
func settle() {
	for range 100 {
		runtime.Gosched()
	}
}
