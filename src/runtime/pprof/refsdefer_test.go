// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"strings"
	"testing"
)

type refsDeferred struct{ p [5]*int }

// refsDeferInLoop defers n calls and calls wait.
//
//go:noinline
func refsDeferInLoop(n int, wait func(a, b int)) {
	for range n {
		v := new(refsDeferred)
		defer func() { v.p[0] = nil }()
	}
	wait(n, n) // the arguments lie at the stack pointer that deferred calls record
}

// refsDeferAround is refsDeferInLoop with an earlier deferred call, whose
// record is on the stack.
//
//go:noinline
func refsDeferAround(n int, wait func(a, b int)) {
	first := 0
	defer func() { first++ }()
	for range n {
		v := new(refsDeferred)
		defer func() { v.p[0] = nil }()
	}
	wait(n, n)
}

// TestRefsDefer checks objects that deferred calls hold while the function that
// deferred the calls waits in another call. They must be below the function
// that deferred the calls.
func TestRefsDefer(t *testing.T) {
	t.Run("heap", func(t *testing.T) { testRefsDefer(t, refsDeferInLoop, ".refsDeferInLoop.(defer)") })
	t.Run("stack and heap", func(t *testing.T) { testRefsDefer(t, refsDeferAround, ".refsDeferAround.") })
}

func testRefsDefer(t *testing.T, deferCalls func(n int, wait func(a, b int)), element string) {
	const n, calls = 50, 4
	waiting, stop, ended := make(chan bool), make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		deferAll := func(a, b int) {
			waiting <- true
			<-stop
		}
		for range calls {
			inner := deferAll
			deferAll = func(a, b int) { deferCalls(n, inner) }
		}
		deferAll(0, 0)
	}()
	<-waiting
	var objects int64
	for _, s := range takeProfile(t, "refs").Sample {
		if len(s.Label["type"]) == 0 || s.Label["type"][0] != "pprof.refsDeferred" {
			continue
		}
		path := ""
		for _, l := range s.Location {
			path = " > " + l.Line[0].Function.Name + path
		}
		if strings.Contains(path, element) {
			objects += s.Value[0]
		} else {
			t.Errorf("%d objects at %s", s.Value[0], path)
		}
	}
	if objects != calls*n {
		t.Errorf("%d objects of deferred calls, want %d", objects, calls*n)
	}
	close(stop)
	<-ended
}
