// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph_test

import (
	. "debug/heapgraph"
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestModelNames checks sums over the tree of names.
func TestModelNames(t *testing.T) {
	for seed := range seeds(100) {
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

// TestDiff compares a program with itself after it has leaked.
func TestDiff(t *testing.T) {
	old, new := newProgram(), newProgram()
	for range 100 {
		new.worker("app.leak", new.entry("app.Request"))
	}
	changes := Diff(old.graph(t, nil).Dominators(), new.graph(t, nil).Dominators())
	var got []string
	for _, c := range changes {
		got = append(got, JoinPath(c.Path))
	}
	want := []string{
		"goroutine app.leak > app.Request > []uint8",
		"goroutine app.leak > app.Request",
		"",
		"goroutine app.leak",
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("changes are %q", got)
	}
	if n := changes[0].Growth(); n != (Amount{100, 100 * 64}) {
		t.Errorf("buffers have grown by %v", n)
	}
	if c := changes[3]; c.RetainedGrowth() != (Amount{200, 100 * 96}) || c.New.Roots != 100 || c.Old.Roots != 0 {
		t.Errorf("goroutines have grown by %v", c)
	}
	back := Diff(new.graph(t, nil).Dominators(), old.graph(t, nil).Dominators())
	if n := back[0].Growth(); len(back) != len(changes) || n != (Amount{-100, -100 * 64}) {
		t.Errorf("the difference the other way round is %v", back)
	}
}
