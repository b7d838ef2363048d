// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph_test

import (
	. "debug/heapgraph"
	format "internal/heapgraph"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"
)

// A server is a snapshot of a program with a variable, two goroutines and a
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
	s.ref(s.table+3, s.session[0]) // changed
	s.specials = append(s.specials, format.Special{Object: s.session[2], Node: cleanup, Target: s.fin})

	g1 := s.goroutine("example.com/app.main")
	g2 := s.goroutine("example.com/app.serve", format.Label{Key: s.str("user"), Value: s.str("gopher")})
	g3 := s.goroutine("example.com/app.serve")
	s.rootRef(0, table, s.table)
	s.rootRef(g2, local, s.session[0])
	s.rootRef(g3, local, s.session[0])
	s.rootRef(g1, registers, s.session[2]) // does not count: the table has it
	s.rootRef(0, barrier, s.extra)
	s.ref(s.extra, s.conf) // does not count either
	return s
}

func TestVertices(t *testing.T) {
	s := newServer()
	g := s.graph(t, nil)
	if from, to := g.Objects(); to-from != 8 || int(to) != g.NumVertices() {
		t.Errorf("objects are %d to %d of %d", from, to, g.NumVertices())
	}
	for _, test := range []struct {
		v      Vertex
		kind   Kind
		second bool
		size   int64
		name   string
		path   string
	}{
		{All, KindAll, false, 0, "(all roots)", ""},
		{1, KindRoot, false, 0, "example.com/app.server", "example.com/app.server"},
		{2, KindGoroutine, false, 0, "goroutine example.com/app.serve", ""},
		{3, KindGoroutine, false, 0, "goroutine example.com/app.serve", ""},
		{4, KindRoot, true, 0, "(write barrier)", "(write barrier)"},
		{5, KindGoroutine, true, 0, "goroutine example.com/app.main (second class)", ""},
		{object(t, g, s.session[1]), KindObject, false, 64, "app.Session", "example.com/app.server > example.com/app.server []*Session > []*app.Session[elem]"},
		{object(t, g, s.buf), KindObject, false, 96, "[]uint8", "example.com/app.server > example.com/app.server []*Session > []*app.Session[elem] > example.com/app.Session.bufs [2][]uint8"},
		{object(t, g, s.table), KindObject, false, 32768, "[]*app.Session", "example.com/app.server > example.com/app.server []*Session"},
		{object(t, g, s.extra), KindObject, false, 16, Unknown, ""},
	} {
		if g.Kind(test.v) != test.kind || g.SecondClass(test.v) != test.second || g.Size(test.v) != test.size ||
			g.Name(test.v) != test.name || JoinPath(g.Path(test.v)) != test.path {
			t.Errorf("vertex %d is %v, %v, %d bytes, %q, %q", test.v, g.Kind(test.v), g.SecondClass(test.v),
				g.Size(test.v), g.Name(test.v), JoinPath(g.Path(test.v)))
		}
	}
	want := []Goroutine{{2, "example.com/app.serve", "select", [][2]string{{"user", "gopher"}}}}
	if got := g.Goroutines(2); !reflect.DeepEqual(got, want) {
		t.Errorf("goroutines are %v", got)
	}
	if v, ok := g.Object(int64(s.session[2]+8) * 8); ok {
		t.Errorf("a free slot has vertex %d", v)
	}
}

