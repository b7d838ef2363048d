// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package core

import (
	"internal/runtime/refs"
	"strconv"
	"testing"
)

// TestLabels checks that goroutines with many sets of labels do not use up the
// nodes.
func TestLabels(t *testing.T) {
	p := &process{labelSets: make(map[string]uintptr)}
	p.paths.Heap = heapOf{p}
	p.paths.Make(new(nodeMemory))
	node := func(leaked bool, labels []labelPair) uint32 {
		return p.goroutineNode(&goroutine{leaked: leaked, labels: labels})
	}
	plain := node(false, nil)
	seen := make(map[uint32]bool)
	for round := range 2 {
		for i := range 2 * refs.MaxLabels {
			labels := []labelPair{{"request", strconv.Itoa(i)}}
			n := node(false, labels)
			switch {
			case i >= refs.MaxLabels:
				if n != plain {
					t.Fatalf("set %d has node %d, want %d", i, n, plain)
				}
			case round == 0 && (n == plain || seen[n]):
				t.Fatalf("set %d has node %d, which is not its own", i, n)
			case round == 1 && (!seen[n]):
				t.Fatalf("set %d has another node, %d", i, n)
			}
			seen[n] = true
		}
	}
	if leaked := node(true, nil); leaked == plain {
		t.Error("leaked goroutines have the node of others")
	}
}
