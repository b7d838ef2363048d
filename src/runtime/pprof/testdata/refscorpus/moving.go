// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// A shape in the midst of which objects are replaced while marking runs: what they
// held is in new ones, which marking itself need not look into.

package main

import (
	"sync/atomic"
	"time"
)

// Marking comes to the end of a chain late, so that there is time to replace what is
// behind it.
const chainLength = 200_000

type chain struct {
	next *chain
	end  *owner
}

type owner struct{ wrap *wrap }

type wrap struct{ kept []*payload }

var (
	moving      *chain
	stopMoving  atomic.Bool
	movingEnded = make(chan bool)
)

func makeMoving() {
	moving = &chain{end: &owner{&wrap{make([]*payload, 1000)}}}
	for i := range moving.end.wrap.kept {
		moving.end.wrap.kept[i] = new(payload)
	}
	for range chainLength {
		moving = &chain{next: moving}
	}
}

// move replaces the wrap again and again.
func move(h *owner) {
	for !stopMoving.Load() {
		h.wrap = &wrap{h.wrap.kept}
		time.Sleep(10 * time.Microsecond)
	}
	movingEnded <- true
}

func lastOf(c *chain) *owner {
	for c.next != nil {
		c = c.next
	}
	return c.end
}

var movingShapes = []shape{
	{
		name:  "objects that are replaced",
		roots: []variable{global("main.moving", &moving)},
		build: makeMoving,
		before: func() {
			stopMoving.Store(false)
			go move(lastOf(moving))
		},
		after: func() {
			stopMoving.Store(true)
			<-movingEnded
		},
		want: func() []ref {
			next, end := "main.chain.next *chain", "main.chain.end *owner"
			wraps, kept := "main.owner.wrap *wrap", "main.wrap.kept []*payload"
			return []ref{
				at(1, of[chain](), "main.moving"),
				at(chainLength, of[chain](), "main.moving", next),
				at(1, of[owner](), "main.moving", next, end),
				at(1, of[wrap](), "main.moving", next, end, wraps),
				at(1, array[*payload](1000), "main.moving", next, end, wraps, kept),
				at(1000, of[payload](), "main.moving", next, end, wraps, kept, "[]*main.payload[elem]"),
			}
		},
	},
}