func TestReferences(t *testing.T) {
	s := newServer()
	g := s.graph(t, nil)
	at := func(a uint64) Vertex { return object(t, g, a) }
	for v, want := range map[Vertex][]Reference{
		2:                {{2, at(s.session[0]), "example.com/app.serve > example.com/app.serve.s *Session", -1, false}},
		at(s.session[0]): {{at(s.session[0]), at(s.conf), "conf", 0, false}},
		at(s.session[1]): {
			{at(s.session[1]), at(s.conf), "conf", 0, false},
			{at(s.session[1]), at(s.buf), "bufs[1].ptr", 32, false},
		},
		at(s.session[2]): {
			{at(s.session[2]), at(s.conf), "conf", 0, false},
			{at(s.session[2]), at(s.fin), "(cleanup) example.com/app.done", -1, false},
		},
		at(s.table): {
			{at(s.table), at(s.session[0]), "[0]", 0, false},
			{at(s.table), at(s.session[0]), "[3]", 24, true},
			{at(s.table), at(s.session[2]), "[6]", 48, false},
			{at(s.table), at(s.session[1]), "[3]", 24, true},
		},
	} {
		if got := g.References(v); !reflect.DeepEqual(got, want) {
			t.Errorf("references from %d:\ngot  %v\nwant %v", v, got, want)
		}
	}
	for v := range Vertex(g.NumVertices()) {
		for _, r := range g.References(v) {
			if n := len(slices.DeleteFunc(g.Referrers(r.To), func(x Reference) bool { return x != r })); n != 1 {
				t.Errorf("%v is %d times in the referrers", r, n)
			}
		}
	}
}

func TestDominators(t *testing.T) {
	s := newServer()
	g := s.graph(t, nil)
	d := g.Dominators()
	at := func(a uint64) Vertex { return object(t, g, a) }
	for _, test := range []struct {
		name     string
		v, idom  Vertex
		retained Amount
	}{
		{"variable", 1, All, Amount{5, 32768 + 64 + 96 + 64 + 16}},
		{"table", at(s.table), 1, Amount{5, 32768 + 64 + 96 + 64 + 16}},
		{"session 0", at(s.session[0]), All, Amount{1, 64}},
		{"session 1", at(s.session[1]), at(s.table), Amount{2, 64 + 96}},
		{"session 2", at(s.session[2]), at(s.table), Amount{2, 64 + 16}},
		{"configuration", at(s.conf), All, Amount{1, 32}},
		{"goroutine", 2, All, Amount{0, 0}},
		{"registers", 5, All, Amount{0, 0}},
		{"barrier", 4, All, Amount{1, 16}},
		{"extra", at(s.extra), 4, Amount{1, 16}},
	} {
		if u, ok := d.Idom(test.v); !ok || u != test.idom {
			t.Errorf("immediate dominator of %s is %d, want %d", test.name, u, test.idom)
		}
		if got := d.Retained(test.v); got != test.retained {
			t.Errorf("%s retains %v, want %v", test.name, got, test.retained)
		}
	}
	want := Reach{First: Amount{7, 32768 + 3*64 + 32 + 96 + 16}, Second: Amount{1, 16}}
	if got := d.Reach(); got != want {
		t.Errorf("reached is %v, want %v", got, want)
	}
	if got := d.Retained(All); got.Bytes != want.First.Bytes+want.Second.Bytes || got.Objects != 8 {
		t.Errorf("all roots retain %v", got)
	}
}

// TestCut checks the vertices that free an object, next to which they are.
func TestCut(t *testing.T) {
	s := newServer()
	g := s.graph(t, nil)
	at := func(a uint64) Vertex { return object(t, g, a) }
	for _, test := range []struct {
		name  string
		v     Vertex
		paths int
		cut   []Vertex
	}{
		{"table", at(s.table), 1, []Vertex{1}},
		{"session 0", at(s.session[0]), 3, []Vertex{2, 3, at(s.table)}},
		{"session 1", at(s.session[1]), 1, []Vertex{at(s.table)}},
		{"buffer", at(s.buf), 1, []Vertex{at(s.session[1])}},
		{"configuration", at(s.conf), 2, []Vertex{at(s.session[0]), at(s.table)}},
	} {
		p := g.DisjointPaths(test.v, 10)
		if len(p.Paths) != test.paths || !slices.Equal(p.Cut, test.cut) || p.More {
			t.Errorf("%s: %d paths, cut %v, want %d and %v", test.name, len(p.Paths), p.Cut, test.paths, test.cut)
		}
	}
}

