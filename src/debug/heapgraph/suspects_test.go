// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph_test

import (
	. "debug/heapgraph"
	format "internal/heapgraph"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A program is a snapshot of a server with 12 tables, each of which has 200
// entries, and with goroutines. All entries refer to one object, which refers
// to another.
type program struct {
	snapshot
	nodes map[string]uint64
	free  map[uint64][2]uint64 // by size of slots: the next slot, and the address after the last one
}

const (
	parts   = 12
	entries = 200
)

func newProgram() *program {
	p := &program{nodes: make(map[string]uint64), free: make(map[uint64][2]uint64)}
	conf := p.object("app.Config", 16)
	p.ref(conf, p.object("[]uint8", 32))
	server := p.object("app.Server", 64)
	p.variable("app.server", server)
	for i := range parts {
		table := p.object("[]*app.Entry"+itoa(i), 256)
		p.ref(server+uint64(i), table)
		if i%2 == 0 {
			p.variable("app.part"+itoa(i), table)
		}
		for k := range entries {
			e := p.entry("app.Entry" + itoa(i))
			p.ref(table+uint64(k), e)
			p.ref(e+2, conf)
		}
		p.worker("app.work", p.object("app.state", 8), conf)
	}
	return p
}

// object adds an object of a type and a size in words.
func (p *program) object(typ string, size uint64) uint64 {
	f := p.free[size]
	if f[0] == f[1] {
		slots := max(1, 1024/size)
		f[0] = p.span(slots, size)
		f[1] = f[0] + slots*size
	}
	a := f[0]
	p.free[size] = [2]uint64{a + size, f[1]}
	if p.nodes[typ] == 0 {
		p.nodes[typ] = p.node(p.top(), typ, typ, 0)
	}
	p.claim(a, p.nodes[typ])
	return a
}

// top returns the root above the nodes of all objects.
func (p *program) top() uint64 {
	if p.nodes[""] == 0 {
		p.nodes[""] = p.root(format.FirstClass, "top")
	}
	return p.nodes[""]
}

// entry adds an object with a value.
func (p *program) entry(typ string) uint64 {
	e := p.object(typ, 4)
	p.ref(e, p.object("[]uint8", 8))
	return e
}

func (p *program) variable(name string, target uint64) {
	p.rootRef(0, p.root(format.FirstClass, name), target)
}

// worker adds a goroutine.
func (p *program) worker(f string, targets ...uint64) {
	g := p.goroutine(f)
	if p.nodes["stack"] == 0 {
		p.nodes["stack"] = p.root(format.FirstClass, "stack")
	}
	for _, a := range targets {
		p.rootRef(g, p.nodes["stack"], a)
	}
}

func (p *program) suspects(t *testing.T) (*Graph, []Suspect) {
	t.Helper()
	g := p.graph(t, nil)
	list, err := g.Dominators().Suspects()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range list {
		for _, c := range x.Children {
			if c.Shallow.Bytes > c.Retained.Bytes || c.Shallow.Objects > c.Retained.Objects {
				t.Errorf("children named %s of %s have %v and retain %v", c.Name, g.Name(x.Vertex), c.Shallow, c.Retained)
			}
		}
	}
	return g, list
}

func TestNoSuspect(t *testing.T) {
	if g, list := newProgram().suspects(t); len(list) != 0 {
		t.Errorf("without a leak, %s is suspected: %v", g.Name(list[0].Vertex), list)
	}
}

// TestLeakedMap has a map that grows, deep in the server.
func TestLeakedMap(t *testing.T) {
	p := newProgram()
	cache := p.object("app.Cache", 8)
	var server uint64
	for _, c := range p.claims {
		if c.Value == p.nodes["app.Server"] {
			server = c.Addr
		}
	}
	p.ref(server+40, cache)
	var tables []uint64
	m := p.object("map", 16)
	p.ref(cache, m)
	for i := range 4 {
		tables = append(tables, p.object("map[table]", 2048))
		p.ref(m+uint64(i), tables[i])
	}
	const leaked = 4000
	for i := range leaked {
		p.ref(tables[i%4]+uint64(i/4), p.entry("app.Leaked"))
	}
	// Objects that have one name, and of which only some accumulate.
	p.ref(m+4, p.object("app.Mixed", 1500))
	p.ref(m+5, p.object("app.Mixed", 8))
	g, list := p.suspects(t)
	if len(list) == 0 {
		t.Fatal("there is no suspect")
	}
	// Each table has a quarter of the map's entries.
	s := list[0]
	if len(list) != 1 || s.Vertex != object(t, g, m) || s.Children[0].Name != "map[table]" || s.Children[0].Shallow.Objects != 4 {
		t.Errorf("%s is suspected, with %v", g.Name(s.Vertex), s.Children)
	}
	if s.Retained.Objects < 2*leaked {
		t.Errorf("suspect retains %v", s.Retained)
	}
	if name := g.Name(s.Path[1]); name != "app.server" {
		t.Errorf("root of the suspect is %s", name)
	}
}

// TestLeakedGoroutines has goroutines that do not end, each of which holds an
// object.
func TestLeakedGoroutines(t *testing.T) {
	p := newProgram()
	for range 3000 {
		p.worker("app.leak", p.entry("app.Request"))
	}
	for _, byFunc := range []bool{false, true} {
		g := p.graph(t, &Options{ByFunc: byFunc})
		list, err := g.Dominators().Suspects()
		if err != nil || len(list) == 0 {
			t.Fatalf("suspects are %v, %v", list, err)
		}
		want := Amount{6000, 3000 * (4 + 8) * 8}
		if s := list[0]; s.Retained != want || s.Class != "goroutine app.leak" && g.Name(s.Vertex) != "goroutine app.leak" {
			t.Errorf("first suspect is %v", s)
		}
		if len(list) > 1 {
			t.Errorf("there are more suspects: %v", list[1:])
		}
	}
}

// TestLeakedList has a list that grows, whose elements are alternately of two
// types.
func TestLeakedList(t *testing.T) {
	p := newProgram()
	head := p.object("app.list", 4)
	p.variable("app.head", head)
	last := head
	const elements = 5000
	for range elements {
		e := p.object("app.element", 4)
		p.ref(last, e)
		v := p.object("app.value", 4)
		p.ref(e+1, v)
		last = v
	}
	g, list := p.suspects(t)
	if len(list) != 1 {
		t.Fatalf("suspects are %v", list)
	}
	s := list[0]
	name := g.Name(s.Vertex)
	if name != "app.element" && name != "app.value" || len(s.Path) > 4 {
		t.Errorf("suspect is %s, below %d", name, len(s.Path))
	}
	if s.Retained.Objects != 2*elements {
		t.Errorf("suspect retains %v", s.Retained)
	}
}

// TestLeakedTree has recursive data in which a heavy vertex has the name of a
// vertex above its parent, and a heavy sibling, before or after it, with more
// recursive data. All of it is one place, whose vertices count once.
func TestLeakedTree(t *testing.T) {
	for _, test := range []struct{ name, sibling, below string }{
		{"sibling first", "app.C", "app.B"},
		{"sibling last", "app.Z", "app.B"},
		{"name of the parent first", "app.C", "app.A"},
		{"name of the parent last", "app.Z", "app.A"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newProgram()
			const size = 20_000 // words; each vertex is heavy by itself
			top, parent := p.object("app.B", size), p.object("app.A", size)
			p.variable("app.top", top)
			p.ref(top, parent)
			sibling := p.object(test.sibling, size)
			again := p.object("app.B", size)
			below := p.object(test.below, size)
			first, second := sibling, again
			if test.sibling == "app.Z" {
				first, second = again, sibling
			}
			p.ref(parent, first)
			p.ref(parent+1, second)
			p.ref(sibling, below)
			g, list := p.suspects(t)
			want := Amount{5, 5 * 8 * size}
			if len(list) != 1 || list[0].Vertex != object(t, g, top) || list[0].Retained != want {
				for _, x := range list {
					t.Errorf("%s is suspected with %v, want %v at %s", g.Name(x.Vertex), x.Retained, want, g.Name(object(t, g, top)))
				}
			}
		})
	}
}

