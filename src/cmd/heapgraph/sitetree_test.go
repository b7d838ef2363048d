// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"debug/heapgraph"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"
)

func TestTreePage(t *testing.T) {
	checkPages(t, loadTestSite(t, (&server{sessions: 100}).file(t)), []pageTest{
		{"/tree", 0, []string{
			"Dominator tree",
			"141616 (100.0%) retained, 0 of its own. Flame graph",
			"Retained Share Own size Number Name",
			"140480 99.2% 0 1 app.sessions",
			"140480 99.2% 32768 1 []*app.Session",
			"107712 76.0% 6336 99 app.Session",
			"101376 71.6% 101376 99 []uint8",
			"1088 0.8% 64 1 app.Session",
			"48 0.0% 32 3 (3 smaller)",
		}},
		{"/tree?node=2", 0, []string{
			"Dominator tree below []*app.Session",
			"(all roots)", "app.sessions", "[]*app.Session",
			"140480 (99.2%) retained, 32768 of its own. Flame graph Objects and roots",
			"Retained Share Own size Number Name",
			"107712 76.0% 6336 99 app.Session",
		}},
		{"/tree?from=2", 0, []string{
			"Retained Share Own size Number Name",
			"32 0.0% 32 1 app.Config",
			"16 0.0% 0 1 (write barrier)",
			"0 0.0% 0 1 goroutine app.serve",
		}},
		{"/tree/rows?node=2&level=2", 0, []string{"107712 76.0% 6336 99 app.Session", ""}},
		{"/vertices?node=2", 0, []string{
			"[]*app.Session",
			"(all roots)", "app.sessions", "[]*app.Session",
			"1 to 1 of 1",
			"Retained Share Objects Own size Object or root",
			"140480 99.2% 199 32768 []*app.Session 0x0",
		}},
		{"/vertices?node=3", 0, []string{"1 to 99 of 99"}},
		{"/tree?node=100", http.StatusNotFound, []string{"There is no node 100 in the dominator tree."}},
		{"/tree?node=x", http.StatusBadRequest, []string{"The parameter node is not a number: x."}},
		{"/tree/rows?level=x", http.StatusBadRequest, []string{"The parameter level is not a number: x."}},
	})
}

// TestTreeRest checks that one row stands for all nodes after the first 20, and
// has links to them.
func TestTreeRest(t *testing.T) {
	name := func(i int) string { return fmt.Sprintf("app.v%03d", i) }
	h := loadTestSite(t, writeTemp(t, spread(t, 150, name)))
	text := func(i int) string { return "64 0.7% 0 1 " + name(i) }
	checkPages(t, h, []pageTest{
		{"/tree", 0, []string{text(18), text(19), "8320 86.7% 0 130 (130 smaller)"}},
		{"/tree?from=0", 0, []string{"Retained Share Own size Number Name", text(0), text(1)}},
		{"/tree?from=20", 0, []string{"Retained Share Own size Number Name", text(20)}},
		{"/tree/rows?level=0&from=20", 0, []string{text(118), text(119), "1920 20.0% 0 30 (30 smaller)"}},
		{"/tree/rows?level=0&from=120", 0, []string{text(148), text(149), ""}},
	})
	p := getPage(t, h, "/tree")
	if !slices.Contains(p.links, "/tree?from=20&node=0") || !slices.Contains(p.links, "/tree/rows?from=20&level=0&node=0") {
		t.Errorf("links are %q", p.links)
	}
}

// TestMembers checks that the vertices of the nodes are all vertices that are
// reached, and that each node has as many vertices as it says.
func TestMembers(t *testing.T) {
	for _, name := range []string{
		(&server{sessions: 100, goroutines: 3}).file(t),
		writeTemp(t, list(t, 100)),
		writeTemp(t, mixed(t, 100)),
		hostile(t, 100),
	} {
		x, err := newTask(io.Discard, t.Output()).loadSite([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		seen := make(map[heapgraph.Vertex]bool)
		for i, n := range x.names().nodes {
			var own heapgraph.Amount
			number := int64(0)
			for v := range x.members(i) {
				if seen[v] || x.s.Name(v) != n.Name {
					t.Errorf("vertex %d is in node %d", v, i)
				}
				seen[v] = true
				number++
				own.Bytes += x.s.Size(v)
			}
			if number != n.Roots+n.Shallow.Objects || own.Bytes != n.Shallow.Bytes {
				t.Errorf("node %d, %s: %d vertices of %d bytes, want %d and %v", i, n.Name, number, own.Bytes, n.Roots, n.Shallow)
			}
		}
		for v := heapgraph.Vertex(1); int(v) < x.s.NumVertices(); v++ {
			if x.s.dom.Reached(v) != seen[v] {
				t.Errorf("vertex %d is in a node: %t", v, seen[v])
			}
		}
	}
}
