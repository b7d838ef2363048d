// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "sync"

// A shape parks the calling goroutine: it calls parked, which does not return,
// from a call stack that depends on the shape and on i.
type shape func(i int, parked func())

// shapes has the shapes by name. The stacks of like are equal. Those of
// thousand are a thousand different ones. Those of deep are equal, and more
// than a hundred frames deep. Those of distinct differ from one of the
// outermost frames on, and have more than 110 frames: 56 calls of left or right
// are two frames each, because each of them calls branch.
var shapes = map[string]shape{
	"like":     func(_ int, parked func()) { parked() },
	"thousand": func(i int, parked func()) { left(i%1000, 10, parked) },
	"deep":     func(_ int, parked func()) { descend(100, parked) },
	"distinct": func(i int, parked func()) { left(i, 55, parked) },
}

// left and right call each other as the lowest bits of path select, so that
// each path of depth bits is a different stack.
//
//go:noinline
func left(path, depth int, parked func()) {
	branch(path, depth, parked)
}

//go:noinline
func right(path, depth int, parked func()) {
	branch(path, depth, parked)
}

func branch(path, depth int, parked func()) {
	switch {
	case depth == 0:
		parked()
	case path&1 == 0:
		left(path>>1, depth-1, parked)
	default:
		right(path>>1, depth-1, parked)
	}
}

//go:noinline
func descend(depth int, parked func()) {
	if depth == 0 {
		parked()
		return
	}
	descend(depth-1, parked)
}

// parkAll returns when count goroutines are parked or about to park.
func parkAll(s shape, count int) {
	var ready sync.WaitGroup
	forever := make(chan bool)
	ready.Add(count)
	for i := range count {
		go s(i, func() {
			ready.Done()
			<-forever
		})
	}
	ready.Wait()
}
