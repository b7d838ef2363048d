// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph_test

import (
	. "debug/heapgraph"
	format "internal/heapgraph"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// A model is a random snapshot with the results that a reader must find in it.
// The results are computed from the definitions. The vertices of a model are
// strings: the names of roots, and names of objects that have their addresses.
type model struct {
	snapshot
	g *Graph

	names  []string          // of vertices: All first, then roots, then objects
	roots  int               // number of names of roots
	out    map[string][]edge // references, without repeated ones
	second map[string]bool   // roots of the second class
	size   map[string]int64
	typ    map[string]string
	early  map[string]bool // reached from roots of the first class
	late   map[string]bool // reached only from other roots
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

// seeds returns how many of n random snapshots a test reads.
func seeds(n uint64) uint64 {
	if testing.Short() {
		return n / 3
	}
	return n
}

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

// reach returns the vertices that can be reached from the roots without those
// in skip.
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

// counts reports whether a reference counts for reachability: references from
// vertices that only roots of the second class reach do not count if their
// target is reached from a root of the first class.
func (m *model) counts(from, to string) bool {
	return from == all || m.early[from] || m.late[from] && !m.early[to]
}

// dropSpecials removes all specials.
func (m *model) dropSpecials() {
	m.specials = nil
	for from := range m.out {
		m.out[from] = slices.DeleteFunc(m.out[from], func(e edge) bool { return e.place == 1<<62 })
	}
	m.computeReach()
}

func (m *model) computeReach() {
	m.early, m.late = nil, nil
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

// reached returns the vertices that are reached if those in cut are removed.
func (m *model) reached(cut ...string) map[string]bool {
	skip := make(map[string]bool)
	for _, v := range cut {
		skip[v] = true
	}
	return m.reach([]string{all}, skip)
}

// sum returns the number and the bytes of the objects in a set.
func (m *model) sum(set map[string]bool) (a Amount) {
	for v := range set {
		if size := m.size[v]; size != 0 {
			a.Objects++
			a.Bytes += size
		}
	}
	return a
}

// read reads the snapshot into m.g, and returns the vertex of each name.
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

// TestModelTargets compares the targets of references with the targets that
// were written.
func TestModelTargets(t *testing.T) {
	for seed := range seeds(120) {
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
			got := slices.Sorted(m.g.Targets(v))
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
