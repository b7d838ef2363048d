// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Shapes that the stacks of goroutines hold.

package main

import (
	"context"
	"errors"
	"regexp"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
)

var (
	parked  sync.WaitGroup    // counts goroutines that are about to park
	release = make(chan bool) // is never closed
	both    *payload          // a stack holds it, too
)

//go:noinline
func park() {
	parked.Done()
	<-release
}

// start starts n goroutines and waits until they have parked.
func start(n int, f func()) {
	parked.Add(n)
	for range n {
		go f()
	}
	parked.Wait()
}

// onHeap returns a new object that is not part of the caller's frame.
//
//go:noinline
func onHeap[T any]() *T { return new(T) }

//go:noinline
func holdOuter() {
	p := onHeap[payload]()
	holdInner()
	runtime.KeepAlive(p)
}

//go:noinline
func holdInner() {
	p := onHeap[pair]()
	p.a = new(payload)
	park()
	runtime.KeepAlive(p)
}

//go:noinline
func holdBoth() {
	p := both
	park()
	runtime.KeepAlive(p)
}

//go:noinline
func holdOne() {
	p := onHeap[payload]()
	park()
	runtime.KeepAlive(p)
}

//go:noinline
func holdHeaded() {
	p := onHeap[headed]()
	p.p = new(payload)
	park()
	runtime.KeepAlive(p)
}

//go:noinline
func holdDead() {
	p := onHeap[big]()
	runtime.KeepAlive(p)
	park()
}

//go:noinline
func holdLabelled() {
	pprof.Do(context.Background(), pprof.Labels("user", "anna"), func(context.Context) { labelled() })
}

//go:noinline
func labelled() {
	p := onHeap[payload]()
	park()
	runtime.KeepAlive(p)
}

//go:noinline
func holdDeferred() {
	for range 5 {
		p := onHeap[payload]()
		defer func() { p[0]++ }()
	}
	park()
}

func startDeep() { holdDeep(deepFrames) }

//go:noinline
func holdDeep(n int) {
	var pad [deepFrame]byte
	p := onHeap[payload]()
	if n == 0 {
		park()
	} else {
		holdDeep(n - 1)
	}
	pad[n%deepFrame]++
	runtime.KeepAlive(p)
}

const (
	deepFrames = 65_000
	deepFrame  = 1000 // bytes; with them, all frames need about 64 MiB
	many       = 1000
)

// stack returns the root of a shape that a goroutine's stack holds, which is
// the goroutine's first function. Paths through frames of the runtime, in which
// the goroutine is parked, do not belong to the shape.
func stack(function string) []variable { return []variable{{name: function}} }

// holds returns a check that a stack holds n objects of a size, each by one of
// some variables. The stack may hold other objects as well.
func holds(n int, each func() int64, variables ...string) func(paths, *profile) error {
	return func(got paths, _ *profile) error {
		var sum total
		for _, v := range variables {
			t := got.last(between + v)
			sum.add(t.objects, t.bytes)
		}
		return expect("what the stack holds", sum, n, each())
	}
}

var stackShapes = []shape{
	{
		name:  "goroutine",
		roots: stack("main.holdOuter"),
		build: func() { start(1, holdOuter) },
		want: func() []ref {
			return []ref{
				at(1, of[payload](), "main.holdOuter", "main.holdOuter.p *payload"),
				at(1, of[pair](), "main.holdOuter", "main.holdInner", "main.holdInner.p *pair"),
				at(1, of[payload](), "main.holdOuter", "main.holdInner", "main.holdInner.p *pair", "main.pair.a *payload"),
			}
		},
	},
	{
		name:  "global and goroutine",
		roots: append(stack("main.holdBoth"), global("main.both", &both)),
		build: func() { both = new(payload); start(1, holdBoth) },
		want:  func() []ref { return []ref{at(1, of[payload](), "main.both")} },
	},
	{
		name:  "many goroutines",
		roots: stack("main.holdOne"),
		build: func() { start(manyGoroutines(), holdOne) },
		want: func() []ref {
			return []ref{at(manyGoroutines(), of[payload](), "main.holdOne", "main.holdOne.p *payload")}
		},
	},
	{
		name:  "object with a header on a stack",
		roots: stack("main.holdHeaded"),
		build: func() { start(1, holdHeaded) },
		want: func() []ref {
			return []ref{
				at(1, of[headed](), "main.holdHeaded", "main.holdHeaded.p *headed"),
				at(1, of[payload](), "main.holdHeaded", "main.holdHeaded.p *headed", "main.headed.p *payload"),
			}
		},
	},
	{
		name:  "dead variable",
		roots: stack("main.holdDead"),
		build: func() { start(1, holdDead) },
		want:  nothing,
	},
	{
		name:  "labels",
		roots: stack("main.holdLabelled"),
		build: func() { start(1, holdLabelled) },
		want:  nothing,
		check: func(got paths, _ *profile) error {
			return expect("what has the label", got.last("main.labelled > main.labelled.p *payload"+ofGoroutine(" {user=anna}")), 1, of[payload]())
		},
	},
	{
		name:  "deferred closures",
		roots: stack("main.holdDeferred"),
		build: func() { start(1, holdDeferred) },
		want: func() []ref {
			called := "main.holdDeferred.(defer) func(main.holdDeferred.func1)"
			return []ref{
				count(5, "main.holdDeferred", "main.holdDeferred.(defer)"),
				at(5, scan(2*pointerBytes), "main.holdDeferred", called),
				at(5, of[payload](), "main.holdDeferred", called, "main.holdDeferred.func1.p *payload"),
			}
		},
	},
	{
		name:  "deep stack",
		owns:  regexp.MustCompile(`^main\.startDeep`),
		build: func() { start(1, startDeep) },
		want:  nothing,
		check: func(got paths, _ *profile) error {
			for path := range got {
				if strings.Contains(path, "runtime.chanrecv") {
					delete(got, path)
				}
			}
			return errors.Join(
				expect("what the stack holds", got.sum(), deepFrames+1, of[payload]()),
				expect("what has the name of its frame", got.last("main.holdDeep.p *payload"), deepFrames+1, of[payload]()),
			)
		},
	},
}

func manyGoroutines() int {
	if *full {
		return 100 * many
	}
	return many
}