// TestSuspectsOrder has a vertex named B that no vertex named B dominates, and
// checks that its place does not depend on the order of the vertices above it.
func TestSuspectsOrder(t *testing.T) {
	for _, first := range []string{"app.B", "app.C"} {
		p := newProgram()
		const size = 20_000 // words
		top := p.object("app.A", size)
		p.variable("app.top", top)
		var b, c uint64
		if first == "app.B" {
			b, c = p.object("app.B", size), p.object("app.C", size)
		} else {
			c, b = p.object("app.C", size), p.object("app.B", size)
		}
		p.ref(top, min(b, c))
		p.ref(top+1, max(b, c))
		p.ref(b, p.object("app.A", size))
		p.ref(c, p.object("app.B", size))
		g, list := p.suspects(t)
		got := make(map[string]int64)
		for _, x := range list {
			got[g.Name(x.Vertex)] = x.Retained.Bytes / (8 * size)
		}
		if want := map[string]int64{"app.A": 3, "app.B": 1, "app.C": 1}; !maps.Equal(got, want) {
			t.Errorf("with %s first, suspects are %v, want %v", first, got, want)
		}
	}
}

// TestAccumulated checks that the children of a suspect add up to the memory
// that has accumulated, without the size of the vertex itself, if the data is
// recursive by two types and each node has a payload.
func TestAccumulated(t *testing.T) {
	for elements := range 40 {
		p := newProgram()
		var last uint64
		for i := range 1000 + elements {
			e := p.object([]string{"app.A", "app.B"}[i%2], 4)
			p.ref(e, p.object("app.payload", 100))
			if i == 0 {
				p.variable("app.top", e)
			} else {
				p.ref(last+1, e)
			}
			last = e
		}
		g, list := p.suspects(t)
		if len(list) != 1 {
			t.Fatalf("suspects are %v", list)
		}
		n := int64(1000 + elements)
		payload, a, b := Amount{n, 800 * n}, Amount{(n+1)/2 - 1, 32 * ((n+1)/2 - 1)}, Amount{n / 2, 32 * (n / 2)}
		want := []Group{{"app.payload", payload, payload, 0, 0}, {"app.B", b, b, 0, 0}, {"app.A", a, a, 0, 0}}
		got := list[0].Children
		slices.SortFunc(got, func(a, b Group) int { return strings.Compare(b.Name, a.Name) })
		if !reflect.DeepEqual(got, want) || list[0].Retained != (Amount{2 * n, 832 * n}) {
			t.Errorf("%d elements: %s has %v, with %v, want %v", n, g.Name(list[0].Vertex), list[0].Retained, got, want)
		}
	}
}

