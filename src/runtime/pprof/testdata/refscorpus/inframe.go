// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Shapes that the compiler puts into frames in place of the heap, and variables
// of functions that it inlines: both have the name of a variable in the source,
// although the frame has only temporaries.

package main

//go:noinline
func holdMap() {
	live := make(map[int]*payload)
	for i := range 100 {
		live[i] = onHeap[payload]()
	}
	park()
	delete(live, 0)
}

//go:noinline
func holdSmallMap() {
	live := map[string]*payload{"a": onHeap[payload](), "b": onHeap[payload]()}
	park()
	delete(live, "a")
}

func holdHintedMap() { holdMapFor(2) }

//go:noinline
func holdMapFor(n int) {
	live := make(map[int]*payload, n)
	for i := range n {
		live[i] = onHeap[payload]()
	}
	park()
	delete(live, 0)
}

//go:noinline
func holdObject() {
	box := &pair{a: onHeap[payload](), b: new([48]byte)}
	fillPair(box)
	park()
	fillPair(box)
}

//go:noinline
func holdArray() {
	list := make([]*payload, 4)
	for i := range list {
		list[i] = onHeap[payload]()
	}
	park()
	useSlice(list)
}

//go:noinline
func holdDeferredCall() {
	p := onHeap[payload]()
	defer usePayload(p)
	park()
}

//go:noinline
func usePayload(*payload) {}

// holdStarted is inlined in the function of a go statement.
func holdStarted(jobs chan int) {
	var p *payload
	for range jobs {
		p = nextPayload(p)
	}
}

//go:noinline
func nextPayload(*payload) *payload { return new(payload) }

var jobs chan int // a global variable, so that the goroutine is not leaked

func startInlined() {
	jobs = make(chan int)
	go holdStarted(jobs)
	jobs <- 0
	settle()
}

// parkInlined and parkBeside are inlined in holdBeside.
func parkInlined() { park() }

func parkBeside(q *payload) {
	parkInlined()
	q[0]++
}

//go:noinline
func holdBeside() {
	p := onHeap[payload]()
	parkBeside(onHeap[payload]())
	p[0]++
}

var inFrameShapes = []shape{
	{
		name:  "map whose header is in the frame",
		roots: stack("main.holdMap"),
		build: func() { start(1, holdMap) },
		want: func() []ref {
			live := "main.holdMap > main.holdMap.live map[int]*payload"
			return []ref{
				some(live, "map[int]*main.payload[table]"),
				at(100, of[payload](), live, "map[int]*main.payload[value]"),
			}
		},
	},
	{
		name:  "map in the frame",
		roots: stack("main.holdSmallMap"),
		build: func() { start(1, holdSmallMap) },
		want: func() []ref {
			return []ref{at(2, of[payload](), "main.holdSmallMap", "main.holdSmallMap.live map[string]*payload", "map[string]*main.payload[value]")}
		},
	},
	{
		name:  "map in the frame if it is small",
		roots: stack("main.holdHintedMap"),
		build: func() { start(1, holdHintedMap) },
		want: func() []ref {
			return []ref{at(2, of[payload](), "main.holdHintedMap", "main.holdMapFor", "main.holdMapFor.live map[int]*payload", "map[int]*main.payload[value]")}
		},
	},
	{
		name:  "object in the frame",
		roots: stack("main.holdObject"),
		build: func() { start(1, holdObject) },
		want: func() []ref {
			return []ref{
				at(1, of[payload](), "main.holdObject", "main.holdObject.box pair", "main.pair.a *payload"),
			}
		},
	},
	{
		name:  "array in the frame",
		roots: stack("main.holdArray"),
		build: func() { start(1, holdArray) },
		want: func() []ref {
			return []ref{at(4, of[payload](), "main.holdArray", "main.holdArray.list [4]*payload")}
		},
	},
	{
		name:  "argument of a deferred call",
		roots: stack("main.holdDeferredCall"),
		build: func() { start(1, holdDeferredCall) },
		want: func() []ref {
			f := "main.holdDeferredCall.deferwrap1"
			return []ref{at(1, of[payload](), "main.holdDeferredCall", "main.holdDeferredCall.(closure) func("+f+")", f+".p *payload")}
		},
	},
	{
		name:  "variable of a function that a go statement inlines",
		roots: append(stack("main.holdStarted"), stack("main.startInlined.gowrap1")...),
		build: startInlined,
		want:  nothing,
		check: holds(1, of[payload], "main.holdStarted.p *payload"),
	},
	{
		name:  "variables beside an inlined call that waits",
		roots: stack("main.holdBeside"),
		build: func() { start(1, holdBeside) },
		want: func() []ref {
			return []ref{
				at(1, of[payload](), "main.holdBeside", "main.holdBeside.p *payload"),
				at(1, of[payload](), "main.holdBeside", "main.parkBeside", "main.parkBeside.q *payload"),
			}
		},
	},
}
