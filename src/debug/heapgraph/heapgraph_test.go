// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph_test

import (
	. "debug/heapgraph"
	format "internal/heapgraph"
	"os"
	"path/filepath"
	"testing"
)

// A server is a snapshot of a program with a variable, three goroutines and a
// handful of objects.
type server struct {
	snapshot
	session    [3]uint64 // addresses
	conf, buf  uint64
	table      uint64
	fin, extra uint64
}

func newServer() *server {
	s := new(server)
	str := s.typ("string", 16, format.Field{Name: s.str("ptr")})
	conf := s.typ("example.com/app.Config", 32, format.Field{Offset: 16, Name: s.str("name"), Type: str})
	pconf := s.typ("*example.com/app.Config", 8)
	bufs := s.typ("[2][]uint8", 48, format.Field{Name: s.str(format.Elem), Type: 5})
	slice := s.typ("[]uint8", 24, format.Field{Name: s.str("ptr")})
	_ = slice
	session := s.typ("example.com/app.Session", 64,
		format.Field{Offset: 0, Name: s.str("conf"), Type: pconf}, format.Field{Offset: 8, Name: s.str("bufs"), Type: bufs})
	psession := s.typ("*example.com/app.Session", 8)

	variable := s.root(format.FirstClass, "example.com/app.server")
	table := s.node(variable, "example.com/app.server []*Session", "[]*app.Session", psession)
	sess := s.node(table, "[]*app.Session[elem]", "app.Session", session)
	config := s.node(sess, "example.com/app.Session.conf *Config", "app.Config", conf)
	buffer := s.node(sess, "example.com/app.Session.bufs [2][]uint8", "[]uint8", 0)
	stack := s.root(format.FirstClass, "stack")
	frame := s.node(stack, "example.com/app.serve", "", 0)
	local := s.node(frame, "example.com/app.serve.s *Session", "app.Session", session)
	barrier := s.root(format.SecondClass, "(write barrier)")
	registers := s.node(stack, "example.com/app.serve.(registers)", "", 0)
	s.nodes[registers-1].Class = format.SecondClass
	cleanup := s.node(variable, "(cleanup) example.com/app.done", "", 0)

	sessions := s.span(100, 8)
	for i := range s.session {
		s.session[i] = sessions + uint64(i)*8
	}
	s.conf = s.span(10, 4)
	s.buf = s.span(1, 12)
	s.spans[len(s.spans)-1].Skip = 1
	s.table = s.span(1, 4096)
	s.fin = s.span(2, 2)
	s.extra = s.fin + 2

	for i, a := range s.session {
		s.ref(s.table+uint64(i)*3, a)
		s.ref(a, s.conf)
		s.claim(a, sess)
	}
	s.ref(s.session[1]+4, s.buf) // bufs[1]
	s.ref(s.session[1]+4, s.buf)
	s.claim(s.table, table)
	s.claim(s.conf, config)
	s.claim(s.buf, buffer)
	s.ref(s.table+3, s.session[0]) // the word changed during marking
	s.specials = append(s.specials, format.Special{Object: s.session[2], Node: cleanup, Target: s.fin})

	g1 := s.goroutine("example.com/app.main")
	g2 := s.goroutine("example.com/app.serve", format.Label{Key: s.str("user"), Value: s.str("gopher")})
	g3 := s.goroutine("example.com/app.serve")
	s.rootRef(0, table, s.table)
	s.rootRef(g2, local, s.session[0])
	s.rootRef(g3, local, s.session[0])
	s.rootRef(g1, registers, s.session[2]) // does not count, because the table refers to the session
	s.rootRef(0, barrier, s.extra)
	s.ref(s.extra, s.conf) // does not count, because sessions refer to the configuration
	return s
}

func TestOpen(t *testing.T) {
	name := filepath.Join(t.TempDir(), "heap")
	if err := os.WriteFile(name, newServer().encode(t), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Graph(nil); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := Open(name + "x"); err == nil {
		t.Error("a file that does not exist was opened")
	}
}
