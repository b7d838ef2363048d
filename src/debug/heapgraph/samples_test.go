// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph_test

import (
	. "debug/heapgraph"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestModelSamples compares samples with the tree of names, and the sums of the
// samples with the live heap. The size of the live heap is the one in the file,
// or, if the file has none, the sum of the objects.
func TestModelSamples(t *testing.T) {
	for seed := range seeds(100) {
		m := randomModel(rand.New(rand.NewPCG(seed, 5)), 60)
		var all Amount
		for _, size := range m.size {
			all = Amount{all.Objects + 1, all.Bytes + size}
		}
		want := all
		if seed%2 == 0 {
			want = Amount{all.Objects + 7, all.Bytes + 1000}
			m.meta = map[string]string{"live.objects": itoa(int(want.Objects)), "live.bytes": itoa(int(want.Bytes))}
		}
		m.read(t)
		d := m.g.Dominators()
		if got := d.Live(); got != want {
			t.Fatalf("seed %d: live are %v, want %v", seed, got, want)
		}
		stacks := make(map[string]Amount)
		var sum Amount
		for _, s := range d.Samples() {
			sum = Amount{sum.Objects + s.Objects, sum.Bytes + s.Bytes}
			slices.Reverse(s.Stack)
			stacks[JoinPath(s.Stack)] = s.Amount
		}
		if sum != want {
			t.Fatalf("seed %d: samples are %v, want %v", seed, sum, want)
		}
		names := d.Names()
		for i, x := range names {
			var path []string
			for j := i; j > 0; j = names[j].Parent {
				path = append(path, names[j].Name)
			}
			slices.Reverse(path)
			if i > 0 && stacks[JoinPath(path)] != x.Shallow {
				t.Fatalf("seed %d: %q is %v, want %v", seed, path, stacks[JoinPath(path)], x.Shallow)
			}
			delete(stacks, JoinPath(path))
		}
		delete(stacks, NotReached)
		if len(stacks) != 0 {
			t.Fatalf("seed %d: there are more samples: %v", seed, stacks)
		}
	}
}
