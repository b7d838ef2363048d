// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These workers write heap graphs, and measure retained sizes in them. The
// plants (plants.go) are in one variable, and nothing else refers to them, except
// each to itself. Therefore the variable and their type retain all of them,
// whatever other workers do. Builds with -tags upstream do not have these
// workers.

//go:build !upstream

package main

import (
	"bytes"
	"debug/heapgraph"
	"errors"
	"math/rand/v2"
	"runtime/pprof"
)

var graphers = []worker{
	{"sets", 1, 5 * long, measureSets},
	{"heapgraph", 1, 5 * long, writeGraph},
}

func measureSets(r *rand.Rand) func() {
	return func() {
		g := takeGraph()
		if g == nil {
			return
		}
		set, want := "main.plants", int64(planted+1)
		if r.IntN(2) == 0 {
			set, want = "main.plant", planted
		}
		found, err := g.Retained(heapgraph.Set{Name: set})
		check(err)
		got := found.Sets[0].Objects
		must(got == want, "%s: %d objects are retained, want %d: %+v", set, got, want, found)
	}
}

func writeGraph(*rand.Rand) func() {
	return func() {
		if g := takeGraph(); g != nil {
			live := g.Dominators().Live()
			must(live.Objects > planted, "a graph of %d objects", live.Objects)
		}
	}
}

// takeGraph takes a snapshot. It returns nil if another one is being written.
func takeGraph() *heapgraph.Graph {
	var b bytes.Buffer
	_, err := new(pprof.HeapGraph).Write(&b)
	if errors.Is(err, pprof.ErrHeapGraphBusy) {
		return nil
	}
	check(err)
	f, err := heapgraph.NewFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	check(err)
	g, err := f.Graph(nil)
	check(err)
	return g
}
