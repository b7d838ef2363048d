// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Debugged is a program to try a debugger on. The breakpoint is in inspect,
// whose frame has locals of many kinds. While inspect runs, three goroutines
// wait in park.
package main

import (
	"fmt"
	"sync"
)

type shape interface{ area() int }

type square struct{ side int }

func (s square) area() int { return s.side * s.side }

type pair[K comparable, V any] struct {
	key   K
	value V
}

func main() {
	release := make(chan struct{})
	var parked, done sync.WaitGroup
	for i := range 3 {
		parked.Add(1)
		done.Go(func() { park(i, &parked, release) })
	}
	parked.Wait()
	fmt.Println(inspect("argument", 40))
	close(release)
	done.Wait()
}

//go:noinline
func park(id int, parked *sync.WaitGroup, release chan struct{}) {
	parked.Done()
	<-release
	fmt.Println("released", id)
}

//go:noinline
func inspect(text string, number int) int {
	numbers := []int{3, 1, 4}
	ages := map[string]int{"ana": 31}
	var figure shape = square{side: 7}
	entry := &pair[string, int]{"key", 42}
	add := func(n int) int { return n + number }
	total := add(2) // the breakpoint
	for _, n := range numbers {
		total += n
	}
	return total + ages["ana"] + figure.area() + entry.value + len(text)
}
