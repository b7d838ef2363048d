// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"encoding/json"
	"internal/dominators"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// TestProfile checks the samples of a profile.
func TestProfile(t *testing.T) {
	name := (&server{sessions: 100}).file(t)
	status, stdout, stderr := start("export", "pprof", name)
	if status != 0 || !strings.Contains(stderr, "heapgraph: The snapshot is not truncated.\n") {
		t.Fatalf("status %d, %s", status, stderr)
	}
	p, err := profile.ParseData([]byte(stdout))
	if err != nil {
		t.Fatal(err)
	}
	if p.DefaultSampleType != "live_space" || len(p.SampleType) != 2 ||
		*p.SampleType[0] != (profile.ValueType{Type: "live_objects", Unit: "count"}) ||
		*p.SampleType[1] != (profile.ValueType{Type: "live_space", Unit: "bytes"}) {
		t.Errorf("sample types %v, default %q", p.SampleType, p.DefaultSampleType)
	}
	got := make(map[string][2]int64)
	var sum int64
	for _, s := range p.Sample {
		var path []string
		for _, l := range slices.Backward(s.Location) {
			path = append(path, l.Line[0].Function.Name)
		}
		got[strings.Join(path, " > ")] = [2]int64(s.Value)
		sum += s.Value[1]
	}
	for path, want := range map[string][2]int64{
		"app.sessions > []*app.Session":                         {1, tableSize},
		"app.sessions > []*app.Session > app.Session":           {99, 99 * sessionSize},
		"app.sessions > []*app.Session > app.Session > []uint8": {99, 99 * bufSize},
		"app.Session":                 {1, sessionSize},
		"app.Session > []uint8":       {1, bufSize},
		"app.Config":                  {1, confSize},
		"(write barrier) > (unknown)": {1, foundSize},
		"(not reached)":               {1, lostSize},
	} {
		if got[path] != want {
			t.Errorf("%s has %v, want %v", path, got[path], want)
		}
		delete(got, path)
	}
	if len(got) != 0 || sum != 141664 {
		t.Errorf("there are more samples: %v; the sum is %d", got, sum)
	}
	if p.TimeNanos == 0 || len(p.Comments) != 3 {
		t.Errorf("time %d, comments %q", p.TimeNanos, p.Comments)
	}
}

// A chromeFile is a heap snapshot as Chrome reads it.
type chromeFile struct {
	Snapshot struct {
		Meta struct {
			NodeFields []string `json:"node_fields"`
			NodeTypes  []any    `json:"node_types"`
			EdgeFields []string `json:"edge_fields"`
			EdgeTypes  []any    `json:"edge_types"`
		}
		NodeCount int `json:"node_count"`
		EdgeCount int `json:"edge_count"`
	}
	Nodes, Edges []int
	Strings      []string
}

// A chromeEdge is an edge from one node to another.
type chromeEdge struct {
	typ, name int
	from, to  int
}

// edges checks the arrays, and returns the edges.
func (c *chromeFile) edges(t *testing.T) []chromeEdge {
	t.Helper()
	m := &c.Snapshot.Meta
	if len(m.NodeFields) != nodeFields || len(c.Nodes) != nodeFields*c.Snapshot.NodeCount ||
		len(m.EdgeFields) != 3 || len(c.Edges) != 3*c.Snapshot.EdgeCount {
		t.Fatalf("%d numbers of %d nodes, %d of %d edges", len(c.Nodes), c.Snapshot.NodeCount, len(c.Edges), c.Snapshot.EdgeCount)
	}
	var list []chromeEdge
	for n := range c.Snapshot.NodeCount {
		for range c.Nodes[n*nodeFields+4] {
			if len(list) == c.Snapshot.EdgeCount {
				t.Fatal("nodes have more edges than there are")
			}
			e := c.Edges[3*len(list):][:3]
			if e[2]%nodeFields != 0 {
				t.Fatalf("an edge leads to the number %d", e[2])
			}
			list = append(list, chromeEdge{e[0], e[1], n, e[2] / nodeFields})
		}
	}
	if len(list) != c.Snapshot.EdgeCount {
		t.Fatalf("nodes have %d edges of %d", len(list), c.Snapshot.EdgeCount)
	}
	return list
}

