// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph_test

import (
	. "debug/heapgraph"
	format "internal/heapgraph"
	"maps"
	"slices"
	"strings"
	"testing"
)

// crowd returns a snapshot in which each of the functions began a goroutine that
// holds an object.
func crowd(functions ...string) *snapshot {
	s := new(snapshot)
	local := s.node(s.root(format.FirstClass, "(stack)"), "x", "T", 0)
	objects := s.span(uint64(len(functions)), 1)
	for i, f := range functions {
		object := objects + uint64(i)
		s.claim(object, local)
		s.rootRef(s.goroutine(f), local, object)
	}
	return s
}

// creator adds where a goroutine was started.
func (s *snapshot) creator(goroutine uint64, function, file string, line uint64) {
	s.creators = append(s.creators, format.Creator{Goroutine: goroutine, Func: s.str(function), File: s.str(file), Line: line})
}

// TestCreators checks the creators of goroutines, of roots that are several
// goroutines, and of groups of objects.
func TestCreators(t *testing.T) {
	s := crowd("f", "f", "f", "f", "g", "h")
	s.creator(1, "main.start", "/main.go", 1)
	s.creator(2, "main.start", "/main.go", 2)
	s.creator(4, "main.start", "/main.go", 1)
	s.creator(5, "main.stop", "", 0)
	one, two, stop := Creator{"main.start", "/main.go", 1}, Creator{"main.start", "/main.go", 2}, Creator{Func: "main.stop"}
	each := []Creator{one, two, {}, one, stop, {}}
	g := s.graph(t, nil)
	for i, want := range each {
		v := Vertex(i + 1)
		if got := g.Creator(v); got != want || g.Goroutines(v)[0].Creator != want {
			t.Errorf("goroutine %d: creator %v, %v, want %v", i+1, got, g.Goroutines(v), want)
		}
	}
	if c := g.Creator(All); c != (Creator{}) {
		t.Errorf("All has the creator %v", c)
	}
	list := g.Holdings(func(Vertex) bool { return true })
	want := []string{"goroutine f main.start at /main.go:1 2", "goroutine f  1", "goroutine f main.start at /main.go:2 1", "goroutine g main.stop 1", "goroutine h  1"}
	var got []string
	for _, h := range list {
		got = append(got, h.Root+" "+h.Creator.String()+" "+itoa(int(h.Objects)))
	}
	if !slices.Equal(got, want) {
		t.Errorf("holdings %q, want %q", got, want)
	}
	g = s.graph(t, &Options{ByFunc: true})
	byFunc := make(map[string]Creator)
	for v := range Vertex(g.NumVertices()) {
		if g.Kind(v) == KindGoroutine {
			byFunc[g.Name(v)] = g.Creator(v)
		}
	}
	if want := map[string]Creator{"goroutine f": {}, "goroutine g": stop, "goroutine h": {}}; !maps.Equal(byFunc, want) {
		t.Errorf("by function: %v, want %v", byFunc, want)
	}
}

// TestBadCreators checks that creators with wrong numbers are refused.
func TestBadCreators(t *testing.T) {
	for _, c := range []format.Creator{{Goroutine: 3}, {Func: 1 << 20}, {File: 1 << 20}, {Line: 1 << 31}, {Goroutine: 1 << 63}} {
		s := crowd("f", "f")
		s.creators = []format.Creator{c}
		if _, err := open(s.encode(t)); err == nil || !strings.Contains(err.Error(), "CREATORS") {
			t.Errorf("%v: error %v", c, err)
		}
	}
}

// TestWaits checks for how many minutes goroutines have waited.
func TestWaits(t *testing.T) {
	s := crowd("f", "f", "g")
	s.waits = []format.Wait{{Goroutine: 2, Minutes: 61}, {Goroutine: 3, Minutes: 1<<31 - 1}}
	g := s.graph(t, nil)
	for i, want := range []int{0, 61, 1<<31 - 1} {
		if got := g.Goroutines(Vertex(i + 1))[0].Minutes; got != want {
			t.Errorf("goroutine %d has waited %d minutes, want %d", i+1, got, want)
		}
	}
	for _, w := range []format.Wait{{Goroutine: 4}, {Goroutine: 1 << 63}, {Minutes: 1 << 31}} {
		s.waits = []format.Wait{w}
		if _, err := open(s.encode(t)); err == nil || !strings.Contains(err.Error(), "WAITS") {
			t.Errorf("%v: error %v", w, err)
		}
	}
}

// TestRequest checks that all goroutines that took the snapshot for a request
// are one root, which alone holds what only they hold.
func TestRequest(t *testing.T) {
	const request = "(this request)"
	s := crowd(request, "f", request)
	shared := s.span(1, 4)
	s.claim(shared, 2)
	s.rootRef(1, 2, shared)
	s.rootRef(3, 2, shared)
	for _, byFunc := range []bool{false, true} {
		g := s.graph(t, &Options{ByFunc: byFunc})
		v := vertex(t, g, request)
		if n := len(g.Goroutines(v)); n != 2 {
			t.Errorf("the request has %d goroutines, want 2", n)
		}
		if got, want := g.Dominators().Retained(v), (Amount{3, 48}); got != want {
			t.Errorf("the request retains %v, want %v", got, want)
		}
	}
}
