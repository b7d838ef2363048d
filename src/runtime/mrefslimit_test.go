// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The limit of nodes: roots of one kind leave nodes for roots of the next.

package runtime_test

import (
	"internal/abi"
	"internal/profilerecord"
	"reflect"
	. "runtime"
	"slices"
	"testing"
	"time"
	"unsafe"
)

// Each type has one object, and one kind of root holds it.
type (
	refsHeldByStack     struct{ p, q *int }
	refsHeldByTimer     struct{ p, q, r *int }
	refsHeldByFinalizer struct{ p, q, r, s *int }
	refsHeldByCleanup   struct{ p, q, r, s, t *int }
)

var (
	refsGlobalValues []any
)

// refsManyTypes returns values of n types. They take n nodes below the node of
// the root that holds them.
func refsManyTypes(n int) (values []any) {
	for i := range n {
		values = append(values, reflect.New(reflect.ArrayOf(i+1, reflect.TypeFor[int8]())).Interface())
	}
	return values
}

// TestRefsNodesLeft checks that there are nodes for roots of each kind even if
// roots of earlier kinds have used up theirs.
func TestRefsNodesLeft(t *testing.T) {
	const limit = 4096
	stop, ready, ended := make(chan bool), make(chan bool), make(chan bool)
	defer func() { close(stop); <-ended; <-ended }()
	refsHoldTimer()
	finalized, cleaned := refsHoldSpecials()
	go func() {
		defer close(ended)
		held := refsNewHeldByStack()
		ready <- true
		<-stop
		KeepAlive(held)
		ended <- true
	}()
	<-ready

	check := func(when string, full ...profilerecord.RefsKind) {
		p := RefsRecordLimited(limit)
		if len(full) > 0 != (p.LostObjects > 0) {
			t.Errorf("%s: %d objects lost", when, p.LostObjects)
		}
		for _, want := range []struct {
			root profilerecord.RefsKind
			typ  *abi.Type
		}{
			{profilerecord.RefsGoroutine, abi.TypeFor[refsHeldByStack]()},
			{profilerecord.RefsTimer, abi.TypeFor[refsHeldByTimer]()},
			{profilerecord.RefsFinalizer, abi.TypeFor[refsHeldByFinalizer]()},
			{profilerecord.RefsCleanup, abi.TypeFor[refsHeldByCleanup]()},
		} {
			if !slices.Contains(full, want.root) && refsObjectsBelow(p, want.root, want.typ) == 0 {
				t.Errorf("%s: no object of %s below a root of kind %d", when, RefsTypeString(want.typ), want.root)
			}
		}
	}
	check("with nodes to spare")
	refsGlobalValues = refsManyTypes(limit)
	defer func() { refsGlobalValues = nil }()
	check("with globals that use up their nodes", profilerecord.RefsGlobal)
	values := refsManyTypes(2 * limit)[limit:]
	check("with globals and a stack that use up their nodes", profilerecord.RefsGlobal, profilerecord.RefsGoroutine)
	KeepAlive(values)
	KeepAlive(finalized)
	KeepAlive(cleaned)
}

//go:noinline
func refsNewHeldByStack() *refsHeldByStack { return &refsHeldByStack{p: new(int)} }

// refsHoldTimer starts a timer to which only the runtime refers.
//
//go:noinline
func refsHoldTimer() {
	held := &refsHeldByTimer{p: new(int)}
	time.AfterFunc(time.Hour, func() { KeepAlive(held) })
}

// refsHoldSpecials returns two objects. The first has a finalizer that holds
// another object, and the second has a cleanup whose argument is another
// object.
//
//go:noinline
func refsHoldSpecials() (finalized, cleaned *[4]*int) {
	finalized, cleaned = new([4]*int), new([4]*int)
	held := &refsHeldByFinalizer{p: new(int)}
	SetFinalizer(finalized, func(*[4]*int) { KeepAlive(held) })
	AddCleanup(cleaned, func(held *refsHeldByCleanup) { KeepAlive(held) }, &refsHeldByCleanup{p: new(int)})
	return finalized, cleaned
}

// refsObjectsBelow returns the number of objects of a type below roots of a
// kind.
func refsObjectsBelow(p *profilerecord.RefsProfile, root profilerecord.RefsKind, typ *abi.Type) (objects int64) {
	for i := range p.Nodes {
		node := &p.Nodes[i]
		if node.Type != unsafe.Pointer(typ) || node.Role != profilerecord.RefsObject {
			continue
		}
		for node.Parent != 0 {
			node = &p.Nodes[node.Parent]
		}
		if node.Kind == root {
			objects += p.Nodes[i].Objects
		}
	}
	return objects
}
