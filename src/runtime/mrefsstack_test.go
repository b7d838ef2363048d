// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime_test

import (
	"internal/abi"
	"internal/profilerecord"
	. "runtime"
	"testing"
	"unsafe"
)

type refsHandedDown struct{ p, q *int }

// A refsLentOut is a variable of a frame. The test takes its address.
type refsLentOut struct{ o *refsHandedDown }

// TestRefsOutermostFirst checks that an object to which several frames of a
// stack refer is counted at the outermost. It also checks stacks with more
// words than are kept at a time, and an innermost frame that refers to the
// object by a variable whose address is taken.
func TestRefsOutermostFirst(t *testing.T) {
	for _, depth := range []int{0, 1, 10, 1000, 100000} {
		started, stop, ended := make(chan bool), make(chan bool), make(chan bool)
		go func() {
			defer close(ended)
			refsHandDown(Escape(new(refsHandedDown)), depth, started, stop)
		}()
		<-started
		p := RefsRecordLimited(0)
		close(stop)
		<-ended
		found := 0
		for _, node := range p.Nodes {
			if node.Type != unsafe.Pointer(abi.TypeFor[refsHandedDown]()) || node.Objects == 0 {
				continue
			}
			found++
			frames := 0
			for i := node.Parent; i != 0; i = p.Nodes[i].Parent {
				if p.Nodes[i].Kind == profilerecord.RefsFrame {
					frames++
				}
			}
			if node.Objects != 1 || frames != 2 { // of the go statement's function and of refsHandDown
				t.Errorf("depth %d: %d objects below %d frames, want one below 2", depth, node.Objects, frames)
			}
		}
		if found != 1 {
			t.Errorf("depth %d: %d nodes of the object, want 1", depth, found)
		}
	}
}

//go:noinline
func refsHandDown(o *refsHandedDown, depth int, started, stop chan bool) {
	if depth > 0 {
		refsHandDown(o, depth-1, started, stop)
	} else {
		lent := refsLend(&refsLentOut{o})
		started <- true
		<-stop
		KeepAlive(lent.o)
	}
	KeepAlive(o)
}

// refsLend returns lent, so that a word of the caller's frame has the address
// of the variable.
//
//go:noinline
func refsLend(lent *refsLentOut) *refsLentOut { return lent }
