// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Profiles that are taken at unusual moments must be right. After a profile for
// a writer that fails, panics, ends the goroutine or takes another profile, the
// next profile must be right, too.

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"time"
)

// A moment is a situation in which call calls f once.
type moment struct {
	name string
	call func(f func())
}

var oddMoments = []moment{
	{"on a locked thread", func(f func()) {
		elsewhere(func() { runtime.LockOSThread(); f() })
	}},
	{"in a finalizer", func(f func()) {
		afterCollection(f, func(f func()) {
			runtime.SetFinalizer(&finalLost{new(payload)}, func(*finalLost) { f() })
		})
	}},
	{"in a cleanup", func(f func()) {
		afterCollection(f, func(f func()) {
			runtime.AddCleanup(&cleanHeld{new(payload)}, func(f func()) { f() }, f)
		})
	}},
	{"in a timer's function", func(f func()) {
		done := make(chan bool)
		time.AfterFunc(0, func() { f(); close(done) })
		<-done
	}},
	{"in a deferred call of a panic", func(f func()) {
		defer func() { recover() }()
		defer f()
		panic(new(payload))
	}},
	{"with GC off", func(f func()) {
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
		f()
	}},
	{"at the memory limit", func(f func()) {
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(int64(objectBytes() + 16<<20)))
		f()
	}},
	{"on one P", func(f func()) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		f()
	}},
	{"while the number of Ps changes", func(f func()) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
		whileOther(f, func(i int) { runtime.GOMAXPROCS(1 + i%5) })
	}},
	{"while goroutines come and go", func(f func()) {
		whileOther(f, func(int) { elsewhere(func() { deeper(new(grown), 100) }) })
	}},
}

// afterCollection calls plant on another stack, with a function that calls f.
// It then collects garbage until that function has been called.
func afterCollection(f func(), plant func(f func())) {
	done := make(chan bool)
	elsewhere(func() { plant(func() { f(); close(done) }) })
	for {
		runtime.GC()
		select {
		case <-done:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// whileOther calls f while another goroutine calls other repeatedly.
func whileOther(f func(), other func(i int)) {
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				other(i)
			}
		}
	}()
	f()
	close(stop)
	<-stopped
}

// moments takes a profile at each of the moments, and one after each write to
// an unusual writer.
func moments(built []*shape) (all result) {
	if *inuse {
		return all
	}
	for _, m := range oddMoments {
		say("%s", m.name)
		var b []byte
		m.call(func() { b = written() })
		all.add(inspectWritten(b, built))
	}
	lengths := []int{0, 1, 10, 100, 1000, 10_000, math.MaxInt}
	if *short {
		lengths = []int{0, 1000, math.MaxInt}
	}
	for debugging := range 2 {
		for _, n := range lengths {
			say("to a writer that fails after %d bytes, with debug=%d", n, debugging)
			writeTo(&failing{left: n}, debugging)
			all.add(inspect(built))
		}
		for _, w := range []io.Writer{panicking{}, exiting{}, &nesting{}} {
			say("to a %T writer, with debug=%d", w, debugging)
			writeTo(w, debugging)
			all.add(inspect(built))
		}
	}
	return all
}

// writeTo writes a profile to one of the writers below, and checks the result.
func writeTo(w io.Writer, debugging int) {
	elsewhere(func() {
		defer func() {
			if err := recover(); err != nil && err != errFull {
				panic(err)
			}
		}()
		err := pprof.Lookup("refs").WriteTo(w, debugging)
		if f, ok := w.(*failing); ok && errors.Is(err, errFull) == f.failed {
			return
		}
		if n, ok := w.(*nesting); ok && err == nil && n.inner.Len() > 0 {
			return
		}
		panic(fmt.Sprintf("WriteTo to %T returned %v", w, err))
	})
}

var errFull = errors.New("full")

// failing is a writer that fails after left bytes.
type failing struct {
	left   int
	failed bool
}

func (f *failing) Write(p []byte) (int, error) {
	if len(p) <= f.left {
		f.left -= len(p)
		return len(p), nil
	}
	f.failed = true
	return f.left, errFull
}

// panicking is a writer that panics, and exiting one that ends the goroutine.
type (
	panicking struct{}
	exiting   struct{}
)

func (panicking) Write([]byte) (int, error) { panic(errFull) }

func (exiting) Write([]byte) (int, error) { runtime.Goexit(); return 0, nil }

// nesting is a writer that takes another profile at each of the first writes.
type nesting struct {
	inner  bytes.Buffer
	writes int
}

func (n *nesting) Write(p []byte) (int, error) {
	if n.writes++; n.writes > 5 {
		return len(p), nil
	}
	n.inner.Reset()
	return len(p), pprof.Lookup("refs").WriteTo(&n.inner, 0)
}
