// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package dominators_test

import (
	"fmt"
	. "internal/dominators"
	"math/rand/v2"
	"slices"
	"testing"
)

// rows returns the graph whose edges from vertex v lead to out[v].
func rows(out [][]uint32) *Graph {
	g := &Graph{Off: make([]uint32, 1, len(out)+1)}
	for _, dst := range out {
		g.Dst = append(g.Dst, dst...)
		g.Off = append(g.Off, uint32(len(g.Dst)))
	}
	return g
}

// random returns a random graph of n vertices. Most graphs have a tree of all
// vertices, and further edges. In the others, all edges lead from any vertex to
// any other.
func random(r *rand.Rand, n int) *Graph {
	out := make([][]uint32, n)
	shape, near := r.IntN(4), 1+r.IntN(n)
	for v := 1; v < n; v++ {
		from := v - 1 - r.IntN(min(v, near))
		if shape != 0 {
			out[from] = append(out[from], uint32(v))
		}
		for range r.IntN(shape + 2) {
			from, to := r.IntN(n), r.IntN(n)
			if shape == 1 {
				to = max(0, v-r.IntN(near))
			}
			out[from] = append(out[from], uint32(to))
		}
	}
	for _, dst := range out {
		r.Shuffle(len(dst), func(i, j int) { dst[i], dst[j] = dst[j], dst[i] })
	}
	g := rows(out)
	if r.IntN(3) == 0 {
		g.Late = uint32(r.IntN(n))
		slices.SortFunc(g.Dst[:g.Off[1]], func(a, b uint32) int { return int(a) - int(b) })
	}
	return g
}

// succ returns the edges from v.
func succ(g *Graph, v uint32) []uint32 { return g.Dst[g.Off[v]:g.Off[v+1]] }

// reach sets seen for the vertices that can be reached from the given vertex if
// the vertex with the number cut is deleted. It does not enter vertices that
// are already set.
func reach(g *Graph, seen []bool, from, cut uint32) {
	todo := []uint32{from}
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[v] || v == cut {
			continue
		}
		seen[v] = true
		todo = append(todo, succ(g, v)...)
	}
}

// stages returns the vertices that the root reaches through its successors that
// are not late, and the graph of the edges that count.
func stages(g *Graph) (early []bool, counted *Graph) {
	n := len(g.Off) - 1
	early = make([]bool, n)
	early[0] = true
	for _, w := range succ(g, 0) {
		if g.Late == 0 || w < g.Late {
			reach(g, early, w, 0)
		}
	}
	out := make([][]uint32, n)
	for v := range uint32(n) {
		for _, w := range succ(g, v) {
			late := v == 0 && g.Late != 0 && w >= g.Late || !early[v]
			if !late || !early[w] {
				out[v] = append(out[v], w)
			}
		}
	}
	return early, rows(out)
}

// deletionOracle returns the immediate dominator of each vertex by the
// definition: v dominates w if w is not reached when v is deleted. It is -1 for
// the root, and for vertices that are not reached.
func deletionOracle(g *Graph) []int {
	n := len(g.Off) - 1
	all := make([]bool, n)
	reach(g, all, 0, none)
	depth := make([]int, n) // number of dominators of each vertex
	dominates := make([][]bool, n)
	for v := range n {
		without := make([]bool, n)
		reach(g, without, 0, uint32(v))
		for w := range n {
			without[w] = all[w] && !without[w]
			if without[w] {
				depth[w]++
			}
		}
		dominates[v] = without
	}
	idom := make([]int, n)
	for w := range n {
		idom[w] = -1
		for v := range n {
			if v != w && all[w] && dominates[v][w] && (idom[w] < 0 || depth[v] > depth[idom[w]]) {
				idom[w] = v
			}
		}
	}
	return idom
}

const none = 1<<32 - 1