func (c *chromeFile) name(n int) string { return c.Strings[c.Nodes[n*nodeFields+1]] }

// retained returns the retained size of each node. Weak edges do not count.
func (c *chromeFile) retained(edges []chromeEdge) []int {
	g := &dominators.Graph{Off: []uint32{0}, Late: uint32(c.Snapshot.NodeCount)}
	for n := range c.Snapshot.NodeCount {
		for _, e := range edges {
			if e.from == n && e.typ != edgeWeak {
				g.Dst = append(g.Dst, uint32(e.to))
			}
		}
		g.Off = append(g.Off, uint32(len(g.Dst)))
	}
	tree := dominators.Compute(g)
	sizes := make([]int, c.Snapshot.NodeCount)
	for i := len(tree.Vertex) - 1; i >= 0; i-- {
		n := tree.Vertex[i]
		sizes[n] += c.Nodes[n*nodeFields+3]
		if i > 0 {
			sizes[tree.Vertex[tree.Idom[i]]] += sizes[n]
		}
	}
	return sizes
}

// TestHeapSnapshot checks the nodes and edges of a heap snapshot, and that the
// dominators that Chrome computes are those of the graph.
func TestHeapSnapshot(t *testing.T) {
	name := (&server{sessions: 100}).file(t)
	o := filepath.Join(t.TempDir(), "x.heapsnapshot")
	output(t, "export", "-o", o, "heapsnapshot", name)
	b, err := os.ReadFile(o)
	if err != nil {
		t.Fatal(err)
	}
	var c chromeFile
	if err := json.Unmarshal(b, &c); err != nil {
		t.Fatal(err)
	}
	edges := c.edges(t)
	named := make(map[string]int)
	for _, e := range edges {
		if e.typ == edgeProperty || e.typ == edgeWeak {
			named[c.name(e.from)+" "+c.Strings[e.name]+" "+c.name(e.to)]++
		}
	}
	for edge, want := range map[string]int{
		"app.Session conf app.Config":                          100,
		"app.Session buf []uint8":                              100,
		"goroutine app.serve app.serve.s *Session app.Session": 1,
		"(unknown) at offset 0 app.Config":                     1,
		"(unknown) at offset 0 app.Session":                    1,
		"app.sessions  []*app.Session":                         1,
	} {
		if named[edge] != want {
			t.Errorf("%d edges %s, want %d", named[edge], edge, want)
		}
	}
	sizes := make(map[string]int)
	for n, size := range c.retained(edges) {
		sizes[c.name(n)] = max(sizes[c.name(n)], size)
	}
	for name, want := range map[string]int{
		"(GC roots)": 141664, "app.sessions": 140480, "[]*app.Session": 140480, "app.Session": sessionSize + bufSize,
		"app.Config": confSize, "(write barrier)": foundSize, "(not reached)": lostSize, "goroutine app.serve": 0,
	} {
		if sizes[name] != want {
			t.Errorf("%s retains %d, want %d", name, sizes[name], want)
		}
	}
}

func TestElementIndex(t *testing.T) {
	for field, want := range map[string]int64{
		"[7]": 7, "[0]": 0, "[12345]": 12345, "": -1, "[]": -1, "[1].x": -1, "[+1]": -1, "[1][2]": -1, "[99999999999]": -1,
	} {
		i, ok := elementIndex(field)
		if !ok {
			i = -1
		}
		if i != want {
			t.Errorf("index of %q is %d, want %d", field, i, want)
		}
	}
}

// TestWriteFile checks that an export that fails leaves no file.
func TestWriteFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	status, _, stderr := start("export", "-o", name, "pprof", writeTemp(t, bytes.Repeat([]byte("x"), 100)))
	if status != 1 {
		t.Errorf("status %d, %s", status, stderr)
	}
	if _, err := os.Stat(name); err == nil {
		t.Error("there is a file, although nothing could be exported")
	}
}
