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
	wait(n, n) // its arguments lie where the stack pointer is that defers note
}

// TestRefsDefer checks that what deferred calls hold is below the function that deferred
// them, while one that it calls waits.
func TestRefsDefer(t *testing.T) {
	const n = 50
	waits, stop, ended := make(chan bool), make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		refsDeferInLoop(n, func(a, b int) {
			refsDeferInLoop(n, func(a, b int) {
				waits <- true
				<-stop
			})
		})
	}()
	<-waits
	var objects int64
	for _, s := range takeProfile(t, "refs").Sample {
		if len(s.Label["type"]) == 0 || s.Label["type"][0] != "pprof.refsDeferred" {
			continue
		}
		path := ""
		for _, l := range s.Location {
			path = " > " + l.Line[0].Function.Name + path
		}
		if strings.Contains(path, ".refsDeferInLoop.(defer)") {
			objects += s.Value[0]
		} else {
			t.Errorf("%d objects at %s", s.Value[0], path)
		}
	}
	if objects != 2*n {
		t.Errorf("%d objects of deferred calls, want %d", objects, 2*n)
	}
	close(stop)
	<-ended
}
