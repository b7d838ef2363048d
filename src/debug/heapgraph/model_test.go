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
	"slices"
	"testing"
)

// A model is a random snapshot, and what a reader must find in it, computed
// from the definitions. Its vertices are names: of roots, and of objects their
// addresses.
type model struct {
	snapshot
	g *Graph

	names  []string          // of vertices, All first and objects last
	roots  int               // number of names of roots
	out    map[string][]edge // references, without repeated ones
	second map[string]bool   // roots of the second class
	size   map[string]int64
	typ    map[string]string
	early  map[string]bool // reached from roots of the first class
	late   map[string]bool // reached from others only
}

// An edge is a reference, and the word or node that has it.
type edge struct {
	to    string
	place uint64
}

const all = "all"

func (m *model) addEdge(from, to string, place uint64) {
	if e := (edge{to, place}); !slices.Contains(m.out[from], e) {
		m.out[from] = append(m.out[from], e)
	}
}

func objectName(addr uint64) string { return "object " + itoa(int(addr)) }

// randomModel returns a model of up to n objects.
func randomModel(r *rand.Rand, n int) *model {
	m := &model{out: make(map[string][]edge), second: make(map[string]bool),
		size: make(map[string]int64), typ: make(map[string]string)}
	m.batch = 1 + r.IntN(20)
	objects := m.randomObjects(r, 1+r.IntN(n))
	m.randomRoots(r, objects)
	for range r.IntN(3 * len(objects)) {
		from, to := objects[r.IntN(len(objects))], objects[r.IntN(len(objects))]
		words := uint64(m.size[objectName(from)] / 8)
		word := from + r.Uint64N(words)
		if r.IntN(8) == 0 {
			m.specials = append(m.specials, format.Special{Object: from, Node: 1, Target: to})
			m.addEdge(objectName(from), objectName(to), 1<<62)
			continue
		}
		for range 1 + r.IntN(5)/4 {
			m.ref(word, to)
		}
		m.addEdge(objectName(from), objectName(to), word)
	}
	m.computeReach()
	return m
}

// randomObjects adds spans, some of them long, and claims of objects in them.
func (m *model) randomObjects(r *rand.Rand, n int) (objects []uint64) {
	node := m.root(format.FirstClass, "types")
	var types []uint64
	for i := range 4 {
		name := "p" + itoa(i%2) + ".T" + itoa(i)
		types = append(types, m.node(node, "types."+name, name, 0))
	}
	for len(objects) < n {
		slots, size := 1+r.Uint64N(200), 1+r.Uint64N(12)
		if r.IntN(4) == 0 {
			slots, size = 1+r.Uint64N(3), 1000+r.Uint64N(3000)
		}
		start := m.span(slots, size)
		for range 1 + r.IntN(10) {
			a := start + r.Uint64N(slots)*size
			if slices.Contains(objects, a) {
				continue
			}
			objects = append(objects, a)
			k := r.IntN(len(types))
			m.claim(a, types[k])
			m.size[objectName(a)] = int64(size) * 8
			m.typ[objectName(a)] = "p" + itoa(k%2) + ".T" + itoa(k)
		}
	}
	r.Shuffle(len(m.spans), func(i, j int) { m.spans[i], m.spans[j] = m.spans[j], m.spans[i] })
	return objects
}

// randomRoots adds roots and their references.
func (m *model) randomRoots(r *rand.Rand, objects []uint64) {
	stack := m.root(format.FirstClass, "stack")
	local := m.node(stack, "main.f.x", "", 0)
	registers := m.node(stack, "main.f.(registers)", "", 0)
	m.nodes[registers-1].Class = format.SecondClass
	for i := range 2 + r.IntN(6) {
		name := "root " + itoa(i)
		class := uint64(format.FirstClass + r.IntN(4)/3)
		isG := r.IntN(2) == 0
		var node, g uint64
		if isG {
			g = m.goroutine(name)
		} else {
			node = m.root(class, name)
		}
		for range 1 + r.IntN(4) {
			to := objects[r.IntN(len(objects))]
			second, vertex, place := class == format.SecondClass, name, node
			if isG {
				vertex, place, second = "goroutine "+name, local, false
				if r.IntN(4) == 0 {
					vertex, place, second = vertex+" (second class)", registers, true
				}
			}
			m.rootRef(g, place, to)
			m.addEdge(vertex, objectName(to), place)
			m.second[vertex] = second
		}
	}
	m.names = append(m.names, all)
	for _, root := range slices.Sorted(maps.Keys(m.second)) {
		m.names = append(m.names, root)
		m.addEdge(all, root, 0)
	}
	m.roots = len(m.second)
	for _, a := range objects {
		m.names = append(m.names, objectName(a))
	}
}

// reach returns the vertices that references from the roots lead to, without
// those that skip has.
func (m *model) reach(roots []string, skip map[string]bool) map[string]bool {
	seen := make(map[string]bool)
	for len(roots) > 0 {
		v := roots[0]
		roots = roots[1:]
		if seen[v] || skip[v] {
			continue
		}
		seen[v] = true
		for _, e := range m.out[v] {
			if m.early == nil || m.counts(v, e.to) {
				roots = append(roots, e.to)
			}
		}
	}
	return seen
}

// counts reports whether a reference counts.
func (m *model) counts(from, to string) bool {
	return from == all || m.early[from] || m.late[from] && !m.early[to]
}

