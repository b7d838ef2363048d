// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph_test

import (
	. "debug/heapgraph"
	format "internal/heapgraph"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestCycleModel compares cycles of random graphs with a search from each
// special.
func TestCycleModel(t *testing.T) {
	const objects = 12
	found, snapshots := 0, 3000
	if testing.Short() {
		snapshots = 300
	}
	for seed := range uint64(snapshots) {
		r := rand.New(rand.NewPCG(seed, 38))
		s := new(snapshot)
		fin := s.root(format.FirstClass, "(finalizer) *main.T")
		cleanup := s.root(format.FirstClass, "(cleanup) main.f")
		place := map[uint64]uint64{fin: s.node(fin, "(function) func()", "func()", 0), cleanup: s.node(cleanup, "(argument) *main.T", "main.T", 0)}
		variable := s.root(format.FirstClass, "main.v")
		at := s.span(objects, 4)
		addr := func(i int) uint64 { return at + uint64(i)*4 }
		for i := range objects {
			s.rootRef(0, variable, addr(i))
		}
		var fields, edges [objects][objects]bool // edges have those of specials, too
		for range r.IntN(2 * objects) {
			from, to := r.IntN(objects), r.IntN(objects)
			fields[from][to] = true
			edges[from][to] = true
			s.ref(addr(from)+uint64(r.IntN(4)), addr(to))
		}
		type special struct {
			from, to int
			kind     uint64
			owned    bool
		}
		var specials []special
		for range r.IntN(4) {
			x := special{r.IntN(objects), r.IntN(objects), fin, r.IntN(2) == 0}
			if r.IntN(2) == 0 {
				x.kind = cleanup
			} else {
				s.owners = append(s.owners, format.Special{Object: addr(x.from), Node: fin, Target: addr(x.from)})
			}
			specials = append(specials, x)
			edges[x.from][x.to] = true
			record := format.Special{Object: addr(x.from), Node: place[x.kind], Target: addr(x.to)}
			if x.owned {
				s.owners = append(s.owners, record)
				s.rootRef(0, record.Node, record.Target)
			} else {
				s.specials = append(s.specials, record)
			}
		}
		s.owners = append(s.owners, format.Special{Object: 1 << 40, Node: fin, Target: addr(0)}) // a dead object

		reach := edges
		for k := range objects {
			for i := range objects {
				for j := range objects {
					reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
				}
			}
		}
		var cyclic [objects]bool
		var roots = map[uint64]map[int]bool{fin: {}, cleanup: {}}
		for _, x := range specials {
			closes := x.to == x.from || reach[x.to][x.from]
			if closes && x.owned {
				roots[x.kind][x.from] = true
			}
			for j := range objects {
				back := x.kind == fin && fields[x.from][j] && (j == x.from || reach[j][x.from])
				closes = closes || back
				if back {
					roots[fin][x.from] = true
				}
			}
			cyclic[x.from] = cyclic[x.from] || closes
		}
		g := s.graph(t, nil)
		first, _ := g.Objects()
		for i := range objects {
			want := 0
			for j := range objects {
				if cyclic[j] && (i == j || reach[i][j] && reach[j][i]) {
					want++
				}
			}
			c := g.Cycle(first + Vertex(i))
			if c == nil {
				c = new(Cycle)
			}
			if c.Objects != want {
				t.Fatalf("seed %d, object %d: %d objects are in a cycle with it, want %d", seed, i, c.Objects, want)
			}
			found += want
			if want == 0 {
				continue
			}
			path := c.Path()
			for k, ref := range path {
				next := path[(k+1)%len(path)]
				if ref.To != next.From || !edges[ref.From-first][ref.To-first] || !cyclic[path[0].From-first] {
					t.Fatalf("seed %d, object %d: the cycle is %v", seed, i, path)
				}
			}
		}
		from, to := g.Roots()
		for v := from; v < to; v++ {
			want := map[string]int{"(finalizer) *main.T": len(roots[fin]), "(cleanup) main.f": len(roots[cleanup])}[g.Name(v)]
			if c := g.Cycle(v); (c == nil) != (want == 0) || c != nil && (c.Objects != want || c.Special != g.Name(v)) {
				t.Fatalf("seed %d: the cycle of %s is %+v, want %d objects", seed, g.Name(v), c, want)
			}
		}
	}
	if found < snapshots/3 {
		t.Errorf("%d objects were in cycles", found)
	}
}

// TestOwnersAside checks that records of OWNERS change no vertex, reference or
// retained size.
func TestOwnersAside(t *testing.T) {
	sizes := func(owned bool) (list []Amount) {
		s := newServer()
		if owned {
			s.owners = []format.Special{{Object: s.session[0], Node: 1, Target: s.conf}, {Object: s.fin + 1<<20, Node: 1, Target: s.fin}}
		}
		g := s.graph(t, nil)
		d := g.Dominators()
		for v := range g.NumVertices() {
			list = append(list, d.Retained(Vertex(v)))
		}
		return append(list, Amount{Objects: g.NumReferences()})
	}
	if with, without := sizes(true), sizes(false); !slices.Equal(with, without) {
		t.Errorf("retained sizes are %v, and %v without OWNERS", with, without)
	}
}

// TestOwnersContradictions checks that a record of OWNERS with a node that does
// not exist is an error.
func TestOwnersContradictions(t *testing.T) {
	for _, node := range []uint64{0, 1000} {
		s := newServer()
		s.owners = []format.Special{{Object: s.fin, Node: node, Target: s.fin}}
		f, err := open(s.encode(t))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Graph(nil); err == nil {
			t.Errorf("no error for an owner with node %d", node)
		}
	}
}
