// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Cycles has objects with finalizers and cleanups that lead back to them, and
// others that do not. It writes its graph to a file.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"runtime"
	"runtime/pprof"
	"time"
)

type (
	captured struct { // the function of its finalizer captures the owner
		owner *owner
		n     [5]int
	}
	owner struct {
		part *captured
		buf  *[4096]byte
	}
	ring struct { // fields lead back
		next *ring
		n    [7]int
	}
	self struct { // a field refers to the object itself
		self *self
		n    [8]int
	}
	argument struct { // the argument of its cleanup leads back
		p *link
		n [9]int
	}
	link struct {
		back *argument
		n    [10]int
	}
	pair struct { // each is the argument of the other's cleanup
		p *byte
		n [11]int
	}
	used struct { // as captured, and in use
		n [12]int
	}

	// Near misses: the finalizer of one refers to another that has one, and
	// the argument of a cleanup leads to another object of the same type.
	near struct {
		p *nearLink
		n [13]int
	}
	nearLink struct {
		other *near
		n     [14]int
	}
)

func ringDone(*ring)         {}
func selfDone(*self)         {}
func linkDone(*link)         {}
func pairDone(*pair)         {}
func nearDone(*near)         {}
func nearLinkDone(*nearLink) {}

var (
	inUse []*used
	nears []*near
)

//go:noinline
func makeObjects() {
	o := &owner{part: new(captured), buf: new([4096]byte)}
	runtime.SetFinalizer(o.part, func(*captured) { clear(o.buf[:]) })

	a, b := new(ring), new(ring)
	a.next, b.next = b, a
	runtime.SetFinalizer(a, ringDone)

	s := new(self)
	s.self = s
	runtime.SetFinalizer(s, selfDone)

	arg := new(argument)
	runtime.AddCleanup(arg, linkDone, &link{back: arg})

	x, y := new(pair), new(pair)
	runtime.AddCleanup(x, pairDone, y)
	runtime.AddCleanup(y, pairDone, x)

	u := new(used)
	runtime.SetFinalizer(u, func(*used) { u.n[0]++ })
	inUse = append(inUse, u)

	first, third := new(near), new(near)
	second := &near{p: &nearLink{other: first}}
	runtime.SetFinalizer(first, nearDone)
	runtime.SetFinalizer(second, nearDone)
	runtime.AddCleanup(third, nearLinkDone, &nearLink{other: first})
	nears = append(nears, third)
}

func main() {
	n := flag.Int("n", 50, "number of objects of each kind")
	o := flag.String("o", "", "file for the graph")
	wait := flag.Bool("wait", false, "wait to be killed")
	flag.Parse()
	for range *n {
		makeObjects()
	}
	f, err := os.Create(*o)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := new(pprof.HeapGraph).Write(f); err != nil {
		log.Fatal(err)
	}
	f.Close()
	fmt.Println("written")
	if *wait {
		time.Sleep(time.Hour)
	}
	runtime.KeepAlive(inUse)
	runtime.KeepAlive(nears)
}
