// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Goroutine creates goroutines or switches between two of them.
package main

import (
	"runtime"

	"gorefs/misc/bench/programs/deepstack"
	"gorefs/misc/bench/programs/iterate"
)

func main() {
	iterate.Main(map[string]iterate.Body{
		"create":   create,
		"batch":    batch,
		"pingpong": pingpong,
		"gosched":  gosched,
		"grow":     grow,
	})
}

func create(n int) {
	done := make(chan bool)
	for range n {
		go func() { done <- true }()
		<-done
	}
}

func batch(n int) {
	done := make(chan bool, 100)
	for range n {
		for range cap(done) {
			go func() { done <- true }()
		}
		for range cap(done) {
			<-done
		}
	}
}

func pingpong(n int) {
	ping, pong := make(chan int), make(chan int)
	go func() {
		for v := range ping {
			pong <- v
		}
	}()
	for i := range n {
		ping <- i
		<-pong
	}
}

func gosched(n int) {
	done := make(chan bool)
	yield := func() {
		for range n {
			runtime.Gosched()
		}
		done <- true
	}
	go yield()
	go yield()
	<-done
	<-done
}

func grow(n int) {
	done := make(chan bool)
	end := func() { done <- true }
	for range n {
		go deepstack.Call(100, end)
		<-done
	}
}
