// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Callbacks and contexts: an object to which they refer belongs to another
// holder if it has one. If not, it belongs to them.

package runtime_test

import (
	"context"
	"internal/abi"
	"internal/profilerecord"
	"internal/testenv"
	"os"
	. "runtime"
	"testing"
)

type (
	refsLent       struct{ p, q *int } // a goroutine holds all, and lends each to a callback
	refsLentValue  struct{ p, q *int } // a goroutine holds all, and lends each to a context
	refsLentDeep   struct{ p, q *int } // a goroutine holds all, and so do objects to which callbacks refer
	refsGiven      struct{ p, q *int } // only a callback or a context holds it
	refsCallback   struct{ call func() }
	refsContextKey struct{}
)

var refsRegistry struct {
	callbacks []refsCallback
	call      func() int
	contexts  []context.Context
}

// TestRefsBorrowed checks the objects below callbacks and contexts that a
// global variable has. It runs in a process of its own, in which the goroutine
// that lends objects is among the oldest.
func TestRefsBorrowed(t *testing.T) {
	if os.Getenv("TEST_REFS_BORROWED") == "" {
		cmd := testenv.Command(t, testenv.Executable(t), "-test.run=^TestRefsBorrowed$")
		cmd.Env = append(os.Environ(), "TEST_REFS_BORROWED=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	const n = 100
	started, stop, ended := make(chan bool), make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		lent, values, deep := make([]*refsLent, n), make([]*refsLentValue, n), make([]*refsLentDeep, n)
		parent, cancel := context.WithCancel(context.Background())
		defer cancel()
		for i := range n {
			lent[i], values[i], deep[i] = new(refsLent), new(refsLentValue), new(refsLentDeep)
			ctx := context.WithValue(parent, refsContextKey{}, values[i])
			refsRegistry.contexts = append(refsRegistry.contexts, context.WithValue(ctx, refsContextKey{}, new(refsGiven)))
			mine, inside, given := lent[i], [][]*refsLentDeep{deep[i : i+1]}, new(refsGiven)
			refsRegistry.callbacks = append(refsRegistry.callbacks, refsCallback{func() { *mine.p, *inside[0][0].p, *given.p = 1, 2, 3 }})
		}
		refsRegistry.call = func() int { return *lent[0].p }
		started <- true
		<-stop
		KeepAlive(lent)
		KeepAlive(values)
		KeepAlive(deep)
	}()
	<-started
	p := RefsRecordLimited(0)
	close(stop)
	<-ended
	refsRegistry.callbacks, refsRegistry.call, refsRegistry.contexts = nil, nil, nil
	for _, want := range []struct {
		typ     *abi.Type
		root    profilerecord.RefsKind
		objects int64
	}{
		{abi.TypeFor[refsLent](), profilerecord.RefsGoroutine, n},
		{abi.TypeFor[refsLentValue](), profilerecord.RefsGoroutine, n},
		{abi.TypeFor[refsLentDeep](), profilerecord.RefsGoroutine, n},
		{abi.TypeFor[refsGiven](), profilerecord.RefsGlobal, 2 * n},
	} {
		if got := refsObjectsBelow(p, want.root, want.typ); got != want.objects {
			t.Errorf("%d objects of %s below a root of kind %d, want %d", got, RefsTypeString(want.typ), want.root, want.objects)
		}
	}
}
