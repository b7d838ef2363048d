// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"runtime"
	"slices"
	"testing"
)

// stackOf returns the names of the functions on the stack that s makes for i.
func stackOf(s shape, i int) []string {
	var names []string
	s(i, func() {
		pcs := make([]uintptr, 200)
		frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
		for {
			frame, more := frames.Next()
			names = append(names, frame.Function)
			if !more {
				return
			}
		}
	})
	return names
}

func TestShapes(t *testing.T) {
	if a, b := stackOf(shapes["like"], 1), stackOf(shapes["like"], 2); !slices.Equal(a, b) {
		t.Errorf("like: %q and %q differ", a, b)
	}
	if n := len(stackOf(shapes["deep"], 1)) - len(stackOf(shapes["like"], 1)); n != 101 {
		t.Errorf("deep: %d more frames than like, want 101", n)
	}
	seen := make(map[string]bool)
	for i := range 3000 {
		seen[fmtStack(stackOf(shapes["thousand"], i))] = true
	}
	if len(seen) != 1000 {
		t.Errorf("thousand: %d different stacks", len(seen))
	}
}

func fmtStack(names []string) (all string) {
	for _, name := range names {
		all += name + "\n"
	}
	return all
}
