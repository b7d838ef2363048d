// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Items that goroutines take from pools, and put into them, while a recording
// marks.

package runtime_test

import (
	"internal/abi"
	"internal/profilerecord"
	"internal/race"
	. "runtime"
	"runtime/debug"
	"sync"
	"testing"
)

type (
	refsMotionItem struct {
		buffer *refsMotionBuffer
		user   *refsMotionUser
		_      [9]*int
	}
	refsMotionBuffer struct{ _ [1 << 9]byte }
	refsMotionUser   struct {
		buffer *refsUserBuffer
		_      [10]*int
	}
	refsUserBuffer   struct{ _ [3 << 8]byte }
	refsMotionHolder struct {
		_    [100]*int
		pool sync.Pool
	}
)

var (
	refsMotionPool  sync.Pool
	refsMotionOwner *refsMotionHolder
)

// TestRefsPoolMotion checks that items are at their pool, with their buffers,
// wherever a goroutine has them when the recording follows its stack, and that
// the goroutine keeps what else an item refers to.
func TestRefsPoolMotion(t *testing.T) {
	if race.Enabled {
		t.Skip("pools drop items")
	}
	refsKeepBusy(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	take := func(pool *sync.Pool, hand []*refsMotionItem) {
		for i := range hand {
			hand[i], _ = pool.Get().(*refsMotionItem)
		}
	}
	put := func(pool *sync.Pool, hand []*refsMotionItem) {
		for i, item := range hand {
			if item != nil {
				pool.Put(item)
			}
			hand[i] = nil
		}
	}
	for _, test := range []struct {
		name   string
		n      int
		inHeap bool
		inHand bool // the goroutine has the items when the recording begins
		move   func(pool *sync.Pool, hand []*refsMotionItem)
	}{
		{"taken", 1000, false, false, take},
		{"put", 1000, false, true, put},
		{"taken and put", 1000, false, false, func(pool *sync.Pool, hand []*refsMotionItem) {
			take(pool, hand)
			put(pool, hand)
		}},
		{"put and taken", 1000, false, true, func(pool *sync.Pool, hand []*refsMotionItem) {
			put(pool, hand)
			take(pool, hand)
		}},
		{"pool in the heap", 1, true, false, take},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := refsRecordMeanwhile(t, func() (move func()) {
				refsMotionPool, refsMotionOwner = sync.Pool{}, new(refsMotionHolder)
				pool := &refsMotionPool
				if test.inHeap {
					pool = &refsMotionOwner.pool
				}
				hand, users := make([]*refsMotionItem, test.n), make([]*refsMotionUser, test.n)
				for i := range hand {
					users[i] = &refsMotionUser{buffer: new(refsUserBuffer)}
					hand[i] = &refsMotionItem{buffer: new(refsMotionBuffer), user: users[i]}
				}
				if !test.inHand {
					put(pool, hand)
				}
				return func() {
					test.move(pool, hand)
					KeepAlive(users)
				}
			})
			for _, want := range []struct {
				typ  *abi.Type
				root profilerecord.RefsKind
			}{
				{abi.TypeFor[refsMotionItem](), profilerecord.RefsGlobal},
				{abi.TypeFor[refsMotionBuffer](), profilerecord.RefsGlobal},
				{abi.TypeFor[refsMotionUser](), profilerecord.RefsGoroutine},
				{abi.TypeFor[refsUserBuffer](), profilerecord.RefsGoroutine},
			} {
				if got := refsObjectsBelow(p, want.root, want.typ); got != int64(test.n) {
					t.Errorf("%d objects of %s below a root of kind %d, want %d", got, RefsTypeString(want.typ), want.root, test.n)
				}
			}
		})
	}
	refsMotionPool, refsMotionOwner = sync.Pool{}, nil
}