// idoms returns the immediate dominator of each vertex, as deletionOracle does,
// and checks the form of the tree.
func idoms(t testing.TB, g *Graph, early []bool) []int {
	t.Helper()
	tree := Compute(g)
	idom := make([]int, len(g.Off)-1)
	for v := range idom {
		idom[v] = -1
	}
	if tree.Vertex[0] != 0 || tree.Idom[0] != 0 {
		t.Fatal("the root of the tree is not vertex 0")
	}
	for i, v := range tree.Vertex[1:] {
		d := tree.Idom[i+1]
		if int(d) > i {
			t.Fatalf("number %d has the immediate dominator %d", i+1, d)
		}
		if idom[v] != -1 || v == 0 {
			t.Fatalf("vertex %d has two numbers", v)
		}
		if early != nil && early[v] != (i+1 < tree.Early) {
			t.Fatalf("vertex %d has number %d, with Early %d, and is early: %v", v, i+1, tree.Early, early[v])
		}
		idom[v] = int(tree.Vertex[d])
	}
	return idom
}

// TestDeletion compares dominators of random graphs with their definition.
func TestDeletion(t *testing.T) {
	graphs := 5000
	if testing.Short() {
		graphs = 500
	}
	for seed := range uint64(graphs) {
		r := rand.New(rand.NewPCG(seed, 1))
		g := random(r, 1+r.IntN(40))
		early, counted := stages(g)
		got, want := idoms(t, g, early), deletionOracle(counted)
		if !slices.Equal(got, want) {
			t.Fatalf("graph %d, %v:\ngot  %v\nwant %v", seed, g, got, want)
		}
	}
}

// TestIterative compares dominators of larger graphs with those of another
// algorithm.
func TestIterative(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 2))
		g := random(r, 1+r.IntN(30000))
		early, counted := stages(g)
		got, want := idoms(t, g, early), iterative(counted)
		if !slices.Equal(got, want) {
			t.Fatalf("graph %d: immediate dominators differ", seed)
		}
	}
}

// TestDeep has a path of a million vertices, for which a recursive search would
// make a million nested calls, and edges that lead back or ahead along it.
func TestDeep(t *testing.T) {
	n := uint32(1 << 20)
	out := make([][]uint32, n)
	for v := range n - 1 {
		out[v] = append(out[v], v+1)
		if v%3 == 0 {
			out[n-1-v] = append(out[n-1-v], v)
		}
	}
	out[n/2] = append(out[n/2], n-1)
	g := rows(out)
	for v, d := range idoms(t, g, nil) {
		// Up to the middle, the path is the only way, because all other
		// edges to the first half come from the second half. The second
		// half also has edges from the first half.
		if want := v - 1; v <= int(n/2) && d != want {
			t.Fatalf("immediate dominator of %d is %d, want %d", v, d, want)
		}
	}
	if got, want := idoms(t, g, nil), iterative(g); !slices.Equal(got, want) {
		t.Error("immediate dominators differ")
	}
}

// TestOne has a graph with no vertex but the root.
func TestOne(t *testing.T) {
	tree := Compute(rows([][]uint32{{0, 0}}))
	if !slices.Equal(tree.Vertex, []uint32{0}) || !slices.Equal(tree.Idom, []uint32{0}) {
		t.Errorf("got %v", tree)
	}
}

// BenchmarkCompute computes the dominators of graphs with about two edges for
// each vertex.
func BenchmarkCompute(b *testing.B) {
	for _, n := range []int{1e5, 1e6, 1e7} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			g := heap(n)
			for b.Loop() {
				Compute(g)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/vertex")
		})
	}
}

// heap returns a graph of n vertices, with about two edges for each vertex.
// Most edges lead to the lowest vertex to which none of them leads yet, or to
// the last vertex if there is no such vertex. A quarter lead to vertices
// nearby, and an eighth to any vertex.
func heap(n int) *Graph {
	r := rand.New(rand.NewPCG(uint64(n), 3))
	g := &Graph{Off: make([]uint32, n+1), Dst: make([]uint32, 0, 2*n)}
	next := 1
	for v := range n {
		for range 1 + r.IntN(3) {
			to := r.IntN(n)
			switch k := r.IntN(8); {
			case k > 2 || next <= v+1:
				to = min(next, n-1)
				next++
			case k > 0:
				to = min(n-1, max(0, v+r.IntN(1000)-500))
			}
			g.Dst = append(g.Dst, uint32(to))
		}
		g.Off[v+1] = uint32(len(g.Dst))
	}
	return g
}
