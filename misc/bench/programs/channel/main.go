// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Channel sends and receives without switching goroutines: through a buffer,
// and through a select with a second, silent channel.
package main

import "gorefs/misc/bench/programs/iterate"

func main() {
	iterate.Main(map[string]iterate.Body{
		"buffered": buffered,
		"select":   selecting,
	})
}

func buffered(n int) {
	c := make(chan int, 1)
	for i := range n {
		c <- i
		<-c
	}
}

func selecting(n int) {
	c, silent := make(chan int, 1), make(chan int)
	for i := range n {
		select {
		case c <- i:
		case <-silent:
		}
		select {
		case <-c:
		case <-silent:
		}
	}
}
