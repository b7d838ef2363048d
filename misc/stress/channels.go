// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This worker passes nodes (graph.go) through channels: from buffers to
// receivers, directly from stack to stack, and by select. Senders wait with the
// nodes that they send.

package main

import "math/rand/v2"

func passNodes(r *rand.Rand) func() {
	buffered := make(chan *node, 100)
	direct := make(chan *node)
	wide := make(chan [10]any, 3)
	closed := make(chan struct{})
	for range 4 {
		go func() {
			for n := range direct {
				buffered <- n.alive()
			}
		}()
	}
	go func() {
		for {
			select {
			case n := <-buffered:
				n.alive()
				wide <- [10]any{3: n}
			case <-closed: // never happens
			}
		}
	}()
	return func() {
		for range 20 {
			select {
			case direct <- newNode(r):
			case v := <-wide:
				v[3].(*node).alive()
			}
		}
	}
}