func TestByFunc(t *testing.T) {
	s := newServer()
	s.rootRef(2, 8, s.session[1])
	s.rootRef(3, 8, s.session[1])
	g := s.graph(t, &Options{ByFunc: true})
	v := vertex(t, g, "goroutine example.com/app.serve")
	if got := g.Goroutines(v); len(got) != 2 || got[0].Number != 2 || got[1].Number != 3 {
		t.Errorf("goroutines are %v", got)
	}
	if n := len(g.References(v)); n != 2 {
		t.Errorf("there are %d references, want 2", n)
	}
}

func TestGroups(t *testing.T) {
	d := newServer().graph(t, nil).Dominators()
	const table, config, session, buf, fin = 32768, 32, 64, 96, 16
	all := Amount{5, table + 2*session + buf + fin}
	for name, test := range map[string]struct{ got, want []Group }{
		"types": {d.ByType(), []Group{
			{"[]*app.Session", Amount{1, table}, all},
			{"app.Session", Amount{3, 3 * session}, Amount{5, 3*session + buf + fin}},
			{"[]uint8", Amount{1, buf}, Amount{1, buf}},
			{"(unknown)", Amount{2, 2 * fin}, Amount{2, 2 * fin}},
			{"app.Config", Amount{1, config}, Amount{1, config}},
		}},
		"roots": {d.ByRoot(), []Group{
			{"example.com/app.server", Amount{}, all},
			{"(write barrier)", Amount{}, Amount{1, fin}},
			{"goroutine example.com/app.main (second class)", Amount{}, Amount{}},
			{"goroutine example.com/app.serve", Amount{}, Amount{}},
		}},
		"packages": {d.ByPackage(), []Group{
			{"example.com/app", Amount{6, table + 3*session + config + buf}, Amount{7, table + 3*session + config + buf + fin}},
			{"(no package)", Amount{2, 2 * fin}, Amount{2, 2 * fin}},
		}},
	} {
		if !reflect.DeepEqual(test.got, test.want) {
			t.Errorf("%s:\ngot  %v\nwant %v", name, test.got, test.want)
		}
	}
	if got := d.ByPath()[1]; got.Name != "example.com/app.server > example.com/app.server []*Session > []*app.Session[elem]" ||
		got.Retained != (Amount{5, 3*session + buf + fin}) {
		t.Errorf("second path is %v", got)
	}
}

func TestMeta(t *testing.T) {
	s := new(snapshot)
	s.meta = map[string]string{
		"go.version": "go1.27", "go.os": "plan9", "go.arch": "386", "pointer.size": "4", "main.path": "example.com/app",
		"time": "2026-11-24T10:00:00.5Z", "gc.cycle": "7", "live.bytes": "100", "live.objects": "10",
		"allocated.bytes": "20", "allocated.objects": "2", "lost.bytes": "30", "lost.objects": "3",
		"truncated": "references", "dropped": "5", "mark.ns": "1000", "memory.bytes": "4096",
	}
	g := s.graph(t, nil)
	want := Meta{GoVersion: "go1.27", OS: "plan9", Arch: "386", PointerSize: 4, MainPath: "example.com/app",
		Time: time.Date(2026, 11, 24, 10, 0, 0, 5e8, time.UTC), Cycle: 7, Live: Amount{10, 100},
		Allocated: Amount{2, 20}, Lost: Amount{3, 30}, Truncated: "references", Dropped: 5,
		MarkTime: 1000, Memory: 4096, Values: s.meta}
	if !reflect.DeepEqual(g.Meta, want) {
		t.Errorf("got  %v\nwant %v", g.Meta, want)
	}
	if _, err := g.Dominators().Suspects(); err != ErrTruncated {
		t.Errorf("Suspects returned %v", err)
	}
	for key, value := range map[string]string{"pointer.size": "2", "live.bytes": "-1", "time": "now", "truncated": "yes", "dropped": "x"} {
		s := snapshot{meta: map[string]string{key: value}}
		if _, err := read(s.encode(t), nil); err == nil {
			t.Errorf("%s %s: no error", key, value)
		}
	}
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
