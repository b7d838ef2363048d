// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime_test

import (
	"internal/abi"
	"internal/profilerecord"
	"internal/race"
	"iter"
	. "runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
)

type (
	refsTakenFromPool struct{ p, q, r, s, t *int }
	refsAllocatedLate struct{ p, q, r, s, t, u *int }
	refsNoPointers    struct{ a, b [64]uint64 }
	refsOfNewcomer    struct{ p, q, r, s, t, u, v *int }
	refsOfCoroutine   struct{ p, q, r, s, t, u, v, w *int }
)

var refsLatePool sync.Pool

// TestRefsStacksAgain checks that an object is below a goroutine if the
// goroutine allocates it after the goroutine's stack has been scanned. The test
// checks the same for an object that a coroutine allocates then, and for one
// that a new goroutine allocates. An object that the goroutine takes from a pool
// stays at the pool.
func TestRefsStacksAgain(t *testing.T) {
	defer GOMAXPROCS(GOMAXPROCS(4))
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // because two collections empty pools
	// The goroutine does this while a long list keeps the stage of cleanups
	// busy.
	cleaned := new([4]*int)
	defer AddCleanup(cleaned, func(*refsLink) {}, refsLengthen(nil, refsLinks)).Stop()
	for range 200 { // on a busy machine the goroutine is too late in most attempts
		p := refsRecordLate()
		if p == nil {
			continue
		}
		types := []*abi.Type{
			abi.TypeFor[refsAllocatedLate](),
			abi.TypeFor[refsNoPointers](),
			abi.TypeFor[refsOfNewcomer](),
			abi.TypeFor[refsOfCoroutine](),
		}
		for _, typ := range types {
			if n := refsObjectsBelow(p, profilerecord.RefsGoroutine, typ); n != 1 {
				t.Errorf("%d objects of %s below a goroutine, want 1", n, RefsTypeString(typ))
			}
		}
		if !race.Enabled { // with the race detector, pools drop items
			if n := refsObjectsBelow(p, profilerecord.RefsGlobal, abi.TypeFor[refsTakenFromPool]()); n != 2 {
				t.Errorf("%d items at the pool, want 2", n)
			}
		}
		KeepAlive(cleaned)
		return
	}
	t.Fatal("no objects were taken in time")
}

// refsRecordLate records while a goroutine takes and allocates objects after
// stacks have been scanned. It returns nil if the goroutine was too late.
func refsRecordLate() *profilerecord.RefsProfile {
	for range 2 { // two, because other Ps cannot take the first one
		refsLatePool.Put(new(refsTakenFromPool))
	}
	ready, stop := make(chan bool), make(chan bool)
	var done, inTime atomic.Bool
	var both sync.WaitGroup
	both.Go(func() {
		next, end := iter.Pull(func(yield func(bool) bool) {
			yield(true)
			own := refsNewOfCoroutine()
			yield(true)
			KeepAlive(own)
		})
		defer end()
		next()
		ready <- true
		for !RefsHasScannedStacks() && !done.Load() {
			Gosched()
		}
		taken, _ := refsLatePool.Get().(*refsTakenFromPool)
		late, plain := refsNewAllocatedLate(), refsNewNoPointers()
		next()
		both.Go(func() {
			own := refsNewOfNewcomer()
			ready <- true
			<-stop
			KeepAlive(own)
		})
		<-ready
		inTime.Store((taken != nil || race.Enabled) && RefsHasScannedStacks())
		<-stop
		KeepAlive(taken)
		KeepAlive(late)
		KeepAlive(plain)
	})
	<-ready
	p := RefsRecordLimited(0)
	done.Store(true)
	close(stop)
	both.Wait()
	if !inTime.Load() {
		return nil
	}
	return p
}

//go:noinline
func refsNewAllocatedLate() *refsAllocatedLate { return new(refsAllocatedLate) }

//go:noinline
func refsNewNoPointers() *refsNoPointers { return new(refsNoPointers) }

//go:noinline
func refsNewOfNewcomer() *refsOfNewcomer { return new(refsOfNewcomer) }

//go:noinline
func refsNewOfCoroutine() *refsOfCoroutine { return new(refsOfCoroutine) }
