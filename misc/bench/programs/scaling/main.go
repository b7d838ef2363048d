// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Scaling collects garbage in one heap, or takes refs profiles of it. The
// number of Ps is at the end of the kind, which is the first argument.
package main

import (
	"io"
	"log"
	"runtime"
	"runtime/pprof"
	"strconv"

	"gorefs/misc/bench/programs/iterate"
)

// A customer is six objects, of which four have pointers.
type customer struct {
	name     *string
	previous *customer
	orders   []*order
}

type order struct {
	number int
	lines  []int
}

var customers []*customer

func main() {
	bodies := make(map[string]iterate.Body)
	for _, ps := range []int{1, 2, 4, 8, 16} {
		bodies["collect"+strconv.Itoa(ps)] = body(ps, collect)
		bodies["record"+strconv.Itoa(ps)] = body(ps, record)
	}
	iterate.Main(bodies)
}

// body returns a body that calls do n times, with 120,000 objects and ps Ps.
func body(ps int, do func() error) iterate.Body {
	return func(n int) {
		runtime.GOMAXPROCS(ps)
		makeCustomers(20_000)
		for range n {
			if err := do(); err != nil {
				log.Fatal(err)
			}
		}
	}
}

func collect() error {
	runtime.GC()
	return nil
}

// record takes a refs profile. Upstream has none.
func record() error {
	if p := pprof.Lookup("refs"); p != nil {
		return p.WriteTo(io.Discard, 0)
	}
	return nil
}

func makeCustomers(n int) {
	for i := range n {
		name := "customer " + strconv.Itoa(i)
		c := &customer{name: &name, orders: []*order{{number: i, lines: make([]int, 8)}}}
		if i > 0 {
			c.previous = customers[i/2]
		}
		customers = append(customers, c)
	}
}
