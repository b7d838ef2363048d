// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"internal/heapgraph"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// A server is a snapshot of a program. Its global variable has a table of
// sessions. Goroutines also refer to the first session. All sessions refer to
// one configuration, and each to a buffer. An object that only the write
// barrier found refers to the configuration, too. An object that refers to the
// second session is not reached.
type server struct {
	sessions   int
	goroutines int    // or 0 for one
	labels     bool   // goroutines have a label
	creators   int    // goroutines were started at so many lines, in turns
	wait       string // what goroutines wait for
	minutes    int    // the second goroutine has waited for so many minutes, the third for twice as many, and so on
	request    int    // number of buffers that the request holds
	unused     int    // unused bytes of each session and each buffer
	resliced   int    // a slice has the sessions from this one on, or 0
	meta       map[string]string
	suffix     string // of all names

	w       *heapgraph.Writer
	strings map[string]uint64
	nodes   uint64
	spans   uint64 // end of the last one, in words
}

// Sizes of the objects in bytes.
const (
	tableSize   = 32768
	sessionSize = 64
	bufSize     = 1024
	confSize    = 32
	foundSize   = 16
	lostSize    = 48
)

// str returns the number of a string.
func (s *server) str(text string) uint64 {
	if text == "" {
		return 0
	}
	text += s.suffix
	n, ok := s.strings[text]
	if !ok {
		n = uint64(len(s.strings) + 1)
		s.strings[text] = n
		s.w.String(text)
	}
	return n
}

// node adds a node.
func (s *server) node(parent, class uint64, element, text string, typ uint64) uint64 {
	s.nodes++
	s.w.Node(&heapgraph.Node{Parent: parent, Class: class, Element: s.str(element), Text: s.str(text), Type: typ})
	return s.nodes
}

// span adds a span of slots of size bytes and returns a function that returns
// the addresses of the objects.
func (s *server) span(slots, size int) func(i int) uint64 {
	start := (s.spans + 1023) / 1024 * 1024
	x := heapgraph.Span{Start: start, Slots: uint64(slots), SlotSize: uint64(size / 8)}
	s.w.Span(&x)
	s.spans = x.End()
	return func(i int) uint64 { return start + uint64(i*size/8) }
}

