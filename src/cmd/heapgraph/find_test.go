// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"internal/heapgraph"
	"strings"
	"testing"
)

// TestFind gives objects in the ways in which other commands print them.
func TestFind(t *testing.T) {
	name := (&server{sessions: 100}).file(t)
	for _, test := range []struct {
		object string
		want   []string
	}{
		{"*app.Sess", []string{"object: []*app.Session 0x0"}}, // no regular expression
		{"[]*app.Session", []string{"object: []*app.Session 0x0"}},
		{"[]*app.Session 0x0", []string{"object: []*app.Session 0x0"}},
		{"^app.[CS]", []string{"101 objects have a type"}},
		{"^app.[CS]", []string{"2 types match:", "100 objects app.Session", "1 objects app.Config"}},
		{"app.sessions", []string{"object: app.sessions", "size: 0B"}},
		{"goroutine app.serve", []string{"This is a root: it is live because of what it is."}},
	} {
		got := output(t, "why", name, test.object)
		for _, line := range test.want {
			if !contains(got, line) {
				t.Errorf("why %q printed\n%s\nwant a line that begins with %q", test.object, got, line)
			}
		}
	}
}

// TestFindArray gives a type of which there are only arrays, and which a larger
// object has in its name.
func TestFindArray(t *testing.T) {
	var b bytes.Buffer
	s := &server{w: heapgraph.NewWriter(&b), strings: make(map[string]uint64)}
	s.w.Meta("pointer.size", "8")
	root := s.node(0, heapgraph.FirstClass, "app.a", "", 0)
	array, table := s.node(root, 0, "app.a.p *T", "[]app.T", 0), s.node(root, 0, "app.a.m map[int]T", "map[int]app.T", 0)
	small, large := s.span(1, 64), s.span(1, 128)
	s.w.Claims([]heapgraph.Pair{{Addr: small(0), Value: array}, {Addr: large(0), Value: table}})
	s.w.RootRef(heapgraph.RootRef{Node: root, Target: small(0)})
	s.w.RootRef(heapgraph.RootRef{Node: root, Target: large(0)})
	if err := s.w.Close(); err != nil {
		t.Fatal(err)
	}
	name := writeTemp(t, b.Bytes())
	for arg, want := range map[string]string{"app.T": "object: []app.T 0x0", "app.T$": "object: map[int]app.T 0x2000"} {
		if got := output(t, "object", name, arg); !contains(got, want) {
			t.Errorf("object %s printed\n%s\nwant %s", arg, got, want)
		}
	}
}

// contains reports whether a line of text begins with words, whatever the space
// between the words.
func contains(text, words string) bool {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.Join(strings.Fields(line), " "), words) {
			return true
		}
	}
	return false
}
