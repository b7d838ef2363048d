// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Objects that are moved, while a recording marks, into others that are allocated then.

package runtime_test

import (
	"internal/abi"
	"internal/profilerecord"
	. "runtime"
	"runtime/debug"
	"testing"
)

type (
	refsMoved  struct{ p, q, r, s, t, u *int }
	refsHolder struct {
		moved *refsMoved
		_     [22]*int
	}
)

var (
	refsLongList *refsLink
	refsSpare    []byte
	refsTaken    [][]byte
)

type refsLink struct {
	next *refsLink
	_    [6]int
}

// refsMoves is the objects that a goroutine moves.
type refsMoves struct {
	before []*refsMoved
	full   bool // the heap has few free pages; more are taken, and an arena

	large   []*refsMoved  // large, and made while marking
	holders []*refsHolder // made while marking, each held by the stack
}

// move moves all objects from where they were before.
func (m *refsMoves) move() {
	n := len(m.before) / 2
	if m.full {
		refsTakePages(64<<20, 64<<20)
		refsTakePages(8<<10, 16<<20)
	}
	m.large = make([]*refsMoved, n)
	copy(m.large, m.before)
	for i := range m.holders {
		m.holders[i] = &refsHolder{moved: m.before[n+i]}
	}
	clear(m.before)
	m.before = nil
}

// TestRefsMoved checks that objects are counted below the objects into which they are
// moved while a stage before theirs marks, large ones and those of new spans, in arenas
// of before and in one that is mapped then.
func TestRefsMoved(t *testing.T) {
	defer GOMAXPROCS(GOMAXPROCS(4))
	for range 2_000_000 { // keeps the stage of globals busy
		refsLongList = &refsLink{next: refsLongList}
	}
	defer func() { refsLongList = nil }()
	t.Run("arenas of before", func(t *testing.T) {
		refsSpare = make([]byte, 16<<20)
		refsSpare = nil
		GC() // the heap need not grow while a recording marks
		testRefsMoved(t, false)
	})
	t.Run("new arenas", func(t *testing.T) {
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
		defer func() { refsTaken = nil }()
		var stats MemStats
		for ReadMemStats(&stats); stats.HeapIdle > 8<<20; ReadMemStats(&stats) {
			refsTakePages(8<<10, 4<<20)
		}
		testRefsMoved(t, true)
	})
}

// refsTakePages allocates n bytes, in blocks of the given size.
func refsTakePages(size, n int) {
	for range n / size {
		refsTaken = append(refsTaken, make([]byte, size))
	}
}

func testRefsMoved(t *testing.T, full bool) {
	const n = 8 << 10
	for range 20 {
		moved, stop, ended := make(chan bool), make(chan bool), make(chan bool)
		go func() {
			defer close(ended)
			m := refsMoves{before: make([]*refsMoved, n), full: full, holders: make([]*refsHolder, n/2)}
			for i := range m.before {
				m.before[i] = new(refsMoved)
			}
			moved <- false
			for !RefsMarksGlobals() {
				Gosched()
			}
			m.move()
			moved <- RefsMarksGlobals()
			<-stop
			KeepAlive(&m)
		}()
		<-moved
		p := RefsRecordLimited(0)
		inTime := <-moved
		close(stop)
		<-ended
		if !inTime {
			continue
		}
		if got := refsObjectsBelow(p, profilerecord.RefsGoroutine, abi.TypeFor[refsMoved]()); got != n {
			t.Errorf("%d objects below a goroutine, want %d", got, n)
		}
		return
	}
	t.Error("no objects were moved in time")
}
