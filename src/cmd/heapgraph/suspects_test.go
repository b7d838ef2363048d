// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"internal/heapgraph"
	"internal/testenv"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// spread returns a snapshot of n variables, each of which has an object.
func spread(t testing.TB, n int, name func(i int) string) []byte {
	t.Helper()
	var b bytes.Buffer
	s := &server{w: heapgraph.NewWriter(&b), strings: make(map[string]uint64)}
	s.w.Meta("pointer.size", "8")
	for len := 0; n > 0; n -= len {
		len = min(n, 1000)
		objects := s.span(len, 64)
		for i := range len {
			root := s.node(0, heapgraph.FirstClass, name(int(s.nodes)), "", 0)
			s.w.RootRef(heapgraph.RootRef{Node: root, Target: objects(i)})
		}
	}
	if err := s.w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// newList begins a snapshot of a list in the variable app.list. It returns the
// recorder's nodes of the variable, of the list's elements and of their payloads.
func newList(w io.Writer) (s *server, root, node, payload uint64) {
	s = &server{w: heapgraph.NewWriter(w), strings: make(map[string]uint64)}
	s.w.Meta("pointer.size", "8")
	root = s.node(0, heapgraph.FirstClass, "app.list", "", 0)
	node = s.node(root, 0, "app.list *Node", "app.Node", 0)
	payload = s.node(node, 0, "app.Node.v []uint8", "[]uint8", 0)
	return s, root, node, payload
}

// list returns a snapshot of a list of n nodes, each of which has a payload.
func list(t testing.TB, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	s, root, node, payload := newList(&b)
	nodes, payloads := s.span(n, 16), s.span(n, 96)
	var refs, claims []heapgraph.Pair
	for i := range n {
		claims = append(claims, heapgraph.Pair{Addr: nodes(i), Value: node}, heapgraph.Pair{Addr: payloads(i), Value: payload})
		refs = append(refs, heapgraph.Pair{Addr: nodes(i) + 1, Value: payloads(i)})
		if i > 0 {
			refs = append(refs, heapgraph.Pair{Addr: nodes(i - 1), Value: nodes(i)})
		}
	}
	s.w.Refs(refs)
	s.w.Claims(claims)
	s.w.RootRef(heapgraph.RootRef{Node: root, Target: nodes(0)})
	if err := s.w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// mixed returns a snapshot of a list of n nodes. Every second node has the type
// app.Node, and the others have three types in turn.
func mixed(t testing.TB, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	s, root, node, _ := newList(&b)
	kinds := []uint64{node, 0, node, 0, node, 0}
	for i := 1; i < len(kinds); i += 2 {
		kinds[i] = s.node(node, 0, "app.Node.next", "app.Link"+strconv.Itoa(i), 0)
	}
	nodes := s.span(n, 16)
	var refs, claims []heapgraph.Pair
	for i := range n {
		claims = append(claims, heapgraph.Pair{Addr: nodes(i), Value: kinds[i%len(kinds)]})
		if i > 0 {
			refs = append(refs, heapgraph.Pair{Addr: nodes(i - 1), Value: nodes(i)})
		}
	}
	s.w.Refs(refs)
	s.w.Claims(claims)
	s.w.RootRef(heapgraph.RootRef{Node: root, Target: nodes(0)})
	if err := s.w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestSuspects(t *testing.T) {
	checkLines(t, output(t, "suspects", "-bytes", (&server{sessions: 100}).file(t)),
		"Suspect 1: 140480 (99.2%) in 199 objects at []*app.Session 0x0",
		"dominators, from the root on",
		"retained share objects vertex (reference to it from the one above)",
		"140480 99.2% 199 app.sessions",
		"140480 99.2% 199 []*app.Session 0x0",
		"what has accumulated",
		"retained share number name",
		"107712 76.0% 99 app.Session",
		"")
}

func TestNoSuspects(t *testing.T) {
	checkLines(t, output(t, "suspects", writeTemp(t, spread(t, 20, func(i int) string { return "app.v" + strconv.Itoa(i) }))),
		"There are no leak suspects: no place has accumulated more than a tenth of the reached bytes.")
}

// TestClass checks suspects that consist of roots with the same name: two, each
// of which alone holds half of the heap, and many.
func TestClass(t *testing.T) {
	for _, n := range []int{2, 20} {
		number, bytes := strconv.Itoa(n), strconv.Itoa(64*n)
		checkLines(t, output(t, "suspects", "-bytes", writeTemp(t, spread(t, n, func(int) string { return "app.v" }))),
			"Suspect 1: "+bytes+" (100.0%) in "+number+" objects at "+number+" objects or roots that have no common dominator: app.v",
			"what has accumulated",
			"retained share number name",
			bytes+" 100.0% "+number+" (unknown)")
	}
}

// TestClassWithHeavy checks a class of roots beside one root of the same name
// that alone retains more than a tenth. That root is a suspect of its own.
func TestClassWithHeavy(t *testing.T) {
	var b bytes.Buffer
	s := &server{w: heapgraph.NewWriter(&b), strings: make(map[string]uint64)}
	s.w.Meta("pointer.size", "8")
	heavy, light := s.span(1, 1280), s.span(20, 64)
	for i := range 21 {
		target := heavy(0)
		if i > 0 {
			target = light(i - 1)
		}
		s.w.RootRef(heapgraph.RootRef{Node: s.node(0, heapgraph.FirstClass, "app.v", "", 0), Target: target})
	}
	if err := s.w.Close(); err != nil {
		t.Fatal(err)
	}
	out := output(t, "suspects", "-bytes", writeTemp(t, b.Bytes()))
	for _, want := range []string{
		"1280 (50.0%) in 20 objects at 20 objects or roots that have no common dominator: app.v",
		"1280 (50.0%) in 1 object at ",
		"    1280  50.0%        20  (unknown)",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("suspects printed\n%s\nwant %q", out, want)
		}
	}
}

// TestSuspectsTruncated checks that suspects refuses a truncated snapshot.
func TestSuspectsTruncated(t *testing.T) {
	name := (&server{sessions: 100, meta: map[string]string{"truncated": "references", "dropped": "5"}}).file(t)
	status, stdout, stderr := start("suspects", name)
	if status != 1 || stdout != "" || !strings.HasPrefix(stderr, "heapgraph: "+name+": references are missing") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
}

// TestAccumulated checks that the payloads are what has accumulated in a list,
// although most payloads are held by nodes that other nodes hold.
func TestAccumulated(t *testing.T) {
	checkLines(t, output(t, "suspects", "-bytes", writeTemp(t, list(t, 100))),
		"Suspect 1: 11200 (100.0%) in 200 objects at app.Node 0x0",
		"dominators, from the root on",
		"retained share objects vertex (reference to it from the one above)",
		"11200 100.0% 200 app.list",
		"11200 100.0% 200 app.Node 0x0",
		"what has accumulated",
		"retained share number name",
		"9600 85.7% 100 []uint8",
		"1584 14.1% 99 app.Node")
}

// TestAccumulatedSiblings checks that vertices that each retain more than a
// tenth, and share a name, are part of what has accumulated at a vertex that
// also dominates a vertex of its own name.
func TestAccumulatedSiblings(t *testing.T) {
	var b bytes.Buffer
	s, root, node, payload := newList(&b)
	nodes, payloads := s.span(2, 64), s.span(2, 1024)
	s.w.Refs([]heapgraph.Pair{
		{Addr: nodes(0), Value: nodes(1)},
		{Addr: nodes(0) + 1, Value: payloads(0)},
		{Addr: nodes(0) + 2, Value: payloads(1)},
	})
	s.w.Claims([]heapgraph.Pair{
		{Addr: nodes(0), Value: node}, {Addr: nodes(1), Value: node},
		{Addr: payloads(0), Value: payload}, {Addr: payloads(1), Value: payload},
	})
	s.w.RootRef(heapgraph.RootRef{Node: root, Target: nodes(0)})
	if err := s.w.Close(); err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(output(t, "suspects", "-bytes", writeTemp(t, b.Bytes())), "what has accumulated\n")
	checkLines(t, text,
		"retained share number name",
		"2048 94.1% 2 []uint8",
		"64 2.9% 1 app.Node")
}

// TestLeak checks that the first suspect of a program with a leak is the leak.
func TestLeak(t *testing.T) {
	testenv.MustHaveGoRun(t)
	name := filepath.Join(t.TempDir(), "heap.graph")
	out, err := testenv.Command(t, testenv.GoToolPath(t), "run", "testdata/leak.go", name).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := output(t, "suspects", name)
	_, text, ok := strings.Cut(text, "Suspect 1: ")
	text, _, _ = strings.Cut(text, "Suspect 2: ")
	if !ok || !strings.Contains(text, " at map[int]*main.session ") || !strings.Contains(text, "  main.open\n") ||
		!strings.Contains(text, "      8000  main.session\n") {
		t.Errorf("the first suspect is not the leak:\n%s", output(t, "suspects", name))
	}
}
