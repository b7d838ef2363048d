// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These tests make nodes without a recording. TestRefsCorpus of runtime/pprof
// records heaps of known shape.

package runtime_test

import (
	"internal/abi"
	"reflect"
	. "runtime"
	"testing"
)

func TestRefsNodes(t *testing.T) {
	tree := NewRefsTree()
	defer tree.Free()
	a, b, c := abi.TypeFor[refsLeaf](), abi.TypeFor[refsWalk](), abi.TypeFor[int]()
	global := tree.Global(1)
	below := tree.Field(global, 8, a)
	deeper := tree.Field(below, 16, b)
	for _, test := range []struct {
		name string
		node uint32
		want uint32
		same bool
	}{
		{"the same variable", tree.Global(1), global, true},
		{"another variable", tree.Global(2), global, false},
		{"the same field", tree.Field(global, 8, a), below, true},
		{"another field", tree.Field(global, 16, a), below, false},
		{"another type", tree.Field(global, 8, c), below, false},
		{"the same type below itself", tree.Field(below, 24, a), below, true},
		{"the same type further below itself", tree.Field(deeper, 0, a), below, true},
		{"another type below", tree.Field(deeper, 0, c), below, false},
		{"the same below another variable", tree.Field(tree.Global(2), 8, a), below, false},
	} {
		if (test.node == test.want) != test.same {
			t.Errorf("%s: nodes %d and %d", test.name, test.node, test.want)
		}
	}
}

// TestRefsNodesFull checks that objects are counted at the parent, and as lost,
// if there is no room for their node.
func TestRefsNodesFull(t *testing.T) {
	tree := NewRefsTree()
	defer tree.Free()
	parent := tree.Global(1)
	typ := abi.TypeFor[int]()
	nodes, lost := map[uint32]bool{}, 0
	for off := range uintptr(RefsMaxNodes + 10) {
		n := tree.Field(parent, off, typ)
		above, isLost := RefsIsLost(n)
		if isLost {
			lost++
			if above != parent {
				t.Fatalf("lost below %d, want %d", above, parent)
			}
		} else if nodes[n] {
			t.Fatalf("node %d is given out twice", n)
		}
		nodes[n] = true
		tree.Count(n, 1, 32)
	}
	if lost < 10 || lost > 20 {
		t.Errorf("%d of %d nodes are lost", lost, RefsMaxNodes+10)
	}
	if objects, bytes := tree.Lost(); objects != int64(lost) || bytes != int64(lost)*32 {
		t.Errorf("%d objects, %d bytes are lost, want %d, %d", objects, bytes, lost, lost*32)
	}
	if objects, _ := tree.At(parent); objects != int64(lost) {
		t.Errorf("%d objects at the parent, want %d", objects, lost)
	}
	if n := tree.Global(2); n != tree.Global(3) {
		t.Errorf("roots without room are at %d and %d", n, tree.Global(3))
	}
}

// TestRefsNodesDeep checks that an object is counted at the parent if its path
// would be too long. The path has a *int, a **int, and so on.
func TestRefsNodesDeep(t *testing.T) {
	tree := NewRefsTree()
	defer tree.Free()
	n := tree.Global(1)
	typ := reflect.TypeFor[int]()
	for depth := 2; depth <= RefsMaxDepth; depth++ {
		typ = reflect.PointerTo(typ)
		n = tree.Field(n, 0, abi.TypeOf(reflect.Zero(typ).Interface()))
		if _, lost := RefsIsLost(n); lost {
			t.Fatalf("path of %d elements is lost", depth)
		}
	}
	below := tree.Field(n, 0, abi.TypeFor[string]())
	if parent, lost := RefsIsLost(below); !lost || parent != n {
		t.Errorf("path of %d elements: lost = %v, parent %d, want %d", RefsMaxDepth+1, lost, parent, n)
	}
	if again := tree.Field(below, 8, abi.TypeFor[string]()); again != below {
		t.Errorf("below a lost node is %d, want %d", again, below)
	}
}

// TestRefsNodesUnknown checks that objects of unknown type below each other are
// at one node.
func TestRefsNodesUnknown(t *testing.T) {
	tree := NewRefsTree()
	defer tree.Free()
	n := tree.Field(tree.Global(1), 0, nil)
	if below := tree.Field(n, 8, nil); below != n {
		t.Errorf("nodes %d and %d", n, below)
	}
}
