// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph_test

import (
	"bytes"
	. "debug/heapgraph"
	"errors"
	format "internal/heapgraph"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestTruncated cuts a file at each byte.
func TestTruncated(t *testing.T) {
	b := newServer().encode(t)
	for n := range b {
		if _, err := read(b[:n], nil); !errors.Is(err, ErrIncomplete) {
			t.Errorf("%d bytes of %d: error is %v", n, len(b), err)
		}
	}
}

// TestFlipped flips each bit of a file, or with -short one of each byte.
func TestFlipped(t *testing.T) {
	b := newServer().encode(t)
	for i := range b {
		for bit := range 8 {
			if testing.Short() && bit != i%8 {
				continue
			}
			c := slices.Clone(b)
			c[i] ^= 1 << bit
			if _, err := read(c, nil); err == nil {
				t.Errorf("byte %d of %d, bit %d: no error", i, len(b), bit)
			}
		}
	}
}

// TestContradictions checks snapshots whose sections contradict each other.
func TestContradictions(t *testing.T) {
	for name, change := range map[string]func(*server){
		"span of a target":         func(s *server) { s.ref(s.conf, 1<<40) },
		"span of a word":           func(s *server) { s.ref(1<<40, s.conf) },
		"target inside of a slot":  func(s *server) { s.ref(s.table, s.conf+1) },
		"claim inside of a slot":   func(s *server) { s.claim(s.conf+5, 1) },
		"claim of no span":         func(s *server) { s.claim(1<<40, 1) },
		"two claims":               func(s *server) { s.claim(s.conf, 2) },
		"same claim twice":         func(s *server) { s.claims = append(s.claims, s.claims[0]) },
		"claim without a node":     func(s *server) { s.claim(s.fin, 0) },
		"claim of an unknown node": func(s *server) { s.claim(s.fin, 1000) },
		"root without a node":      func(s *server) { s.rootRef(0, 0, s.conf) },
		"root of an unknown node":  func(s *server) { s.rootRef(0, 1000, s.conf) },
		"root's unknown goroutine": func(s *server) { s.rootRef(1000, 1, s.conf) },
		"root's target":            func(s *server) { s.rootRef(0, 1, s.conf+1) },
		"special's object":         func(s *server) { s.specials[0].Object++ },
		"special's target":         func(s *server) { s.specials[0].Target++ },
		"special's node":           func(s *server) { s.specials[0].Node = 1000 },
		"overlapping spans":        func(s *server) { s.spans = append(s.spans, s.spans[0]) },
	} {
		s := newServer()
		change(s)
		if _, err := read(s.encode(t), nil); err == nil {
			t.Errorf("%s: no error", name)
		} else if !strings.HasPrefix(err.Error(), "heapgraph: ") {
			t.Errorf("%s: error is %v", name, err)
		}
	}
}

// walk calls methods of a graph. It calls those that take a vertex for all
// vertices.
func walk(g *Graph) {
	d := g.Dominators()
	for v := range Vertex(g.NumVertices()) {
		g.Kind(v)
		g.Name(v)
		g.Path(v)
		g.Goroutines(v)
		g.References(v)
		g.ShortestPath(v)
		g.DisjointPaths(v, 3)
		d.Path(v)
		d.Retained(v)
		d.Biggest(v, 2)
		if u, ok := g.Object(g.Address(v)); g.Kind(v) == KindObject && (!ok || u != v) {
			panic("the address of an object is that of another")
		}
	}
	d.Reach()
	d.ByType()
	d.ByPath()
	d.ByPackage()
	d.ByRoot()
	d.Suspects()
	Diff(d, d)
}

// FuzzRead reads files with any content.
func FuzzRead(f *testing.F) {
	f.Add(newServer().encode(f))
	f.Add((&snapshot{}).encode(f))
	f.Fuzz(func(t *testing.T, b []byte) {
		if g, err := read(b, nil); err == nil {
			walk(g)
		}
	})
}

// FuzzSections reads files whose checksums are right, and whose records are
// made from the fuzzed bytes.
func FuzzSections(f *testing.F) {
	f.Add([]byte{1, 7, 5, 2, 6, 3, 4, 2, 0, 9, 200, 255, 3, 4, 5}, false)
	f.Fuzz(func(t *testing.T, b []byte, byFunc bool) {
		s := new(snapshot)
		next := func() uint64 {
			if len(b) == 0 {
				return 0
			}
			n := uint64(b[0])
			b = b[1:]
			return n
		}
		for len(b) > 0 {
			switch next() % 8 {
			case 0:
				s.span(1+next(), 1+next())
			case 1:
				s.ref(next()*16+next(), next()*8)
			case 2:
				s.claim(next()*8, next()%8)
			case 3:
				s.rootRef(next()%4, next()%8, next()*8)
			case 4:
				s.specials = append(s.specials, format.Special{Object: next() * 8, Node: next() % 8, Target: next() * 8})
			case 5:
				s.typ("t", next(), format.Field{Offset: next(), Type: next() % 4}, format.Field{Offset: 255, Name: 1})
			case 6:
				s.nodes = append(s.nodes, format.Node{Parent: next() % uint64(len(s.nodes)+1), Class: next() % 3, Type: next() % 4})
			case 7:
				s.goroutine("f")
			}
		}
		if g, err := read(s.encode(t), &Options{ByFunc: byFunc}); err == nil {
			walk(g)
		}
	})
}

// TestHostileSizes checks that the memory that reading takes is bounded by the
// size of the file, and not by the numbers in the file.
func TestHostileSizes(t *testing.T) {
	s := new(snapshot)
	root := s.root(format.FirstClass, "x")
	s.spans = []format.Span{{Start: 0, Slots: 1, SlotSize: 1 << 49}, {Start: 1 << 50, Slots: format.MaxSlots, SlotSize: 1 << 40}}
	s.ref(1<<49-1, 1<<50)
	s.ref(1<<50, 0)
	s.rootRef(0, root, 0)
	b := s.encode(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f, err := NewFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	g, err := f.Graph(nil)
	if err != nil {
		t.Fatal(err)
	}
	walk(g)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
}

// TestHostileSpans checks that the sum of all sizes and all addresses, in bytes,
// have room in an int64.
func TestHostileSpans(t *testing.T) {
	const most = format.MaxWords
	for _, test := range []struct {
		name  string
		spans []format.Span
		ok    bool
	}{
		{"one long slot", []format.Span{{Slots: 1, SlotSize: most}}, true},
		{"long slots", []format.Span{{Start: 2 * most, Slots: format.MaxSlots, SlotSize: most / format.MaxSlots}}, true},
		{"slots that are too long", []format.Span{{Slots: format.MaxSlots, SlotSize: 1 << 50}}, false},
		{"a slot that is too long", []format.Span{{Slots: 1, SlotSize: most + 1}}, false},
		{"too long together", []format.Span{{Slots: 1, SlotSize: 1}, {Start: 1, Slots: format.MaxSlots, SlotSize: most / format.MaxSlots}}, false},
		{"too far", []format.Span{{Start: 2*most + 1, Slots: 1, SlotSize: 1}}, false},
	} {
		s := &snapshot{spans: test.spans}
		root := s.root(format.FirstClass, "x")
		for _, x := range test.spans {
			for i := range x.Slots {
				s.rootRef(0, root, x.Start+i*x.SlotSize)
				s.claim(x.Start+i*x.SlotSize, root)
			}
		}
		g, err := read(s.encode(t), nil)
		if (err == nil) != test.ok {
			t.Errorf("%s: error is %v", test.name, err)
		}
		if err != nil {
			continue
		}
		walk(g)
		_, to := g.Objects()
		if bytes := g.Dominators().Retained(All).Bytes; bytes != 8*most || g.Address(to-1) < 0 {
			t.Errorf("%s: %d bytes, and the last at %d", test.name, bytes, g.Address(to-1))
		}
	}
}
