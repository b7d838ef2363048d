// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"runtime"
	"strconv"
	"sync"
)

// makeGoroutines starts n goroutines. Each holds six objects in variables of
// three frames: a request with its path, a note with its text, and a slice of
// links with one link. Four of the six have pointers.
func makeGoroutines(n int) int {
	var waiting sync.WaitGroup
	waiting.Add(n)
	for i := range n {
		go serve(i, &waiting)
	}
	waiting.Wait()
	return n * 4
}

type request struct {
	path string
	next *request
}

//go:noinline
func newRequest(i int) *request {
	return &request{path: "/item/" + strconv.Itoa(1_000_000_000+i)}
}

//go:noinline
func newNote(r *request) *note {
	return &note{title: r.path, text: make([]byte, 200)}
}

//go:noinline
func newLinks() []*link { return []*link{new(link), nil, nil} }

//go:noinline
func serve(i int, waiting *sync.WaitGroup) {
	r := newRequest(i)
	handle(r, waiting)
	runtime.KeepAlive(r)
}

//go:noinline
func handle(r *request, waiting *sync.WaitGroup) {
	n := newNote(r)
	wait(waiting)
	runtime.KeepAlive(n)
}

//go:noinline
func wait(waiting *sync.WaitGroup) {
	found := newLinks()
	waiting.Done()
	<-forever
	runtime.KeepAlive(found)
}

var forever = make(chan bool)
