// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package core

import (
	"strconv"
	"testing"
)

// TestLabels checks that goroutines with many sets of labels do not use up the
// nodes.
func TestLabels(t *testing.T) {
	ns := newNodeTable()
	plain := ns.goroutine(false, nil)
	seen := make(map[uint32]bool)
	for round := range 2 {
		for i := range 2 * maxLabels {
			labels := []labelPair{{"request", strconv.Itoa(i)}}
			n := ns.goroutine(false, labels)
			switch {
			case i >= maxLabels:
				if n != plain {
					t.Fatalf("set %d has node %d, want %d", i, n, plain)
				}
			case round == 0 && (n == plain || seen[n] || len(ns.at(n).labels) != 1):
				t.Fatalf("set %d has node %d, which is not its own", i, n)
			case round == 1 && (!seen[n] || ns.at(n).labels[0] != labels[0]):
				t.Fatalf("set %d has another node, %d", i, n)
			}
			seen[n] = true
		}
	}
	if leaked := ns.goroutine(true, nil); leaked == plain {
		t.Error("leaked goroutines have the node of others")
	}
}
