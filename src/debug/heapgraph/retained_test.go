// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph_test

import (
	. "debug/heapgraph"
	format "internal/heapgraph"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestRetainedOwners checks references of ROOTREFS that objects have: those in
// the part of a pool, which is of the second class, and those of a cleanup whose
// object was not marked when it was followed. The pool is in a variable, and
// its part is reached from there alone.
func TestRetainedOwners(t *testing.T) {
	for _, test := range []struct {
		name        string
		owners      bool // the file has OWNERS
		live        bool // the object that has the cleanup
		set         string
		want, later int64
	}{
		{"pool", true, false, "main.pool", 3, 1},
		{"part of the pool", true, false, "sync.poolLocal", 3, 1},
		{"item", true, false, "main.item", 2, 1},
		{"item without owners", false, false, "main.item", 1, 1},
		{"variable", true, false, "main.other", 1, 1},
		{"argument of a live object", true, true, "main.other", 1, 1},
		{"argument of an object outside", true, true, "main.pool", 3, 0},
		{"holder of an item in the pool", true, false, "main.holder", 2, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := new(snapshot)
			pool := s.root(format.FirstClass, "main.pool")
			part := s.node(pool, "sync.Pool.local", "sync.poolLocal", s.typ("sync.poolLocal", 128))
			s.nodes[part-1].Class = format.SecondClass
			item := s.node(part, "sync.poolLocal.private any(*item)", "main.item", s.typ("main.item", 64, format.Field{Name: s.str("p"), Type: s.typ("*main.leaf", 8)}))
			leaf := s.node(item, "main.item.p *leaf", "main.leaf", s.typ("main.leaf", 32))
			other := s.root(format.FirstClass, "main.other")
			cleanup := s.root(format.FirstClass, "(cleanup) main.f")
			argument := s.node(cleanup, "(argument) *main.arg", "main.arg", s.typ("main.arg", 16))
			at := s.span(10, 16)
			object := func(i int) uint64 { return at + uint64(i)*16 }
			for i, n := range []uint64{part, item, leaf, other, argument} {
				if i != 3 || test.live || test.set == "main.other" {
					s.claim(object(i), n)
				}
			}
			s.rootRef(0, pool, object(0))
			s.rootRef(0, part, object(1))
			s.rootRef(0, item, object(2)) // of the second class, as the part
			if test.live || test.set == "main.other" {
				s.rootRef(0, other, object(3))
			}
			s.rootRef(0, argument, object(4))
			if test.set == "main.holder" {
				s.rootRef(0, s.root(format.FirstClass, test.set), object(1))
				s.ref(object(1), object(2))
			}
			if test.owners {
				s.owners = append(s.owners,
					format.Special{Object: object(0), Node: part, Target: object(1)},
					format.Special{Object: object(1), Node: item, Target: object(2)},
					format.Special{Object: object(3), Node: argument, Target: object(4)})
			}
			f, err := open(s.encode(t))
			if err != nil {
				t.Fatal(err)
			}
			g, err := f.Graph(nil)
			if err != nil {
				t.Fatal(err)
			}
			r, err := g.Retained(Set{Name: test.set})
			if err != nil {
				t.Fatal(err)
			}
			if got, later := r.Sets[0].Objects, r.FreedLater.Objects; got != test.want || later != test.later {
				t.Errorf("%d objects are retained and %d freed later, want %d and %d: %+v", got, later, test.want, test.later, r)
			}
		})
	}
}

// TestRetainedModel compares what the sets of variables and of types retain with
// what is lost if the vertices are cut out of random graphs without specials.
func TestRetainedModel(t *testing.T) {
	for seed := range seeds(200) {
		m := randomModel(rand.New(rand.NewPCG(seed, 2)), 60)
		m.dropSpecials()
		m.read(t)
		sets := make(map[string][]string)
		for _, name := range m.names[1:] {
			if typ, ok := m.typ[name]; ok {
				sets[typ] = append(sets[typ], name)
			} else if !strings.HasPrefix(name, "goroutine ") {
				sets[name] = []string{name}
			}
		}
		reached := m.sum(m.reached())
		for _, set := range slices.Sorted(maps.Keys(sets)) {
			r, err := m.g.Retained(Set{Name: set})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if got, want := r.Sets[0].Amount, reached.Sub(m.sum(m.reached(sets[set]...))); got != want {
				t.Errorf("seed %d: %s retains %v, want %v: %+v", seed, set, got, want, r)
			}
		}
	}
}

// BenchmarkRetained reads a graph and measures what sets retain.
//
//	go test -run=NONE -bench=Retained -benchtime=1x -graph=/tmp/graph -objects=5000000 debug/heapgraph
func BenchmarkRetained(b *testing.B) {
	name := benchGraph(b)
	for b.Loop() {
		start := time.Now()
		f, err := Open(name)
		if err != nil {
			b.Fatal(err)
		}
		g, err := f.Graph(nil)
		if err != nil {
			b.Fatal(err)
		}
		f.Close()
		b.ReportMetric(time.Since(start).Seconds(), "read-s")
		for _, set := range []string{"main.T1", "main.T2.next", "main.tree"} {
			start := time.Now()
			r, err := g.Retained(Set{Name: set})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(time.Since(start).Seconds(), set+"-s")
			b.Logf("%s retains %v, %d paths", set, r.Sets[0].Amount, len(r.Sets[0].Paths))
		}
	}
}
