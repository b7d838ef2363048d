// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// While a recording marks, these tests move objects: they copy the only
// references to the objects into other objects that are allocated during the
// recording, and clear the old references.

package runtime_test

import (
	"internal/abi"
	"internal/profilerecord"
	. "runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"unsafe"
)

type (
	refsMoved  struct{ p, q, r, s, t, u *int }
	refsHolder struct {
		moved *refsMoved
		_     [22]*int
	}
	refsWideHolder struct { // wide enough to have an allocation header with its type
		moved *refsMoved
		_     [100]*int
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

// refsMoves has the objects that a goroutine moves.
type refsMoves struct {
	before []*refsMoved
	full   bool // the heap has few free pages, so that move needs another arena

	large   []*refsMoved  // made while marking; on 64-bit systems, the array is a large object
	holders []*refsHolder // elements are made while marking
}

// move moves all objects from the places that they had before the recording.
func (m *refsMoves) move() {
	n := len(m.before) / 2
	if m.full {
		refsTakeArena()
	}
	m.large = make([]*refsMoved, n)
	copy(m.large, m.before)
	for i := range m.holders {
		m.holders[i] = &refsHolder{moved: m.before[n+i]}
	}
	clear(m.before)
	m.before = nil
}

// TestRefsMoved checks that objects are counted below the goroutine that holds
// the objects into which they are moved. They are moved during an earlier stage
// than that of the goroutine, into one array and into many small objects. These
// are in arenas that were mapped before the recording, or in an arena that is
// mapped during the recording.
func TestRefsMoved(t *testing.T) {
	refsKeepBusy(t)
	t.Run("old arenas", func(t *testing.T) { testRefsMoved(t, false) })
	t.Run("new arenas", func(t *testing.T) {
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
		defer func() { refsTaken = nil }()
		testRefsMoved(t, true)
	})
}

func testRefsMoved(t *testing.T, full bool) {
	const n = 8 << 10
	p := refsRecordMeanwhile(t, func() (move func()) {
		m := &refsMoves{before: make([]*refsMoved, n), full: full, holders: make([]*refsHolder, n/2)}
		for i := range m.before {
			m.before[i] = new(refsMoved)
		}
		if full {
			refsFillHeap()
		}
		return m.move
	})
	if got := refsObjectsBelow(p, profilerecord.RefsGoroutine, abi.TypeFor[refsMoved]()); got != n {
		t.Errorf("%d objects below a goroutine, want %d", got, n)
	}
}

// refsFillHeap leaves few free pages in the heap.
func refsFillHeap() {
	var stats MemStats
	for ReadMemStats(&stats); stats.HeapIdle > 8<<20; ReadMemStats(&stats) {
		refsTakePages(8<<10, 4<<20)
	}
}

// refsTakeArena is called after refsFillHeap. It allocates so many bytes that
// the next objects are in a new arena.
func refsTakeArena() {
	refsTakePages(64<<20, 64<<20)
	refsTakePages(8<<10, 16<<20)
}

// refsTakePages allocates n bytes, in blocks of size bytes.
func refsTakePages(size, n int) {
	for range n / size {
		refsTaken = append(refsTaken, make([]byte, size))
	}
}

// TestRefsMovedUntyped is TestRefsMoved for objects that are moved into objects
// to which only unsafe.Pointers refer.
func TestRefsMovedUntyped(t *testing.T) {
	refsKeepBusy(t)
	t.Run("old arenas", func(t *testing.T) { testRefsMovedUntyped(t, false) })
	t.Run("new arenas", func(t *testing.T) {
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
		defer func() { refsTaken = nil }()
		testRefsMovedUntyped(t, true)
	})
}

func testRefsMovedUntyped(t *testing.T, full bool) {
	const n = 1000
	p := refsRecordMeanwhile(t, func() (move func()) {
		before, holders := make([]*refsMoved, n), make([]unsafe.Pointer, n)
		if full {
			refsFillHeap()
		}
		for i := range before {
			before[i] = new(refsMoved)
		}
		return func() {
			if full {
				refsTakeArena()
			}
			for i, moved := range before {
				holders[i] = unsafe.Pointer(&refsWideHolder{moved: moved})
			}
			clear(before)
		}
	})
	if got := refsObjectsBelow(p, profilerecord.RefsGoroutine, abi.TypeFor[refsMoved]()); got != n {
		t.Errorf("%d objects below a goroutine, want %d", got, n)
	}
}

// refsRecordMeanwhile records while a goroutine calls the function that prepare
// returns. The goroutine calls prepare before the recording. It calls the
// function when the recording has begun and is still at the globals, and holds
// the function until the recording has ended.
//
// On a busy machine the goroutine may be too late in many attempts. The list
// then becomes twice as long, and no longer, because of a 386's memory.
func refsRecordMeanwhile(t *testing.T, prepare func() (move func())) *profilerecord.RefsProfile {
	defer GOMAXPROCS(GOMAXPROCS(4))
	if refsLongList == nil {
		t.Fatal("the test has not called refsKeepBusy")
	}
	refsMakeSpare()
	for attempt := range 200 {
		if attempt == 10 && !refsLonger {
			refsLonger = true
			refsLongList = refsLengthen(refsLongList, refsLinks)
			refsMakeSpare()
		}
		moved, stop, ended := make(chan bool), make(chan bool), make(chan bool)
		var recorded atomic.Bool
		go func() {
			defer close(ended)
			move := prepare()
			moved <- false
			for !RefsMarksGlobals() && !recorded.Load() {
				Gosched()
			}
			move()
			moved <- RefsMarksGlobals()
			<-stop
			KeepAlive(move)
		}()
		<-moved
		p := RefsRecordLimited(0)
		recorded.Store(true)
		inTime := <-moved
		close(stop)
		<-ended
		if inTime {
			return p
		}
		refsTaken = nil
	}
	t.Fatal("no objects were moved in time")
	return nil
}

const refsLinks = 2_000_000

var refsLonger bool // the list of the test has been doubled

// refsKeepBusy keeps the stage of globals busy in all recordings of a test.
func refsKeepBusy(t *testing.T) {
	refsLongList, refsLonger = refsLengthen(nil, refsLinks), false
	t.Cleanup(func() { refsLongList = nil })
}

//go:noinline
func refsLengthen(list *refsLink, n int) *refsLink {
	for range n {
		list = &refsLink{next: list}
	}
	return list
}

// refsMakeSpare leaves free memory, so that the heap need not grow while a
// recording marks.
func refsMakeSpare() {
	refsSpare = make([]byte, 16<<20)
	refsSpare = nil
	GC()
}
