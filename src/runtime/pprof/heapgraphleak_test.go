// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof_test

import (
	"debug/heapgraph"
	"fmt"
	. "runtime/pprof"
	"strings"
	"testing"
)

// graphLeakBytes is the number of bytes that each of the leaks below retains.
const graphLeakBytes = 16 << 20

type (
	graphBus      struct{ listeners map[int]*graphListener }
	graphListener struct{ buffer []byte }
	graphCache    struct{ entries map[string]*graphEntry }
	graphEntry    struct {
		older *graphEntry
		value [1000]byte
	}
	graphRequest struct{ body []byte }
)

var (
	graphEvents *graphBus
	graphPages  *graphCache
)

// leakListeners leaves listeners in a bus.
func leakListeners() (free func()) {
	graphEvents = &graphBus{listeners: make(map[int]*graphListener)}
	for i := range graphLeakBytes / 4096 {
		graphEvents.listeners[i] = &graphListener{make([]byte, 4096)}
	}
	return func() { graphEvents = nil }
}

// leakCache fills a cache that has no bound. Its entries are a list, too.
func leakCache() (free func()) {
	graphPages = &graphCache{entries: make(map[string]*graphEntry)}
	var last *graphEntry
	for i := range graphLeakBytes / 1024 {
		last = &graphEntry{older: last}
		graphPages.entries[fmt.Sprint(i)] = last
	}
	return func() { graphPages = nil }
}

// leakGoroutine leaves a goroutine that waits with requests that it has read.
func leakGoroutine() (free func()) {
	wait, waits := make(chan bool), make(chan bool)
	go graphHang(wait, waits)
	<-waits
	return func() { close(wait); <-waits }
}

func graphHang(wait, waits chan bool) {
	defer close(waits)
	var requests []*graphRequest
	for range graphLeakBytes / 8192 {
		requests = append(requests, &graphRequest{make([]byte, 8192)})
	}
	waits <- true
	<-wait
	for _, r := range requests {
		r.body[0]++
	}
}

// The parts of a server that leaks nothing.
var graphPart1, graphPart2, graphPart3, graphPart4, graphPart5, graphPart6,
	graphPart7, graphPart8, graphPart9, graphPart10, graphPart11, graphPart12 *[graphLeakBytes / 8]byte

// leakNothing fills twelve parts of the same size.
func leakNothing() (free func()) {
	parts := []**[graphLeakBytes / 8]byte{&graphPart1, &graphPart2, &graphPart3, &graphPart4, &graphPart5, &graphPart6,
		&graphPart7, &graphPart8, &graphPart9, &graphPart10, &graphPart11, &graphPart12}
	for _, p := range parts {
		*p = new([graphLeakBytes / 8]byte)
	}
	return func() {
		for _, p := range parts {
			*p = nil
		}
	}
}

// TestHeapGraphNoSuspect checks that a heap without a leak has no suspect.
func TestHeapGraphNoSuspect(t *testing.T) {
	if !OwnProcess(t) {
		return
	}
	defer leakNothing()()
	g, _ := takeGraph(t, new(HeapGraph))
	suspects, err := g.Dominators().Suspects()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range suspects {
		t.Errorf("suspect %s %q below %s retains %d bytes", g.Name(s.Vertex), s.Class, pathNames(g, s.Path), s.Retained.Bytes)
	}
}

// TestHeapGraphSuspects checks that the first suspect of a snapshot is the
// leak.
func TestHeapGraphSuspects(t *testing.T) {
	if !OwnProcess(t) {
		return
	}
	for _, test := range []struct {
		name string
		leak func() func()
		root string // end of the name of the root
		in   string // name of the objects that have accumulated
	}{
		{"listeners", leakListeners, "pprof_test.graphEvents", "graphListener"},
		{"cache", leakCache, "pprof_test.graphPages", "graphEntry"},
		{"goroutine", leakGoroutine, "goroutine runtime/pprof_test.graphHang", "graphRequest"},
	} {
		t.Run(test.name, func(t *testing.T) {
			free := test.leak()
			defer free()
			g, _ := takeGraph(t, new(HeapGraph))
			suspects, err := g.Dominators().Suspects()
			if err != nil || len(suspects) == 0 {
				t.Fatalf("%d suspects, error %v", len(suspects), err)
			}
			s := suspects[0]
			if len(s.Path) < 2 || !strings.HasSuffix(g.Name(s.Path[1]), test.root) {
				t.Errorf("the first suspect is %s below %s, want one below %s", g.Name(s.Vertex), pathNames(g, s.Path), test.root)
			}
			if s.Retained.Bytes < graphLeakBytes || s.Retained.Bytes > graphLeakBytes*3/2 {
				t.Errorf("the first suspect retains %d bytes, want %d and some more", s.Retained.Bytes, graphLeakBytes)
			}
			if len(s.Children) == 0 || !strings.Contains(s.Children[0].Name, test.in) {
				t.Errorf("accumulated are %+v, want %s", s.Children, test.in)
			}
		})
	}
}

func pathNames(g *heapgraph.Graph, path []heapgraph.Vertex) string {
	var names []string
	for _, v := range path {
		names = append(names, g.Name(v))
	}
	return strings.Join(names, " > ")
}
