// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph_test

import (
	. "debug/heapgraph"
	"math/rand/v2"
	"testing"
)

// TestHoldings compares groups with the first vertices of shortest paths.
func TestHoldings(t *testing.T) {
	for seed := range seeds(60) {
		m := randomModel(rand.New(rand.NewPCG(seed, 8)), 60)
		m.read(t)
		d := m.g.Dominators()
		type key struct {
			root    string
			creator Creator
		}
		want, most := make(map[key]Amount), make(map[key]Amount)
		from, to := m.g.Objects()
		for v := from; v < to; v++ {
			if m.g.Type(v) != "p0.T0" {
				continue
			}
			name := key{root: NotReached}
			if path := m.g.ShortestPath(v); path != nil {
				name = key{m.g.Name(path[0].From), m.g.Creator(path[0].From)}
			}
			a := want[name]
			want[name] = Amount{a.Objects + 1, a.Bytes + m.g.Size(v)}
			if r := d.Retained(v); r.Bytes > most[name].Bytes {
				most[name] = r
			}
		}
		list := m.g.Holdings(func(v Vertex) bool { return m.g.Type(v) == "p0.T0" })
		for i, h := range list {
			k := key{h.Root, h.Creator}
			if h.Amount != want[k] || d.Retained(h.Largest).Bytes != most[k].Bytes {
				t.Errorf("seed %d: %v has %v, want %v, and the largest retains %v, want %v", seed, k, h.Amount, want[k], d.Retained(h.Largest), most[k])
			}
			if i > 0 && h.Objects > list[i-1].Objects {
				t.Errorf("seed %d: %s has more objects than %s before it", seed, h.Root, list[i-1].Root)
			}
		}
		if len(list) != len(want) {
			t.Errorf("seed %d: %d groups, want %d", seed, len(list), len(want))
		}
	}
}