// TestLeakedBuffer has a single large object.
func TestLeakedBuffer(t *testing.T) {
	p := newProgram()
	p.variable("app.buffer", p.object("[]uint8", 100_000))
	g, list := p.suspects(t)
	if len(list) != 1 || g.Size(list[0].Vertex) != 800_000 {
		t.Errorf("suspects are %v", list)
	}
}

// TestLeakedShared has objects that two variables hold, so that neither
// variable dominates them.
func TestLeakedShared(t *testing.T) {
	p := newProgram()
	a, b := p.object("app.index", 4000), p.object("app.index", 4000)
	p.variable("app.byName", a)
	p.variable("app.byTime", b)
	for i := range 4000 {
		e := p.entry("app.Record")
		p.ref(a+uint64(i), e)
		p.ref(b+uint64(i), e)
	}
	_, list := p.suspects(t)
	if len(list) == 0 || list[0].Class != "app.Record" || list[0].Vertex != All {
		t.Errorf("suspects are %v", list)
	}
}

// TestSuspectsTruncated has a snapshot from which references are missing.
func TestSuspectsTruncated(t *testing.T) {
	s := &snapshot{meta: map[string]string{"truncated": "references", "dropped": "5"}}
	if _, err := s.graph(t, nil).Dominators().Suspects(); err != ErrTruncated {
		t.Errorf("Suspects returned %v", err)
	}
}
