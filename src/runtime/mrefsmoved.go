// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Items that enter or leave pools while a recording marks.
//
// Stages follow pools late, and a busy program takes items and gives them back
// all the time. Where an item is when its pool or a stack is followed, or that
// only the write barrier finds it, says nothing about the program. Therefore
// Put and Get tell the recorder of each item, and it claims the item at its
// pool. For example, a buffer that a goroutine has just taken from bufferPool
// is at bufferPool, and not at the goroutine.
//
// The item is scanned at once, because the array of a buffer is to be at the
// pool, too, and a goroutine that works with the buffer often refers to the
// array. In this scan, objects without pointers are claimed, and all others are
// held back (see refs.Paths.RankAt). So nothing is queued.
//
// The pool's path begins at the object or global variable that has the Pool. If
// no stage has reached this object yet, the P keeps the move, and the goroutine
// in gcMarkDone tries again when the next stage begins. A move is only a hint:
// if there is no room for it, the item belongs to what else finds it.
//
// Nothing that would be free is retained, because the write barrier finds each
// item that moves.

package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/refs"
	"unsafe"
)

// A refsMove is an item that has entered or left a pool.
type refsMove struct {
	pool uintptr // address of the Pool's field local
	typ  uintptr // first word of the interface that has the item
	data uintptr // second word
}

// refsMoves has moves that a P keeps. Code that runs on the P, and cannot be
// preempted, fills empty places. The goroutine in gcMarkDone empties them.
type refsMoves struct {
	any    atomic.Bool
	places [1 << refsMovesBits]refsKeptMove
}

const refsMovesBits = 8

// A refsKeptMove is a place for a move. It is empty if data is 0.
type refsKeptMove struct {
	pool, typ uintptr
	data      atomic.Uintptr
}

// refsTakeMoved handles a move. refsPoolMoved calls it on the system stack.
//
//go:nowritebarrier
func refsTakeMoved(m refsMove) {
	if !refsMarking.stage.HoldsFound() {
		return
	}
	gcw := &getg().m.p.ptr().gcw
	if rp := refsOf(gcw.id); !rp.takeMove(gcw, &m) {
		rp.moves.keep(&m)
	}
}

// refsTakeMoves handles the moves that Ps have kept. The goroutine in
// gcMarkDone calls it while no worker marks.
func refsTakeMoves() {
	if !refsRecording.on || !refsMarking.stage.HoldsFound() {
		return
	}
	systemstack(func() {
		gcw := &getg().m.p.ptr().gcw
		for id := range refsPs.n {
			refsOf(gcw.id).takeKept(gcw, &refsOf(id).moves)
		}
	})
}

// keep keeps m if its place is empty. The place depends on the item, so that an
// item that moves often is kept once.
//
//go:nowritebarrier
func (ms *refsMoves) keep(m *refsMove) {
	k := &ms.places[uint32(m.data>>4)*0x9e3779b1>>(32-refsMovesBits)]
	if k.data.Load() == 0 {
		k.pool, k.typ = m.pool, m.typ
		k.data.Store(m.data)
		ms.any.Store(true)
	}
}

// takeKept handles the moves in ms, and empties the places of those that it
// could handle.
//
//go:nowritebarrier
func (rp *refsP) takeKept(gcw *gcWork, ms *refsMoves) {
	if !ms.any.Load() {
		return
	}
	ms.any.Store(false)
	for i := range ms.places {
		k := &ms.places[i]
		data := k.data.Load()
		if data == 0 {
			continue
		}
		if m := (refsMove{k.pool, k.typ, data}); rp.takeMove(gcw, &m) {
			k.data.Store(0)
		} else {
			ms.any.Store(true)
		}
	}
}

// takeMove claims the item of m at its pool, and reports whether m need not be
// kept.
//
//go:nowritebarrier
func (rp *refsP) takeMove(gcw *gcWork, m *refsMove) bool {
	var item refsObject
	if !refsFind(m.data, &item) || !item.claimable() {
		return true
	}
	local := rp.localOf(gcw, m.pool)
	if local == 0 {
		return false
	}
	e := refsEdge{from: local, off: refs.PoolItem, slot: uintptr(unsafe.Pointer(&m.data)), val: m.data, vars: &rp.vars}
	var key refs.Key
	item.setClaim(&e, e.resolve(&item, &key))
	rp.takeItem(gcw, &item, refsPaths.Find(&key))
	return true
}

// localOf returns the node of the poolLocals of the Pool whose field local is at
// the given address, or 0 if the node is not known yet. The field refers to an
// array, because the caller of Put or Get is pinned. If the array is new,
// localOf holds it back.
//
//go:nowritebarrier
func (rp *refsP) localOf(gcw *gcWork, pool uintptr) uint32 {
	e := refsEdge{slot: pool, val: *(*uintptr)(unsafe.Pointer(pool)), vars: &rp.vars}
	var o refsObject
	if !e.findHolder() || !refsFind(e.val, &o) {
		return 0
	}
	var key refs.Key
	exact := e.resolve(&o, &key)
	n := refsPaths.Find(&key)
	if !refsPaths.IsPoolLocal(n) {
		return 0
	}
	o.setClaim(&e, exact)
	rp.take(gcw, &o, n, exact)
	return n
}

// findHolder sets e.from and e.off from e.slot, and reports whether the object
// or global variable that has the word is known.
//
//go:nowritebarrier
func (e *refsEdge) findHolder() bool {
	var o refsObject
	if refsFind(e.slot, &o) {
		w := o.word()
		if w == nil {
			return false
		}
		n := w.Load()
		if n == 0 || n&(refs.Held|refs.Lost) != 0 {
			return false
		}
		e.from, e.off = n&^refs.ObjectFlags, e.slot-o.data
	} else {
		i := refsGlobalWith(e.slot)
		if i < 0 {
			return false
		}
		e.from, e.off = refsGlobalNode(i), e.slot-refsGlobalAt(i).addr
	}
	if stride := refsPaths.Stride(e.from); stride != 0 {
		e.off %= stride
	}
	return true
}

// refsGlobalWith returns the index of the global variable that has the byte at
// p, or -1 if there is none.
//
//go:nowritebarrier
func refsGlobalWith(p uintptr) int {
	md := &firstmoduledata
	if refsGlobalCount() == 0 || !(p >= md.data && p < md.edata || p >= md.bss && p < md.ebss) {
		return -1
	}
	i := refsGlobalFrom(p)
	if i >= refsGlobalCount() {
		return -1
	}
	if g := refsGlobalAt(i); p < g.addr || p >= g.addr+g.size {
		return -1
	}
	return i
}

// takeItem claims item for node n, unless it is claimed, and scans it.
//
//go:nowritebarrier
func (rp *refsP) takeItem(gcw *gcWork, item *refsObject, n uint32) {
	if rp.log.on && rp.log.describeUnclaimed(item) {
		rp.log.root(item.base, n)
	}
	if item.class.noscan() {
		if item.claim(&rp.refsClaimer, gcw, n) {
			refsPaths.Count(n, 1, int64(item.size))
			item.countSmall(n)
		}
		return
	}
	w := item.makeWord(&rp.words)
	if w == nil {
		return
	}
	if _, ok := item.claimWord(&rp.refsClaimer, gcw, w, n|refs.Alone); ok {
		refsPaths.Count(n, 1, int64(item.size))
		item.countSmall(n)
		item.mspan()
		refsPaths.CountScan(n, item.scanFrom(n, gcw, refsCounts))
		rp.followAll(gcw)
	}
}
