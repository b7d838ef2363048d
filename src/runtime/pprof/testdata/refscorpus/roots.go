// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Shapes that the runtime holds by finalizers, cleanups, timers and weak
// handles.

package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"sync"
	"time"
	"weak"
)

type (
	finalHeld   struct{ p *payload } // alive, with a finalizer
	finalLost   struct{ p *payload } // to be finalized after the recording
	finalQueued struct {             // waits in the queue, behind a finalizer that blocks
		p *payload
		_ [40_000]byte
	}
	finalBlocks struct{ p *payload }
	finalBack   struct{ p *payload } // resurrected by its finalizer
	cleanHeld   struct{ p *payload }
	cleanQueued struct{ p *payload } // has a cleanup that blocks
	timed       [12]uint64
)

const queued = 5

var (
	withFinalizer *finalHeld
	withCleanup   *cleanHeld
	finalizing    = make(chan bool)
	finalize      = make(chan bool) // ends the finalizer that blocks
	forever       = make(chan bool)
	weakTarget    *payload
	resurrected   *finalBack
	cleaning      chan bool // ends the cleanups that block
	cleaned       sync.WaitGroup
)

// elsewhere runs f in another goroutine, whose stack is gone afterwards.
func elsewhere(f func()) {
	done := make(chan bool)
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

//go:noinline
func finalizerOf(p *payload) func(*finalHeld) { return func(*finalHeld) { p[0]++ } }

const waitingCleanups = 50

type queuedArgument struct {
	t *timed
	c chan bool
}

// clean waits until the profile is taken.
func clean(q queuedArgument) {
	<-q.c
	q.t[0]++
	cleaned.Done()
}

// drop drops a context that its timer still holds.
func drop(context.Context, context.CancelFunc) {}

func onCleanup(p *payload) { p[0]++ }

//go:noinline
func expire(t *timed) func() { return func() { t[0]++ } }

// The recorder visits the roots of these shapes after the stacks. It may
// therefore assign some of their objects to a running goroutine that has stale
// pointers in registers.
var runtimeShapes = []shape{
	{
		name:  "object with a finalizer",
		alone: true,
		owns:  regexp.MustCompile(`^main\.withFinalizer|^\(finalizer\) \*?main\.finalHeld`),
		build: func() {
			withFinalizer = &finalHeld{new(payload)}
			runtime.SetFinalizer(withFinalizer, finalizerOf(new(payload)))
		},
		want: func() []ref {
			return []ref{
				at(1, of[finalHeld](), "main.withFinalizer"),
				at(1, of[payload](), "main.withFinalizer", "main.finalHeld.p *payload"),
			}
		},
		check: func(got paths, _ *profile) error { // got no longer has what the global variable holds
			closure := scan(2 * pointerBytes)
			if sum := got.sum(); sum != (total{2, closure + of[payload]()}) {
				return fmt.Errorf("%d objects, %d bytes of a finalizer, want the closure and what it captured: %v", sum.objects, sum.bytes, got)
			}
			return nil
		},
	},
	{
		name:     "unreachable object with a finalizer",
		alone:    true,
		owns:     regexp.MustCompile(`^\(finalizer\) \*?main\.finalLost`),
		fleeting: true,
		build:    func() {},
		before: func() {
			elsewhere(func() { runtime.SetFinalizer(&finalLost{new(payload)}, func(*finalLost) {}) })
		},
		want: func() []ref {
			return []ref{at(1, of[payload](), "(finalizer) *main.finalLost", "main.finalLost.p *payload")}
		},
	},
	{
		name:  "resurrected object",
		roots: []variable{global("main.resurrected", &resurrected)},
		build: func() {
			back := make(chan *finalBack, 1)
			elsewhere(func() {
				runtime.SetFinalizer(&finalBack{new(payload)}, func(o *finalBack) { back <- o })
			})
			for resurrected == nil {
				runtime.GC()
				select {
				case resurrected = <-back:
				case <-time.After(10 * time.Millisecond):
				}
			}
		},
		want: func() []ref {
			return []ref{
				at(1, of[finalBack](), "main.resurrected"),
				at(1, of[payload](), "main.resurrected", "main.finalBack.p *payload"),
			}
		},
	},
	{
		name:   "queued finalizers",
		blocks: true,
		owns:   regexp.MustCompile(`^\(finalizer queue\)`),
		build: func() {
			elsewhere(func() {
				runtime.SetFinalizer(&finalBlocks{new(payload)}, func(*finalBlocks) { finalizing <- true; <-finalize })
			})
			for blocked := false; !blocked; {
				runtime.GC()
				select {
				case blocked = <-finalizing:
				case <-time.After(10 * time.Millisecond):
				}
			}
			elsewhere(func() {
				for range queued {
					runtime.SetFinalizer(&finalQueued{p: new(payload)}, func(*finalQueued) {})
				}
			})
			runtime.GC()
			runtime.GC()
		},
		want: nothing,
		check: func(got paths, _ *profile) error { // other finalizers may be queued
			sum := got.sum()
			if sum.objects < 2*queued || sum.bytes < queued*(of[finalQueued]()+of[payload]()) {
				return fmt.Errorf("%d objects, %d bytes in the queue, want at least %d", sum.objects, sum.bytes, 2*queued)
			}
			return nil
		},
	},
	{
		name:  "cleanup",
		alone: true,
		owns:  regexp.MustCompile(`^main\.withCleanup|^\(cleanup\) main\.onCleanup`),
		build: func() {
			withCleanup = &cleanHeld{new(payload)}
			runtime.AddCleanup(withCleanup, onCleanup, new(payload))
		},
		want: func() []ref {
			argument := "(argument) **main.payload"
			return []ref{
				at(1, of[cleanHeld](), "main.withCleanup"),
				at(1, of[payload](), "main.withCleanup", "main.cleanHeld.p *payload"),
				at(1, of[*payload](), "(cleanup) main.onCleanup", argument),
				at(1, of[payload](), "(cleanup) main.onCleanup", argument, "**main.payload[elem]"),
				// The closure that calls onCleanup.
				count(1, "(cleanup) main.onCleanup", "(function) func(runtime.cleanupCall[go.shape.*uint8].func1)"),
			}
		},
	},
	{
		// The runtime runs as many of the cleanups as it can run at a
		// time, and these block. The others wait in the queue. A
		// running goroutine may have many of them in vector registers,
		// because the runtime copies cleanups from block to block.
		name:  "queued cleanups",
		alone: true,
		owns:  regexp.MustCompile(`^\(cleanup queue\)`),
		build: func() {},
		before: func() {
			cleaning = make(chan bool)
			cleaned.Add(waitingCleanups)
			elsewhere(func() {
				for range waitingCleanups {
					runtime.AddCleanup(&cleanQueued{new(payload)}, clean, queuedArgument{new(timed), cleaning})
				}
			})
			runtime.GC()
			runtime.GC()
		},
		after: func() {
			close(cleaning)
			cleaned.Wait()
		},
		want: nothing,
		check: func(got paths, _ *profile) error { // other cleanups may be queued
			perCleanup := of[timed]() + of[queuedArgument]()
			if sum, n := got.sum(), int64(waitingCleanups-runtime.GOMAXPROCS(0)); sum.bytes < n*perCleanup {
				return fmt.Errorf("%d objects, %d bytes in the queue, want at least %d: %v", sum.objects, sum.bytes, n*perCleanup, got)
			}
			return nil
		},
	},
	{
		name:  "context with a deadline",
		alone: true,
		owns:  regexp.MustCompile(`^\(timer\) context\.WithDeadlineCause\.func\d`),
		build: func() {
			ctx := context.WithValue(context.Background(), contextKey{}, &headed{p: new(payload)})
			drop(context.WithTimeout(ctx, time.Hour))
		},
		want: nothing,
		check: func(_ paths, p *profile) error {
			return expect("what the timer holds", p.below("(timer) context.WithDeadlineCause", "main.headed"), 1, of[headed]())
		},
	},
	{
		name:  "timer",
		alone: true,
		owns:  regexp.MustCompile(`^\(timer\) main\.expire\.func1`),
		build: func() { time.AfterFunc(time.Hour, expire(new(timed))) },
		want:  nothing,
		check: func(got paths, _ *profile) error {
			var err error
			if n := got.sum().objects; n != 3 {
				err = fmt.Errorf("%d objects, want the timer, the closure, and what it captured", n)
			}
			return errors.Join(err, expect("what the closure captured", got.last("main.expire.func1.t *timed"), 1, of[timed]()))
		},
	},
	{
		name:  "weak handle alone",
		owns:  regexp.MustCompile(`^main\.weakTarget|^\(weak handle\)`),
		loose: true, // package unique has weak handles, too
		build: func() {
			weakTarget = new(payload)
			elsewhere(func() { weak.Make(weakTarget) })
		},
		want: func() []ref {
			return []ref{at(1, of[payload](), "main.weakTarget"), some("(weak handle)")}
		},
	},
}
