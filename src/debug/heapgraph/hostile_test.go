// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph_test

import (
	. "debug/heapgraph"
	"errors"
	format "internal/heapgraph"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
)

// allocated returns the number of bytes that the process has allocated.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// live returns the number of bytes of reachable objects.
func live() int64 {
	runtime.GC()
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

// checkAllocated checks that f allocates no more than a number of megabytes.
func checkAllocated(t *testing.T, most uint64, f func()) {
	t.Helper()
	before := allocated()
	f()
	if n := (allocated() - before) >> 20; n > most {
		t.Errorf("%d MB were allocated, want at most %d", n, most)
	}
}

// chain makes a list of n objects, each of which has a type and a node of its
// own. The node is below the node of the object before it, if deep is set, and
// has an element of the given text.
func chain(n int, deep bool, element string) *snapshot {
	s := new(snapshot)
	root := s.root(format.FirstClass, "app.list")
	var at, last uint64
	up := root
	for i := range n {
		if i%format.MaxSlots == 0 {
			s.spans = append(s.spans, format.Span{Start: at, Slots: format.MaxSlots, SlotSize: 2})
		}
		node := s.node(up, element, "app.T"+itoa(i), 0)
		if deep {
			up = node
		}
		s.claim(at, node)
		if i == 0 {
			s.rootRef(0, root, at)
		} else {
			s.ref(last, at)
		}
		last = at
		at += 2
	}
	s.batch = 1 << 16
	return s
}

// TestHostileTexts checks that texts do not have the square of the size of the
// file.
func TestHostileTexts(t *testing.T) {
	long := strings.Repeat("x", 4000)
	t.Run("paths", func(t *testing.T) {
		d := chain(1000, true, long).graph(t, nil).Dominators()
		checkAllocated(t, 200, func() {
			for _, g := range d.ByPath() {
				if !strings.HasSuffix(g.Name, long[:100]) {
					t.Fatalf("path %.100s", g.Name)
				}
			}
		})
	})
	t.Run("path", func(t *testing.T) {
		g := chain(1000, true, strings.Repeat("x", 1<<20)).graph(t, nil)
		checkAllocated(t, 2, func() {
			_, to := g.Objects()
			if text := JoinPath(g.Path(to - 1)); len(text) > 1<<17 || !strings.HasPrefix(text, "app.list > xx") || !strings.Contains(text, " more) > xx") {
				t.Errorf("path of %d bytes: %.100s", len(text), text)
			}
		})
	})
	t.Run("references of a root", func(t *testing.T) {
		s := chain(1000, true, long)
		for i := range 1000 {
			s.rootRef(0, 1000, uint64(2*i))
		}
		g := s.graph(t, nil)
		checkAllocated(t, 200, func() {
			if n := len(g.References(1)); n != 1001 {
				t.Errorf("%d references", n)
			}
		})
	})
	t.Run("fields", func(t *testing.T) {
		s := new(snapshot)
		pointer := s.typ("*x", 8)
		array := s.typ("[]*x", 8*1000, format.Field{Name: s.str("[]"), Type: pointer})
		node := s.node(s.root(format.FirstClass, "r"), "e", "t", s.typ("T", 8*1000, format.Field{Name: s.str(strings.Repeat("f", 1<<20)), Type: array}))
		a := s.span(1, 1000)
		s.claim(a, node)
		s.rootRef(0, 1, a)
		for i := range uint64(1000) {
			s.ref(a+i, a)
		}
		g := s.graph(t, nil)
		checkAllocated(t, 20, func() {
			_, to := g.Objects()
			if refs := g.References(to - 1); !strings.HasSuffix(refs[999].Field, "f[999]") {
				t.Errorf("field %.100s", refs[999].Field)
			}
		})
	})
	t.Run("words", func(t *testing.T) {
		const n = 40_000
		s := &snapshot{batch: 1 << 16}
		f := format.Field{Name: s.str(long[:1000]), Type: s.typ("*int", 0)}
		node := s.node(s.root(format.FirstClass, "r"), "e", "", s.typ(long, 8*n, f))
		a := s.span(1, n)
		s.claim(a, node)
		s.rootRef(0, 1, a)
		for i := range uint64(n) {
			s.ref(a+i, a)
		}
		g := s.graph(t, nil)
		before := live()
		if !g.HasSet(Set{Name: long + "." + long[:1000]}) || g.HasSet(Set{Name: "x"}) {
			t.Error("the wrong sets are known")
		}
		if n := (live() - before) >> 20; n > 100 {
			t.Errorf("the names take %d MB", n)
		}
		runtime.KeepAlive(g)
	})
	t.Run("long path", func(t *testing.T) {
		const n = 100_000
		s := chain(n, false, "e")
		for i := range s.nodes {
			s.nodes[i].Type = 1
		}
		s.typ("T", 16, format.Field{Name: s.str(long)}, format.Field{Offset: 8})
		g := s.graph(t, nil)
		checkAllocated(t, 100, func() {
			_, to := g.Objects()
			path := g.ShortestPath(to - 1)
			if len(path) != n || path[1].Field == "" || path[n-1].Field == "" || path[n/2].From+1 != path[n/2].To {
				t.Errorf("%d references", len(path))
			}
		})
	})
	t.Run("stacks", func(t *testing.T) {
		const n = 20_000
		d := chain(n, false, "e").graph(t, nil).Dominators()
		checkAllocated(t, 400, func() {
			var sum Amount
			for _, x := range d.Samples() {
				sum = Amount{sum.Objects + x.Objects, sum.Bytes + x.Bytes}
				if x.Stack[len(x.Stack)-1] != "app.list" {
					t.Fatalf("a stack begins with %s", x.Stack[len(x.Stack)-1])
				}
			}
			if sum != (Amount{n, 16 * n}) {
				t.Errorf("samples have %v", sum)
			}
		})
		empty := new(snapshot).graph(t, nil).Dominators()
		checkAllocated(t, 400, func() {
			if n1 := len(Diff(empty, d)); n1 != n+2 {
				t.Errorf("%d changes", n1)
			}
		})
	})
}

// TestHostileDepth analyses a list whose 300,000 objects have a type each. With
// work in proportion to the square of this number, the test would take many
// minutes.
func TestHostileDepth(t *testing.T) {
	n, most := 300_000, uint64(1500) // megabytes
	if testing.Short() {
		n, most = n/3, most/2
	}
	g := chain(n, true, "e").graph(t, nil)
	d := g.Dominators()
	checkAllocated(t, most, func() {
		if nodes := d.Names(); len(nodes) != n+2 || nodes[n+1].Parent != n {
			t.Errorf("%d nodes", len(nodes))
		}
		if list, err := d.Suspects(); err != nil || len(list) != 0 {
			t.Errorf("%d suspects, %v", len(list), err)
		}
		if list := d.ByPackage(); len(list) != 1 || list[0].Shallow.Objects != int64(n) {
			t.Errorf("packages %v", list)
		}
		if len(d.ByPath()) == 0 {
			t.Error("no paths")
		}
		_, to := g.Objects()
		if p := g.DisjointPaths(to-1, 3); len(p.Paths) != 1 || len(p.Paths[0]) != n {
			t.Errorf("%d paths", len(p.Paths))
		}
	})
}

// TestHostileSiblings finds the largest of many children, which come in the
// order of their sizes.
func TestHostileSiblings(t *testing.T) {
	const n = 200_000
	s := new(snapshot)
	root := s.root(format.FirstClass, "r")
	at := uint64(0)
	for i := range uint64(n) {
		s.spans = append(s.spans, format.Span{Start: at, Slots: 1, SlotSize: i + 1})
		s.rootRef(0, root, at)
		at += i + 1
	}
	d := s.graph(t, nil).Dominators()
	if list := d.Biggest(1, n); len(list) != n || list[0] != n+1 || list[n-1] != 2 {
		t.Errorf("%d children", len(list))
	}
}

// TestHostileFolds analyses a list in which each type occurs twice, so that half
// of it is folded, one vertex after another.
func TestHostileFolds(t *testing.T) {
	const n = 100_000
	s := chain(2*n, false, "e")
	for i := range n {
		s.claims[n+i].Value = s.claims[n-1-i].Value
	}
	d := s.graph(t, nil).Dominators()
	list, err := d.Suspects()
	if err != nil || len(list) != 1 || list[0].Retained.Objects != 2*n*8/10 { // the rest is above the recursive data that is heavy
		t.Errorf("%d suspects, %v", len(list), err)
	}
	if nodes := d.Names(); len(nodes) != n+2 || nodes[2].Shallow.Objects != 2 {
		t.Errorf("%d nodes", len(nodes))
	}
}

// TestModelNamesOf compares the nodes of vertices with nodes that a search of
// all dominators finds.
func TestModelNamesOf(t *testing.T) {
	for seed := range seeds(100) {
		m := randomModel(rand.New(rand.NewPCG(seed, 8)), 80)
		m.read(t)
		g, d := m.g, m.g.Dominators()
		nodes, of := d.NamesOf()
		children := make(map[[2]string]int) // of paths that end with their node's number
		for i, n := range nodes {
			if i > 0 {
				children[[2]string{itoa(n.Parent), n.Name}] = i
			}
		}
		for v := range Vertex(g.NumVertices()) {
			want := 0
			for _, u := range d.Path(v) {
				above := want
				for above > 0 && nodes[above].Name != g.Name(u) {
					above = nodes[above].Parent
				}
				if u == All {
					continue
				}
				if want = above; above == 0 {
					want = children[[2]string{itoa(nodeAbove(d, of, u)), g.Name(u)}]
				}
			}
			if !d.Reached(v) {
				want = -1
			}
			if int(of[v]) != want {
				t.Fatalf("seed %d: vertex %d is at node %d, want %d", seed, v, of[v], want)
			}
		}
	}
}

// nodeAbove returns the node of the immediate dominator of v.
func nodeAbove(d *Dominators, of []int32, v Vertex) int {
	u, _ := d.Idom(v)
	return int(of[u])
}

// TestLongTypes names the words of many long types, each of which has a reference
// at its end. The memory must not be their product.
func TestLongTypes(t *testing.T) {
	const types, words = 5000, 1 << 16
	s := &snapshot{batch: 1 << 16}
	root := s.root(format.FirstClass, "app.all")
	pointer, f := s.typ("*int", 8), s.str("f")
	for i := range uint64(types) {
		at := i * words
		s.spans = append(s.spans, format.Span{Start: at, Slots: 1, SlotSize: words})
		s.claim(at, s.node(root, "e", "", s.typ("app.T"+itoa(int(i)), 8*words, format.Field{Offset: 8 * (words - 1), Name: f, Type: pointer})))
		s.rootRef(0, root, at)
		s.ref(at+words-1, at)
	}
	g := s.graph(t, nil)
	checkAllocated(t, 100, func() {
		for name, want := range map[string]bool{"app.T0.f": true, "app.T" + itoa(types-1) + ".f": true, "app.T0.g": false} {
			if g.HasSet(Set{Name: name}) != want {
				t.Errorf("%s is known: %v", name, !want)
			}
		}
	})
}

// TestBombs reads files with a million equal records, which deflate a thousand
// times. Each needs more memory than the limit.
func TestBombs(t *testing.T) {
	const n = 1_000_000
	defer SetLimitFloor(4 << 20)()
	repeat := func(list *[]format.Pair, p format.Pair) { *list = slices.Repeat([]format.Pair{p}, n) }
	for name, change := range map[string]func(*snapshot){
		"types":      func(s *snapshot) { s.types = make([]format.Type, n) },
		"nodes":      func(s *snapshot) { s.nodes = slices.Repeat([]format.Node{{Class: format.FirstClass}}, n) },
		"goroutines": func(s *snapshot) { s.goroutines = make([]format.Goroutine, n) },
		"creators":   func(s *snapshot) { s.creators = make([]format.Creator, n) },
		"waits":      func(s *snapshot) { s.waits = make([]format.Wait, n) },
		"hulls":      func(s *snapshot) { s.hulls = make([]format.Hull, n) },
		"spans": func(s *snapshot) {
			for i := range n {
				s.spans = append(s.spans, format.Span{Start: uint64(i), Slots: 1, SlotSize: 1})
			}
		},
		"references of roots": func(s *snapshot) {
			s.spans = []format.Span{{Slots: 1, SlotSize: 1}}
			s.rootRefs = slices.Repeat([]format.RootRef{{Node: s.root(format.FirstClass, "r")}}, n)
		},
		"specials": func(s *snapshot) {
			s.spans = []format.Span{{Slots: 1, SlotSize: 1}}
			s.specials = slices.Repeat([]format.Special{{Node: s.root(format.FirstClass, "r")}}, n)
		},
		"references in long spans": func(s *snapshot) {
			s.spans = []format.Span{{Slots: 1, SlotSize: 1 << 30}}
			repeat(&s.refs, format.Pair{})
		},
		"references of one word": func(s *snapshot) {
			s.spans = []format.Span{{Slots: 1, SlotSize: 1}}
			repeat(&s.refs, format.Pair{})
		},
		"objects": func(s *snapshot) {
			node := s.root(format.FirstClass, "r")
			for i := range uint64(n) {
				if i%1024 == 0 {
					s.spans = append(s.spans, format.Span{Start: i, Slots: 1024, SlotSize: 1})
				}
				s.claim(i, node)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := &snapshot{batch: 1 << 17}
			change(s)
			b := s.encode(t)
			s = nil
			checkAllocated(t, 100, func() {
				f, err := open(b)
				if err == nil {
					_, err = f.Graph(nil)
				}
				if !errors.Is(err, ErrLimit) {
					t.Errorf("%d bytes: error %v", len(b), err)
				}
			})
		})
	}
	f, err := open(chain(100_000, false, "e").encode(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Graph(&Options{Memory: 1 << 20}); !errors.Is(err, ErrLimit) {
		t.Errorf("with a lower limit: %v", err)
	}
	if _, err := f.Graph(&Options{Memory: 1 << 30}); err != nil {
		t.Errorf("with a higher limit: %v", err)
	}
}
