// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// A shape with an object that is replaced again and again while marking runs.
// The new objects, which hold the same as the old ones, are allocated as
// marked, so marking does not scan them.

package main

import (
	"sync/atomic"
	"time"
)

// Marking takes long to come to the end of a chain of this length, so there is
// time to replace the object behind it.
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

// move replaces the owner's wrap again and again.
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