func (m *model) computeReach() {
	var first, second []string
	for _, name := range m.names[1 : m.roots+1] {
		if m.second[name] {
			second = append(second, name)
		} else {
			first = append(first, name)
		}
	}
	early := m.reach(first, nil)
	late := m.reach(second, nil)
	for v := range early {
		delete(late, v)
	}
	m.early, m.late = early, late
}

// reached returns the vertices that are reached without those in cut.
func (m *model) reached(cut ...string) map[string]bool {
	skip := make(map[string]bool)
	for _, v := range cut {
		skip[v] = true
	}
	return m.reach([]string{all}, skip)
}

// sum returns the amount of the objects of a set.
func (m *model) sum(set map[string]bool) (a Amount) {
	for v := range set {
		if size := m.size[v]; size != 0 {
			a.Objects++
			a.Bytes += size
		}
	}
	return a
}

// read makes m.g and returns the vertices of the names.
func (m *model) read(t *testing.T) map[string]Vertex {
	t.Helper()
	m.g = m.graph(t, nil)
	if m.g.NumVertices() != len(m.names) {
		t.Fatalf("graph has %d vertices, want %d", m.g.NumVertices(), len(m.names))
	}
	vertices := map[string]Vertex{all: All}
	from, to := m.g.Roots()
	for v := from; v < to; v++ {
		vertices[m.g.Name(v)] = v
	}
	from, to = m.g.Objects()
	for v := from; v < to; v++ {
		vertices[objectName(uint64(m.g.Address(v)/8))] = v
	}
	for _, name := range m.names {
		v, ok := vertices[name]
		if !ok {
			t.Fatalf("there is no vertex %s", name)
		}
		if m.g.Size(v) != m.size[name] || m.g.Type(v) != m.typ[name] {
			t.Fatalf("%s has %d bytes and type %s", name, m.g.Size(v), m.g.Type(v))
		}
	}
	return vertices
}

// TestModelReferences compares references with those that were written.
func TestModelReferences(t *testing.T) {
	for seed := range uint64(120) {
		m := randomModel(rand.New(rand.NewPCG(seed, 1)), 60)
		vertices := m.read(t)
		refs, words := 0, make(map[uint64]int)
		for _, name := range m.names {
			v := vertices[name]
			var want []Vertex
			for _, e := range m.out[name] {
				want = append(want, vertices[e.to])
				refs++
				if v >= vertices[m.names[m.roots+1]] || m.size[name] != 0 {
					words[e.place]++
				}
			}
			var got []Vertex
			for _, r := range m.g.References(v) {
				got = append(got, r.To)
				if m.size[name] != 0 && r.Offset >= 0 {
					word := uint64(m.g.Address(v)+r.Offset) / 8
					if !slices.Contains(m.out[name], edge{m.nameOf(vertices, r.To), word}) {
						t.Fatalf("seed %d: %s has no reference %v", seed, name, r)
					}
				}
			}
			if !slices.Equal(got, slices.Collect(m.g.Targets(v))) {
				t.Fatalf("seed %d: Targets of %s differ from References", seed, name)
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: references from %s are to %v, want %v", seed, name, got, want)
			}
		}
		if n := int(m.g.NumReferences()) + m.roots; n != refs {
			t.Errorf("seed %d: there are %d references, want %d", seed, n, refs)
		}
		changed := 0
		for place, n := range words {
			if place != 1<<62 {
				changed += n - 1
			}
		}
		if n := int(m.g.NumChanged()); n != changed {
			t.Errorf("seed %d: %d references have changed, want %d", seed, n, changed)
		}
	}
}

func (m *model) nameOf(vertices map[string]Vertex, v Vertex) string {
	for name, x := range vertices {
		if x == v {
			return name
		}
	}
	return ""
}

// TestModelDominators compares dominators, what is reached, and retained sizes
// with what is reached without a vertex.
func TestModelDominators(t *testing.T) {
	for seed := range uint64(120) {
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

// TestModelGroups compares what types retain with the sum over the members that
// no other member dominates, and with what is reached without them.
func TestModelGroups(t *testing.T) {
	for seed := range uint64(100) {
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

// TestModelNames checks sums over the tree of names.
func TestModelNames(t *testing.T) {
	for seed := range uint64(100) {
		m := randomModel(rand.New(rand.NewPCG(seed, 4)), 60)
		m.read(t)
		d := m.g.Dominators()
		names := d.Names()
		if names[0].Parent != -1 || names[0].Retained != d.Retained(All) {
			t.Fatalf("seed %d: first node is %v, and all roots retain %v", seed, names[0], d.Retained(All))
		}
		var shallow Amount
		var roots int64
		for i, x := range names {
			shallow = Amount{shallow.Objects + x.Shallow.Objects, shallow.Bytes + x.Shallow.Bytes}
			roots += x.Roots
			for p := x.Parent; p >= 0; p = names[p].Parent {
				if p >= i || names[p].Name == x.Name {
					t.Fatalf("seed %d: node %d is %v, and node %d above it %v", seed, i, x, p, names[p])
				}
			}
		}
		if shallow != d.Retained(All) || int(roots) != m.roots {
			t.Fatalf("seed %d: nodes have %v, and %d roots, want %v and %d", seed, shallow, roots, d.Retained(All), m.roots)
		}
		if changes := Diff(d, d); len(changes) != 0 {
			t.Fatalf("seed %d: %v differ from itself", seed, changes)
		}
	}
}