// encode returns the file.
func (s *server) encode(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	s.w, s.strings, s.nodes, s.spans = heapgraph.NewWriter(&b), make(map[string]uint64), 0, 0
	s.writeMeta()
	s.writeGraph()
	if err := s.w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func (s *server) writeMeta() {
	live := tableSize + s.sessions*(sessionSize+bufSize) + confSize + foundSize + lostSize + s.request*bufSize
	for k, v := range map[string]string{
		"pointer.size": "8", "go.version": "go1.27", "go.os": "plan9", "go.arch": "mips", "main.path": "example.com/app",
		"time": "2026-11-24T10:00:00Z", "live.bytes": strconv.Itoa(live), "live.objects": strconv.Itoa(2*s.sessions + s.request + 4),
	} {
		s.w.Meta(k, v)
	}
	for k, v := range s.meta {
		s.w.Meta(k, v)
	}
}

// writeGraph writes types, nodes, objects and references.
func (s *server) writeGraph() {
	s.w.Type(&heapgraph.Type{Name: s.str("*app.Session"), Size: 8})
	s.w.Type(&heapgraph.Type{Name: s.str("app.Session"), Size: 64, Fields: []heapgraph.Field{
		{Offset: 0, Name: s.str("conf")}, {Offset: 8, Name: s.str("buf")}}})

	variable := s.node(0, heapgraph.FirstClass, "app.sessions", "", 0)
	tables := s.node(variable, 0, "app.sessions []*Session", "[]*app.Session", 1)
	session := s.node(tables, 0, "[]*app.Session[elem]", "app.Session", 2)
	config := s.node(session, 0, "app.Session.conf *Config", "app.Config", 0)
	buffer := s.node(session, 0, "app.Session.buf []uint8", "[]uint8", 0)
	stack := s.node(0, heapgraph.FirstClass, "(stack)", "", 0)
	local := s.node(stack, 0, "app.serve.s *Session", "app.Session", 2)
	barrier := s.node(0, heapgraph.SecondClass, "(write barrier)", "", 0)

	table, conf := s.span(1, tableSize), s.span(2, confSize)
	objects, bufs := s.span(200, sessionSize), s.span(200, bufSize)
	found, lost := s.span(1, foundSize), s.span(1, lostSize)
	refs := []heapgraph.Pair{{Addr: found(0), Value: conf(0)}, {Addr: lost(0), Value: objects(1)}}
	claims := []heapgraph.Pair{{Addr: table(0), Value: tables}, {Addr: conf(0), Value: config}}
	for i := range s.sessions {
		refs = append(refs, heapgraph.Pair{Addr: table(0) + uint64(i), Value: objects(i)},
			heapgraph.Pair{Addr: objects(i), Value: conf(0)}, heapgraph.Pair{Addr: objects(i) + 1, Value: bufs(i)})
		claims = append(claims, heapgraph.Pair{Addr: objects(i), Value: session}, heapgraph.Pair{Addr: bufs(i), Value: buffer})
	}
	s.w.Refs(refs)
	s.w.Claims(claims)
	if s.unused > 0 {
		s.w.Sum(heapgraph.Sum{Node: session, Unused: uint64(s.sessions * s.unused)})
		s.w.Sum(heapgraph.Sum{Node: buffer, Unused: uint64(s.sessions * s.unused)})
	}
	if s.resliced > 0 {
		s.w.Hull(heapgraph.Hull{Object: table(0), First: uint64(8 * s.resliced), End: uint64(8 * s.sessions)})
	}
	s.w.RootRef(heapgraph.RootRef{Node: variable, Target: table(0)})
	for i := range max(1, s.goroutines) {
		g := heapgraph.Goroutine{Func: s.str("app.serve"), Wait: s.str(s.wait)}
		if s.labels {
			g.Labels = []heapgraph.Label{{Key: s.str("tenant"), Value: s.str("blue")}}
		}
		n := s.w.Goroutine(&g)
		if s.creators > 0 {
			s.w.Creator(heapgraph.Creator{Goroutine: n, Func: s.str("app.start"), File: s.str("/src/app.go"), Line: uint64(10 + i%s.creators)})
		}
		if s.minutes*i > 0 {
			s.w.Wait(heapgraph.Wait{Goroutine: n, Minutes: uint64(s.minutes * i)})
		}
		s.w.RootRef(heapgraph.RootRef{Node: local, Goroutine: n, Target: objects(0)})
	}
	s.w.RootRef(heapgraph.RootRef{Node: barrier, Target: found(0)})
	if s.request > 0 {
		s.writeRequest(stack)
	}
}

// writeRequest writes the goroutine of the request for the snapshot, and its
// buffers: a list, each of which refers to the next.
func (s *server) writeRequest(stack uint64) {
	local := s.node(stack, 0, "app.write.b []uint8", "[]uint8", 0)
	bufs := s.span(s.request, bufSize)
	var refs, claims []heapgraph.Pair
	for i := range s.request {
		claims = append(claims, heapgraph.Pair{Addr: bufs(i), Value: local})
		if i > 0 {
			refs = append(refs, heapgraph.Pair{Addr: bufs(i - 1), Value: bufs(i)})
		}
	}
	s.w.Refs(refs)
	s.w.Claims(claims)
	n := s.w.Goroutine(&heapgraph.Goroutine{Func: s.str("(this request)")})
	s.w.RootRef(heapgraph.RootRef{Node: local, Goroutine: n, Target: bufs(0)})
}

// file writes the file and returns its name.
func (s *server) file(t *testing.T) string {
	t.Helper()
	return writeTemp(t, s.encode(t))
}

func writeTemp(t *testing.T, b []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "heap.graph")
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}
