// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph_test

import (
	"bytes"
	. "debug/heapgraph"
	format "internal/heapgraph"
	"strconv"
	"testing"
)

// A snapshot is a heap graph that a test builds.
type snapshot struct {
	strings    []string
	numbers    map[string]uint64
	types      []format.Type
	nodes      []format.Node
	spans      []format.Span
	refs       []format.Pair
	claims     []format.Pair
	rootRefs   []format.RootRef
	specials   []format.Special
	owners     []format.Special
	sums       []format.Sum
	creators   []format.Creator
	hulls      []format.Hull
	waits      []format.Wait
	goroutines []format.Goroutine
	meta       map[string]string
	batch      int // references of a section, or 0
}

// str returns the number of a string.
func (s *snapshot) str(text string) uint64 {
	if text == "" {
		return 0
	}
	n, ok := s.numbers[text]
	if !ok {
		s.strings = append(s.strings, text)
		n = uint64(len(s.strings))
		if s.numbers == nil {
			s.numbers = make(map[string]uint64)
		}
		s.numbers[text] = n
	}
	return n
}

// typ adds a type.
func (s *snapshot) typ(name string, size uint64, fields ...format.Field) uint64 {
	s.types = append(s.types, format.Type{Name: s.str(name), Size: size, Fields: fields})
	return uint64(len(s.types))
}

// root adds a node that is a root.
func (s *snapshot) root(class uint64, element string) uint64 {
	s.nodes = append(s.nodes, format.Node{Class: class, Element: s.str(element)})
	return uint64(len(s.nodes))
}

// node adds a node that is no root.
func (s *snapshot) node(parent uint64, element, text string, typ uint64) uint64 {
	s.nodes = append(s.nodes, format.Node{Parent: parent, Element: s.str(element), Text: s.str(text), Type: typ})
	return uint64(len(s.nodes))
}

// span adds a span after the other spans, and returns its address. Each of its
// slots has the given size, in words.
func (s *snapshot) span(slots, size uint64) uint64 {
	start := uint64(0)
	for i := range s.spans {
		start = max(start, (s.spans[i].End()+1023)/1024*1024)
	}
	s.spans = append(s.spans, format.Span{Start: start, Slots: slots, SlotSize: size})
	return start
}

// ref adds a reference from a word to a target.
func (s *snapshot) ref(word, target uint64) {
	s.refs = append(s.refs, format.Pair{Addr: word, Value: target})
}

// claim adds a claim.
func (s *snapshot) claim(object, node uint64) {
	s.claims = append(s.claims, format.Pair{Addr: object, Value: node})
}

// rootRef adds a reference from a root to a target.
func (s *snapshot) rootRef(goroutine, node, target uint64) {
	s.rootRefs = append(s.rootRefs, format.RootRef{Goroutine: goroutine, Node: node, Target: target})
}

// goroutine adds a goroutine.
func (s *snapshot) goroutine(f string, labels ...format.Label) uint64 {
	s.goroutines = append(s.goroutines, format.Goroutine{Func: s.str(f), Wait: s.str("select"), Labels: labels})
	return uint64(len(s.goroutines))
}

// encode returns the file.
func (s *snapshot) encode(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	w := format.NewWriter(&b)
	if s.meta["pointer.size"] == "" {
		w.Meta("pointer.size", "8")
	}
	for k, v := range s.meta {
		w.Meta(k, v)
	}
	batch := s.batch
	if batch == 0 {
		batch = 1000
	}
	for i := 0; i < len(s.refs); i += batch {
		w.Refs(append([]format.Pair(nil), s.refs[i:min(i+batch, len(s.refs))]...))
	}
	for i := 0; i < len(s.claims); i += batch {
		w.Claims(append([]format.Pair(nil), s.claims[i:min(i+batch, len(s.claims))]...))
	}
	for _, text := range s.strings {
		w.String(text)
	}
	for i := range s.types {
		w.Type(&s.types[i])
	}
	for i := range s.nodes {
		w.Node(&s.nodes[i])
	}
	for i := range s.spans {
		w.Span(&s.spans[i])
	}
	for _, r := range s.rootRefs {
		w.RootRef(r)
	}
	for _, x := range s.specials {
		w.Special(x)
	}
	for _, x := range s.owners {
		w.Owner(x)
	}
	for _, x := range s.sums {
		w.Sum(x)
	}
	for _, x := range s.creators {
		w.Creator(x)
	}
	for _, x := range s.waits {
		w.Wait(x)
	}
	for _, x := range s.hulls {
		w.Hull(x)
	}
	for i := range s.goroutines {
		w.Goroutine(&s.goroutines[i])
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func itoa(n int) string { return strconv.Itoa(n) }

// open opens a file.
func open(b []byte) (*File, error) { return NewFile(bytes.NewReader(b), int64(len(b))) }
