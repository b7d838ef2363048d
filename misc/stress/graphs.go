// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These workers measure retained sizes, and write heap graphs. The plants
// (plants.go) are in one variable, and nothing else refers to them, except each
// to itself. Therefore the variable and their type retain all of them, whatever
// other workers do. Builds with -tags upstream do not have these workers.

//go:build !upstream

package main

import (
	"bytes"
	"debug/heapgraph"
	"errors"
	"io"
	"math/rand/v2"
	"runtime/pprof"
)

var graphers = []worker{
	{"sets", 1, long, measureSets},
	{"retained", 1, 5 * long, profileRetained},
	{"heapgraph", 1, 5 * long, writeGraph},
}

func measureSets(r *rand.Rand) func() {
	known := pprof.Retained{Sets: []string{"main.plants"}}
	return func() {
		set, want := &known, int64(planted+1)
		switch r.IntN(3) {
		case 0:
			set = &pprof.Retained{Sets: []string{"main.plants"}}
		case 1:
			set, want = &pprof.Retained{Sets: []string{"main.plant"}}, planted
		}
		stats, err := set.Write(io.Discard, r.IntN(2))
		if errors.Is(err, pprof.ErrRetainedBusy) {
			return
		}
		check(err)
		must(stats.Sets[0].Objects == want, "%v: %d objects are retained, want %d: %+v", set.Sets, stats.Sets[0].Objects, want, stats)
	}
}

func profileRetained(*rand.Rand) func() {
	return func() {
		var b bytes.Buffer
		err := (&pprof.RetainedProfile{MemoryLimit: 1 << 30}).Write(&b)
		if errors.Is(err, pprof.ErrHeapGraphBusy) {
			return
		}
		check(err)
		parse(b.Bytes())
	}
}

func writeGraph(*rand.Rand) func() {
	return func() {
		var b bytes.Buffer
		_, err := new(pprof.HeapGraph).Write(&b)
		if errors.Is(err, pprof.ErrHeapGraphBusy) {
			return
		}
		check(err)
		f, err := heapgraph.NewFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
		check(err)
		g, err := f.Graph(nil)
		check(err)
		live := g.Dominators().Live()
		must(live.Objects > planted, "a graph of %d objects", live.Objects)
	}
}
