// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
)

// A mode is what a server does before it serves, and at each request for the
// profile growth.
type mode struct{ start, request func() }

// modes has servers with one fault each, and after it one that nearly has it.
var modes = map[string]mode{
	"leak": {func() {}, leak},
	"rest": {func() {}, func() {}},

	"ended": {func() {}, func() { once(2, 512, open) }},
	"full":  {fill, func() {}},

	"stacks":  {func() { run(400, func() { deep(11) }) }, func() {}},
	"shallow": {func() { run(400, func() { deep(0) }) }, func() {}},

	"blocked": {func() { run(300, put) }, func() {}},
	"idle":    {func() { run(300, take) }, func() {}},

	"more":  {func() {}, func() { run(30, take) }},
	"crowd": {func() {}, func() { run(4000, take) }},
	"comes": {func() {}, func() { comeAndGo(30) }},

	"bodies": {func() {}, func() { repeat(30, func() { fetch(false) }) }},
	"closed": {func() {}, func() { repeat(30, func() { fetch(true) }) }},

	"spike":  {func() { spike(120) }, func() {}},
	"report": {func() { spike(20) }, func() {}},

	"collecting": {func() { collect(120) }, func() {}},
	"collected":  {func() { collect(0) }, func() {}},

	"resliced": {func() { enqueue(); queue, queued = queue[len(queue)-10:], nil }, func() {}},
	"structs":  {func() { enqueue(); queue, queued = nil, queued[len(queued)-10:] }, func() {}},
	"cloned":   {func() { enqueue(); queue, queued = slices.Clone(queue[len(queue)-10:]), nil }, func() {}},

	"gogc":   {func() { garbage(500) }, func() {}},
	"nogogc": {func() { garbage(100) }, func() {}},

	"replaces": {func() { repeat(600, replace) }, func() { repeat(300, replace) }},
	"both":     {func() { repeat(600, replace) }, func() { repeat(300, replace); repeat(32, open) }},

	"blank": {func() { kept = make([]byte, 256<<20) }, func() { repeat(4, blank) }},

	"pairs": {func() {}, func() { repeat(128, pair) }},

	"timers":  {func() {}, func() { repeat(128, expire) }},
	"stopped": {func() {}, func() { repeat(128, stop) }},

	"finalizers": {func() {}, func() { repeat(128, cycle) }},
	"finalized":  {func() {}, func() { repeat(128, finalized) }},

	"cycles": {func() { repeat(2000, cycle) }, func() {}},
	"freed":  {func() { repeat(2000, finalized) }, func() {}},

	"pool": {func() { pool(60, true) }, func() {}},
	"busy": {func() { pool(60, true) }, func() { pool(60, false) }},

	"cleanups": {func() {}, func() { repeat(128, cleanItself) }},
	"cleaned":  {func() {}, func() { repeat(128, cleaned) }},

	"weak":    {func() {}, func() { handles(keep) }},
	"dropped": {func() {}, func() { handles(drop) }},
}

var (
	never = make(chan bool) // nobody sends or receives, and the variable refers to it
	kept  []byte
	made  []byte
)

// run starts n goroutines, and returns when all run.
func run(n int, do func()) {
	var ready sync.WaitGroup
	ready.Add(n)
	for range n {
		go func() {
			ready.Done()
			do()
		}()
	}
	ready.Wait()
}

func put()  { never <- true }
func take() { <-never }

// deep waits at the bottom of a recursion.
func deep(n int) byte {
	var scratch [2048]byte
	if n == 0 {
		<-never
		return scratch[n]
	}
	return deep(n-1) + scratch[n]
}

var release chan bool

// comeAndGo starts n goroutines in place of those of the last time.
func comeAndGo(n int) {
	if release != nil {
		close(release)
	}
	c := make(chan bool)
	release = c
	run(n, func() { <-c })
}

// accepted are connections to pages.
var accepted []net.Conn

// pages returns the URL of a page that is larger than what a connection reads
// ahead.
var pages = sync.OnceValue(func() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				panic(err)
			}
			accepted = append(accepted, c)
			c.Read(make([]byte, 4<<10))
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 65536\r\n\r\n%65536d", 0)
		}
	}()
	return "http://" + l.Addr().String()
})

// fetch gets a page, and closes the body or forgets to.
func fetch(closes bool) {
	resp, err := http.Get(pages())
	if err != nil {
		panic(err)
	}
	if closes {
		resp.Body.Close()
	}
}

// spike makes megabytes that are soon free.
func spike(megabytes int) {
	made = bytes.Repeat([]byte("x"), megabytes<<20)
	made = nil
	debug.FreeOSMemory()
}

var requests int

// once does something n times at one request.
func once(request, n int, do func()) {
	if requests++; requests == request {
		repeat(n, do)
	}
}

// fill keeps 64 MB.
func fill() {
	for range 4096 {
		open()
	}
}

// last has the last 600 pages.
var (
	last [600][]byte
	next int
)

func replace() {
	last[next%len(last)] = make([]byte, 16<<10)
	next++
}

var blanks [][]byte

// blank keeps a megabyte that has no pages.
func blank() { blanks = append(blanks, make([]byte, 1<<20)) }

var notes = make(map[string]string)

// pair keeps a pair whose key is as large as its value.
func pair() {
	key := fmt.Sprint(len(notes), strings.Repeat("k", 8<<10))
	notes[key] = strings.Clone(key)
}

// garbage makes garbage, of which the next collection would free all.
func garbage(percent int) {
	debug.SetGCPercent(percent)
	kept = bytes.Repeat([]byte("x"), 20<<20)
	debug.FreeOSMemory()
	for range 70 {
		made = bytes.Repeat([]byte("x"), 1<<20)
	}
	made = nil
}

var grid []*session

// collect makes garbage beside four million pointers, until there have been n
// collections of a heap that may grow little.
func collect(n int64) {
	runtime.GOMAXPROCS(2)
	debug.SetGCPercent(30)
	grid = make([]*session, 4<<20)
	one := new(session)
	for i := range grid {
		grid[i] = one
	}
	var workers sync.WaitGroup
	for i := range 2 {
		workers.Go(func() {
			for stats := new(debug.GCStats); stats.NumGC < n; debug.ReadGCStats(stats) {
				for range 10 {
					last[i] = make([]byte, 8<<10)
				}
			}
		})
	}
	workers.Wait()
	clear(last[:])
}

var (
	queue  []*session
	queued []session
)

// enqueue adds 16 MB to both queues.
func enqueue() {
	for i := range 1000 {
		s := session{fmt.Sprint("request ", i), make([]byte, 16<<10)}
		queue, queued = append(queue, &s), append(queued, s)
	}
}
