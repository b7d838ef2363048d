// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph_test

import (
	. "debug/heapgraph"
	"slices"
	"testing"
)

func TestElements(t *testing.T) {
	s := newServer()
	g := s.graph(t, nil)
	at := func(a uint64) Vertex { return object(t, g, a) }
	for _, test := range []struct {
		from, to Vertex
		want     []string
	}{
		{All, 1, nil},
		{1, at(s.table), []string{"example.com/app.server", "example.com/app.server []*Session"}},
		{2, at(s.session[0]), []string{"goroutine example.com/app.serve", "example.com/app.serve", "example.com/app.serve.s *Session"}},
		{at(s.table), at(s.session[2]), []string{"[]*app.Session[elem]"}},
		{at(s.session[0]), at(s.conf), []string{"example.com/app.Session.conf *Config"}},
		{at(s.session[1]), at(s.buf), []string{"example.com/app.Session.bufs[elem].ptr"}}, // the word's own name, not that of the claim
		{at(s.session[2]), at(s.fin), []string{"(cleanup) example.com/app.done"}},
		{at(s.extra), at(s.conf), []string{Unknown}},
	} {
		n := 0
		for _, r := range g.References(test.from) {
			if r.To != test.to {
				continue
			}
			n++
			if got := g.Elements(r); !slices.Equal(got, test.want) {
				t.Errorf("from %s to %s: got %q, want %q", g.Name(test.from), g.Name(test.to), got, test.want)
			}
		}
		if n == 0 {
			t.Errorf("no reference from %s to %s", g.Name(test.from), g.Name(test.to))
		}
	}
}

func TestFullType(t *testing.T) {
	s := newServer()
	g := s.graph(t, nil)
	for address, want := range map[uint64]string{
		s.session[0]: "example.com/app.Session",
		s.table:      "*example.com/app.Session",
		s.buf:        "[]uint8",
		s.extra:      Unknown,
	} {
		if got := g.FullType(object(t, g, address)); got != want {
			t.Errorf("address %#x: %s, want %s", address, got, want)
		}
	}
	if got := g.FullType(1); got != "" {
		t.Errorf("a root has the type %s", got)
	}
}
