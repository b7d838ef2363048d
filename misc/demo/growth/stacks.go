// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "sync"

// stacks opens 1,000 connections whose handler is shallow, and then 50,000
// others. Each of the 50,000 calls a deep handler, and then waits. While it
// waits, it keeps the large stack that the handler needed, until a garbage
// collection makes the stack smaller. All connections stay open until the
// profiles are saved.
func stacks(r recorder) error {
	var c connections
	c.open(1000, shallow)
	if err := r.save("base.", "growth", "goroutine", "heap"); err != nil {
		return err
	}
	c.open(50_000, validate)
	err := r.save("", "growth", "goroutine", "heap")
	c.closeAll()
	return err
}

// connections are goroutines that wait.
type connections struct {
	wait, done sync.WaitGroup
}

// open starts n goroutines, which handle something and wait.
func (c *connections) open(n int, handle func(depth int) int) {
	if n > 0 {
		c.wait.Add(1)
	}
	var ready sync.WaitGroup
	ready.Add(n)
	for range n {
		c.done.Go(func() {
			handle(6)
			ready.Done()
			c.wait.Wait()
		})
	}
	ready.Wait()
}

func (c *connections) closeAll() {
	c.wait.Add(-2)
	c.done.Wait()
}

//go:noinline
func shallow(int) int { return 1 }

// validate descends in a document, with a buffer on the stack for each level.
//
//go:noinline
func validate(depth int) int {
	var path [1024]byte
	if depth == 0 {
		return int(path[0])
	}
	return validate(depth-1) + int(path[depth])
}
