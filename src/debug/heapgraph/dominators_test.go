// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph_test

import (
	"cmp"
	. "debug/heapgraph"
	format "internal/heapgraph"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

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

// TestModelDominators compares dominators, reached vertices and retained sizes
// with the vertices that are reached if one vertex is removed.
func TestModelDominators(t *testing.T) {
	for seed := range seeds(120) {
		m := randomModel(rand.New(rand.NewPCG(seed, 2)), 40)
		vertices := m.read(t)
		d := m.g.Dominators()
		reached := m.reached()
		without := make(map[string]map[string]bool)
		for _, name := range m.names {
			without[name] = m.reached(name)
		}
		first, second := m.sum(m.early), m.sum(m.late)
		total := Amount{}
		for _, n := range m.size {
			total = Amount{total.Objects + 1, total.Bytes + n}
		}
		want := Reach{first, second, total.Sub(first).Sub(second)}
		if got := d.Reach(); got != want {
			t.Fatalf("seed %d: reached is %v, want %v", seed, got, want)
		}
		for _, name := range m.names {
			v := vertices[name]
			if d.Reached(v) != reached[name] {
				t.Fatalf("seed %d: %s is reached: %v", seed, name, d.Reached(v))
			}
			retained := m.sum(reached).Sub(m.sum(without[name]))
			if got := d.Retained(v); got != retained {
				t.Fatalf("seed %d: %s retains %v, want %v", seed, name, got, retained)
			}
			for _, other := range m.names {
				dominates := reached[other] && reached[name] && !without[name][other]
				if got := d.Dominates(v, vertices[other]); got != dominates {
					t.Fatalf("seed %d: %s dominates %s: %v", seed, name, other, got)
				}
			}
			m.checkTree(t, d, v)
		}
	}
}

// checkTree checks the methods that walk through the dominator tree.
func (m *model) checkTree(t *testing.T, d *Dominators, v Vertex) {
	t.Helper()
	path := d.Path(v)
	if !d.Reached(v) {
		if path != nil {
			t.Fatalf("path of %d, which is not reached, is %v", v, path)
		}
		return
	}
	children := slices.Collect(d.Children(v))
	for _, c := range children {
		if u, ok := d.Idom(c); !ok || u != v {
			t.Fatalf("%d is a child of %d, and its immediate dominator is %d", c, v, u)
		}
	}
	for i := 1; i < len(path); i++ {
		if u, ok := d.Idom(path[i]); !ok || u != path[i-1] {
			t.Fatalf("path of %d is %v, and the immediate dominator of %d is %d", v, path, path[i], u)
		}
	}
	if path[0] != All || path[len(path)-1] != v {
		t.Fatalf("path of %d is %v", v, path)
	}
	most := d.Biggest(v, 3)
	slices.SortStableFunc(children, func(a, b Vertex) int { return cmp.Compare(d.Retained(b).Bytes, d.Retained(a).Bytes) })
	if !slices.Equal(most, children[:min(3, len(children))]) {
		t.Fatalf("largest children of %d are %v, want %v", v, most, children)
	}
}

func TestGroups(t *testing.T) {
	d := newServer().graph(t, nil).Dominators()
	const table, config, session, buf, fin = 32768, 32, 64, 96, 16
	all := Amount{5, table + 2*session + buf + fin}
	for name, test := range map[string]struct{ got, want []Group }{
		"types": {d.ByType(), []Group{
			{"[]*app.Session", Amount{1, table}, all, 0, 0},
			{"app.Session", Amount{3, 3 * session}, Amount{5, 3*session + buf + fin}, 0, 0},
			{"[]uint8", Amount{1, buf}, Amount{1, buf}, 0, 0},
			{"(unknown)", Amount{2, 2 * fin}, Amount{2, 2 * fin}, 0, 0},
			{"app.Config", Amount{1, config}, Amount{1, config}, 0, 0},
		}},
		"roots": {d.ByRoot(), []Group{
			{"example.com/app.server", Amount{}, all, 0, 0},
			{"(write barrier)", Amount{}, Amount{1, fin}, 0, 0},
			{"goroutine example.com/app.main (second class)", Amount{}, Amount{}, 0, 0},
			{"goroutine example.com/app.serve", Amount{}, Amount{}, 0, 0},
		}},
		"packages": {d.ByPackage(), []Group{
			{"example.com/app", Amount{6, table + 3*session + config + buf}, Amount{7, table + 3*session + config + buf + fin}, 0, 0},
			{"(no package)", Amount{2, 2 * fin}, Amount{2, 2 * fin}, 0, 0},
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

// TestGroupsOfPaths checks paths with a node that has no element, paths that two
// nodes have, and the package of a reference in an object of an unnamed type.
func TestGroupsOfPaths(t *testing.T) {
	var s snapshot
	object := s.span(4, 4)
	at := func(i uint64) uint64 { return object + 4*i }
	config := s.root(format.FirstClass, "example.com/app.config")
	shown := s.node(config, "", "app.Config", s.typ("example.com/app.Config", 8))
	table := s.node(shown, "example.com/app.Config.table []Handler", "[]app.Handler", s.typ("[]example.com/app.Handler", 8))
	buf := s.node(table, "[]app.Handler[elem]", "[]uint8", 0)
	s.rootRef(0, config, at(0))
	s.claim(at(0), shown)
	s.ref(at(0), at(1))
	s.claim(at(1), buf)
	for i := range uint64(2) { // goroutines with different labels
		stack := s.root(format.FirstClass, "(stack)")
		local := s.node(stack, "example.com/app.serve", "", 0)
		s.rootRef(s.goroutine("example.com/app.serve"), local, at(2+i))
		s.claim(at(2+i), local)
	}
	s.sums = []format.Sum{{Node: shown, Scan: 8, Unused: 5}}
	g := s.graph(t, nil)
	d := g.Dominators()
	one := func(name string, n int64) Group { return Group{name, Amount{n, 32 * n}, Amount{n, 32 * n}, 0, 0} }
	const path = "example.com/app.config > example.com/app.Config.table []Handler > []app.Handler[elem]"
	paths := []Group{{"example.com/app.config", Amount{1, 32}, Amount{2, 64}, 8, 5}, one("(stack) > example.com/app.serve", 2), one(path, 1)}
	got := d.ByPath()
	slices.SortFunc(got, func(a, b Group) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(paths, func(a, b Group) int { return cmp.Compare(a.Name, b.Name) })
	if !reflect.DeepEqual(got, paths) {
		t.Errorf("paths:\ngot  %v\nwant %v", got, paths)
	}
	v, _ := g.Object(int64(8 * at(1)))
	if got := JoinPath(g.Path(v)); got != path {
		t.Errorf("path is %q, want %q", got, path)
	}
	if got, want := d.ByPackage(), []Group{{"example.com/app", Amount{4, 128}, Amount{4, 128}, 8, 5}}; !reflect.DeepEqual(got, want) {
		t.Errorf("packages:\ngot  %v\nwant %v", got, want)
	}
}

// TestPackages has a package whose path ends with a version. The names of its
// variables and functions have %2e in place of the dot, and the names of its
// types have the dot.
func TestPackages(t *testing.T) {
	var s snapshot
	object := s.span(8, 4)
	at := func(i uint64) uint64 { return object + 4*i }
	root := s.root(format.FirstClass, "example.com/yaml%2ev3.root")
	stack := s.root(format.FirstClass, "(stack)")
	inlined := s.node(stack, "main.main", "", 0)
	typ := s.typ("example.com/yaml.v3.Node", 32)
	for i, node := range []uint64{
		s.node(root, "", "yaml.Node", typ),
		s.node(root, "example.com/yaml%2ev3.root []uint8", "[]uint8", 0),
		s.node(s.node(root, "", "yaml.Node", typ), "example.com/yaml.v3.Node.buf []uint8", "[]uint8", 0),
		s.node(s.node(root, "", "[]yaml.Node", s.typ("[]example.com/yaml.v3.Node", 32)), "[]yaml.Node[elem]", "[]uint8", 0),
		s.node(s.node(root, "", "map[string]yaml.Node", s.typ("map[string]example.com/yaml.v3.Node", 0)), "map[string]yaml.Node[value]", "[]uint8", 0),
		s.node(inlined, "example.com/yaml%2ev3.(*Node).Parse.b []uint8", "[]uint8", 0),
		s.node(inlined, "example.com/yaml%252ev3.Walk.main.func1.b []uint8", "[]uint8", 0),
		s.node(root, "example.com/yaml%2ev3.Walk.func1.f func(app.T)", "func(main.f)", 0),
	} {
		s.claim(at(uint64(i)), node)
		s.rootRef(0, root, at(uint64(i)))
	}
	d := s.graph(t, nil).Dominators()
	got := make(map[string]int64)
	for _, x := range d.ByPackage() {
		got[x.Name] = x.Shallow.Objects
	}
	if want := map[string]int64{"example.com/yaml.v3": 8}; !maps.Equal(got, want) {
		t.Errorf("packages have the objects %v, want %v", got, want)
	}
}

// TestModelGroups compares the amount that a type retains with the sum over the
// members that no other member dominates. It compares RetainedBy with the
// amount that is no longer reached if all members are removed.
func TestModelGroups(t *testing.T) {
	for seed := range seeds(100) {
		m := randomModel(rand.New(rand.NewPCG(seed, 3)), 40)
		m.read(t)
		d := m.g.Dominators()
		byType := d.ByType()
		named := d.Group(func(v Vertex) string { return m.g.Type(v) })
		for i, x := range byType {
			var shallow, retained Amount
			from, to := m.g.Objects()
			for v := from; v < to; v++ {
				if !d.Reached(v) || m.g.Type(v) != x.Name {
					continue
				}
				shallow = Amount{shallow.Objects + 1, shallow.Bytes + m.g.Size(v)}
				path := d.Path(v)
				if !slices.ContainsFunc(path[:len(path)-1], func(u Vertex) bool { return m.g.Type(u) == x.Name }) {
					a := d.Retained(v)
					retained = Amount{retained.Objects + a.Objects, retained.Bytes + a.Bytes}
				}
			}
			if x.Shallow != shallow || x.Retained != retained {
				t.Fatalf("seed %d: type is %v, want %v and %v", seed, x, shallow, retained)
			}
			if i > 0 && x.Retained.Bytes > byType[i-1].Retained.Bytes {
				t.Fatalf("seed %d: types are not in order", seed)
			}
			if named[i] != x {
				t.Fatalf("seed %d: Group returned %v, and ByType %v", seed, named[i], x)
			}
			var members []string
			for v, typ := range m.typ {
				if typ == x.Name {
					members = append(members, v)
				}
			}
			exact := m.sum(m.reached()).Sub(m.sum(m.reached(members...)))
			if got := m.g.RetainedBy(func(v Vertex) bool { return m.g.Type(v) == x.Name }); got != exact {
				t.Fatalf("seed %d: %s retains %v together, want %v", seed, x.Name, got, exact)
			}
		}
	}
}
