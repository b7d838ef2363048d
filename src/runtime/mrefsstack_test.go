// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime_test

import (
	"internal/abi"
	"internal/profilerecord"
	. "runtime"
	"sync/atomic"
	"testing"
	"unsafe"
)

type refsHandedDown struct{ p, q *int }

// A refsLentOut is a variable of a frame. The test takes the variable's
// address.
type refsLentOut struct{ o *refsHandedDown }

// TestRefsOutermostFirst checks that an object to which several frames of a
// stack refer is counted at the outermost frame. It also checks stacks with
// more words than are kept at a time, and an innermost frame that refers to the
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
			if node.Objects != 1 || frames != 2 { // frames of the go statement's function and of refsHandDown
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
// of the variable to which lent points.
//
//go:noinline
func refsLend(lent *refsLentOut) *refsLentOut { return lent }

// A refsRegisterLeft is the argument of a cleanup. Its address is also in
// registers, but in no variable that is alive.
type refsRegisterLeft struct{ p *int }

var (
	refsSpins  atomic.Bool
	refsToSpin atomic.Bool
)

// TestRefsRegistersLast checks that a register that still has the value of a
// dead variable does not claim the argument of a cleanup.
func TestRefsRegistersLast(t *testing.T) {
	defer GOMAXPROCS(GOMAXPROCS(max(2, GOMAXPROCS(0))))
	cleaned := new([4]*int)
	refsToSpin.Store(true)
	ended := make(chan bool)
	cleanup := refsLeaveInRegisters(cleaned, ended)
	for !refsSpins.Load() {
		Gosched()
	}
	p := RefsRecordLimited(0)
	refsToSpin.Store(false)
	<-ended
	refsSpins.Store(false)
	cleanup.Stop()
	KeepAlive(cleaned)
	if n := refsObjectsBelow(p, profilerecord.RefsCleanup, abi.TypeFor[refsRegisterLeft]()); n != 1 {
		t.Errorf("%d objects below the cleanup, want 1", n)
	}
}

// refsLeaveInRegisters adds a cleanup to cleaned, and starts a goroutine that
// spins with the cleanup's argument in its registers.
//
//go:noinline
func refsLeaveInRegisters(cleaned *[4]*int, ended chan<- bool) Cleanup {
	left := &refsRegisterLeft{p: new(int)}
	cleanup := AddCleanup(cleaned, func(left *refsRegisterLeft) { KeepAlive(left) }, left)
	go func() {
		refsSpin(left, left, left, left, left, left)
		ended <- true
	}()
	return cleanup
}

// refsSpin does not use its arguments. It makes no calls, so that a goroutine
// in it is preempted by a signal, and its frame is scanned conservatively. The
// loop has no code of the runtime, which signals do not preempt.
//
//go:norace
//go:noinline
func refsSpin(_, _, _, _, _, _ *refsRegisterLeft) {
	refsSpins.Store(true)
	for refsToSpin.Load() {
	}
}
