// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Pools: an object that a sync.Pool holds belongs to another holder if it has
// one.

package runtime_test

import (
	"internal/abi"
	"internal/profilerecord"
	"internal/race"
	. "runtime"
	"runtime/debug"
	"sync"
	"testing"
	"unsafe"
)

type (
	refsPooled       struct{ of *refsPoolOwner }
	refsPoolOwner    struct{ p, q, r *int }
	refsPooledElem   struct{ p, q, r, s *int }
	refsPooledInside struct{ pool sync.Pool }
)

var refsPool sync.Pool

// TestRefsPool checks that items that only a pool holds are below the pool. One
// pool is in a global variable, and one in the argument of a cleanup. The test
// also checks that an object to which both an item and a goroutine refer is
// below the goroutine.
func TestRefsPool(t *testing.T) {
	if race.Enabled {
		t.Skip("pools drop items")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // because another collection would empty pools
	const n = 1000
	started, stop, ended := make(chan bool), make(chan bool), make(chan bool)
	cleaned := new([4]*int)
	go func() {
		defer close(ended)
		owners, inside := make([]*refsPoolOwner, 2*n), new(refsPooledInside)
		for i := range n {
			owners[i], owners[n+i] = new(refsPoolOwner), new(refsPoolOwner)
			refsPool.Put(&refsPooled{owners[i]})
			inside.pool.Put(&refsPooled{owners[n+i]})
			refsPool.Put(new(refsPooledElem))
		}
		AddCleanup(cleaned, func(inside *refsPooledInside) { KeepAlive(inside) }, inside)
		started <- true
		<-stop
		KeepAlive(owners)
	}()
	<-started
	p := RefsRecordLimited(0)
	close(stop)
	<-ended
	for _, want := range []struct {
		typ     *abi.Type
		root    profilerecord.RefsKind
		objects int64
	}{
		{abi.TypeFor[refsPoolOwner](), profilerecord.RefsGoroutine, 2 * n},
		{abi.TypeFor[refsPooled](), profilerecord.RefsGlobal, n},
		{abi.TypeFor[refsPooled](), profilerecord.RefsCleanup, n},
		{abi.TypeFor[refsPooledElem](), profilerecord.RefsGlobal, n},
	} {
		if got := refsObjectsBelow(p, want.root, want.typ); got != want.objects {
			t.Errorf("%d objects of %s below a root of kind %d, want %d", got, RefsTypeString(want.typ), want.root, want.objects)
		}
	}
	KeepAlive(cleaned)
}

// TestRefsPoolPaths checks that all items of a pool have the same path: the
// item that a P has itself, and items in its queues. The collection of each
// recording makes all of them victims before it marks.
func TestRefsPoolPaths(t *testing.T) {
	if race.Enabled {
		t.Skip("pools drop items")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	put := func(n int) {
		for range n {
			refsPool.Put(new(refsPooledElem))
		}
	}
	GC()
	GC()
	put(1)
	put(500)
	p := RefsRecordLimited(0) // the collection makes these items victims
	put(1000)
	again := RefsRecordLimited(0)
	refsPool = sync.Pool{}
	for i, p := range []*profilerecord.RefsProfile{p, again} {
		nodes, objects := 0, int64(0)
		for _, node := range p.Nodes {
			if node.Type == unsafe.Pointer(abi.TypeFor[refsPooledElem]()) && node.Objects != 0 {
				nodes++
				objects += node.Objects
			}
		}
		if want := []int64{501, 1000}[i]; nodes != 1 || objects != want {
			t.Errorf("recording %d: %d items at %d nodes, want %d at one", i, objects, nodes, want)
		}
	}
}

// TestRefsPoolMoved checks that items are below the goroutine that holds their
// pools if they are put into the pools during the recording, while an earlier
// stage than the goroutine's marks. The pools have held no items before, so
// they allocate their queues at that time.
func TestRefsPoolMoved(t *testing.T) {
	if race.Enabled {
		t.Skip("pools drop items")
	}
	refsKeepBusy(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	t.Run("arenas of before", func(t *testing.T) { testRefsPoolMoved(t, false) })
	t.Run("new arenas", func(t *testing.T) {
		defer func() { refsTaken = nil }()
		testRefsPoolMoved(t, true)
	})
}

func testRefsPoolMoved(t *testing.T, full bool) {
	const n = 1000
	p := refsRecordMeanwhile(t, func() (move func()) {
		items, inside := make([]*refsPooledElem, n), new([n / 10]refsPooledInside)
		for i := range items {
			items[i] = new(refsPooledElem)
		}
		if full {
			refsFillHeap()
		}
		return func() {
			if full {
				refsTakeArena()
			}
			for i, item := range items {
				inside[i%len(inside)].pool.Put(item)
			}
			clear(items)
		}
	})
	if got := refsObjectsBelow(p, profilerecord.RefsGoroutine, abi.TypeFor[refsPooledElem]()); got != n {
		t.Errorf("%d objects of %s below a goroutine, want %d", got, RefsTypeString(abi.TypeFor[refsPooledElem]()), n)
	}
}
