// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file marks. It follows references from the roots, and logs them. It does
// in one goroutine the work that the recorder does while the program runs
// (runtime/mrefsclaim.go).

package core

import (
	"internal/profilerecord"
	"internal/runtime/refs"
	"slices"
)

// A logger receives the references, claims and specials that marking finds.
type logger interface {
	reference(at, target uint64)
	claim(object uint64, node uint32)
	root(goroutine *goroutine, node uint32, target uint64)
	special(object uint64, node uint32, target uint64)
	owned(at uint64, node uint32, target uint64)
	finalized(object uint64, node uint32)
}

// A marker marks.
type marker struct {
	*process
	log logger

	stage     refs.Stage
	words     []uint32             // words of objects, by the objects' numbers
	hulls     map[uint32]refs.Hull // hulls of objects that are held back, or whose words have refs.Partly
	queue     queue
	waiting   []uint32 // numbers of objects that are or were held back
	borrowers []uint32 // numbers of objects that are delayed
	deferred  bool     // as in runtime.refsMarking

	samples []typedSample // sampled objects with their types, once they have been read

	goroutine *goroutine // goroutine whose stack is scanned, or nil
	special   uint64     // address of the object whose special is followed, or 0
	dead      bool       // that object is not marked
	byNode    bool       // references count as references from their node, and not from an object

	objects, bytes uint64 // number of claimed objects, and their bytes
}

// A queue has the numbers of objects that are to be scanned, first in, first
// out.
type queue struct {
	chunks [][]uint32
	first  int
}

const queueChunk = 1 << 14

func (q *queue) put(n uint32) {
	last := len(q.chunks) - 1
	if last < 0 || len(q.chunks[last]) == queueChunk {
		q.chunks = append(q.chunks, make([]uint32, 0, queueChunk))
		last++
	}
	q.chunks[last] = append(q.chunks[last], n)
}

func (q *queue) get() (n uint32, ok bool) {
	if len(q.chunks) == 0 || q.first == len(q.chunks[0]) {
		return 0, false
	}
	n = q.chunks[0][q.first]
	if q.first++; q.first == queueChunk {
		q.chunks[0], q.first = nil, 0
		q.chunks = q.chunks[1:]
	}
	return n, true
}

// drain scans the objects that are queued.
func (m *marker) drain() {
	for {
		n, ok := m.queue.get()
		if !ok {
			return
		}
		o := m.heap.objectOf(n)
		m.scanOwn(&o, m.words[n]&^refs.ObjectFlags)
	}
}

// scanOwn scans o, which is claimed at node, and counts the scan work.
func (m *marker) scanOwn(o *object, node uint32) {
	m.paths.CountScan(node, int64(m.scanWork(o)))
	m.scan(o, node)
}

// scan follows the references in o as references of node.
func (m *marker) scan(o *object, node uint32) {
	stride, second := uint64(m.paths.Stride(node)), m.paths.At(node).Second
	m.pointers(o, func(at, pointer uint64) {
		off := at - o.data
		if off >= stride && stride != 0 {
			off %= stride
		}
		m.follow(&refs.Edge{From: node, Off: uintptr(off), Slot: uintptr(at), Val: uintptr(pointer)}, second)
	})
}

// follow follows e, and logs it. If second is set, the object that has the
// reference is of the second class, and e is logged as a reference of its node.
func (m *marker) follow(e *refs.Edge, second bool) {
	o, ok := m.find(uint64(e.Val))
	if !ok {
		return
	}
	if m.claimable(&o) {
		m.followNew(e, &o)
	} else if m.isPartly(&o) {
		m.extendBy(e, &o)
	}
	switch refs.HolderOf(m.byNode, second) {
	case refs.HeldByRoot:
		m.logRoot(m.paths.ReferenceIn(e.From, e.Off), &o)
	case refs.HeldAsOwned:
		m.log.owned(uint64(e.Slot), e.From%refs.MaxNodes, o.base)
	default:
		m.log.reference(uint64(e.Slot), o.base)
	}
}

// logRoot logs a reference from node n to o.
func (m *marker) logRoot(n uint32, o *object) {
	n %= refs.MaxNodes
	switch refs.RootHolder(m.special != 0, m.dead) {
	case refs.HeldByRoot:
		m.log.root(m.goroutine, n, o.base)
	case refs.HeldAsOwned:
		m.log.owned(m.special, n, o.base)
	default:
		m.log.special(m.special, n, o.base)
	}
}

// claimable reports whether o is not claimed yet.
func (m *marker) claimable(o *object) bool {
	w := m.words[o.number]
	return w == 0 || w&refs.Held != 0
}

// followNew follows e to o, which is not claimed yet.
func (m *marker) followNew(e *refs.Edge, o *object) {
	var k refs.Key
	t := o.target()
	exact := m.paths.Resolve(e, &t, &k)
	m.setBounds(o, e, &t, exact)
	if m.isRuntimes(&k) {
		m.takeBarrier(o)
		return
	}
	m.take(o, m.delays(&k, m.paths.Find(&k), false), exact)
}

// takeAt logs a reference to o, and takes o for the node with the key if o is
// not claimed yet. Its bounds are set. The reference is in a stack, a register, a g, a defer record
// or a special, or in the queue of finalizers or cleanups.
func (m *marker) takeAt(o *object, k *refs.Key, exact bool) {
	n := m.paths.Find(k)
	m.logRoot(n, o)
	if m.claimable(o) {
		m.take(o, m.delays(k, n, true), exact)
	} else {
		m.extend(o)
	}
}

// isRuntimes reports whether the objects of the key are Gs, Ms or Ps that wait
// (see refs.Stage.RuntimesWait).
func (m *marker) isRuntimes(k *refs.Key) bool {
	return m.stage.RuntimesWait() && m.paths.IsGMP(k.Type)
}

// delays returns n, the node with the key, with the flag refs.Delayed set if
// the objects there are borrowers that have to wait. inFrame is as refs.Borrows
// has it.
func (m *marker) delays(k *refs.Key, n uint32, inFrame bool) uint32 {
	if m.stage.Delays() && n&refs.Lost == 0 &&
		refs.Borrows(k.Role, inFrame, k.Role == profilerecord.RefsObject && m.paths.IsContext(k.Type)) {
		n |= refs.Delayed
	}
	return n
}

// take claims o for node n, or holds it back there, or leaves it held back
// where it was.
func (m *marker) take(o *object, n uint32, exact bool) {
	if m.stage.HoldsBack(m.rank(n), exact, o.s.noscan) {
		m.extendHeld(o)
		m.hold(o, n&^refs.Delayed)
	} else if exact || !m.waitsForTypes(o) {
		m.claim(o, n)
	} else {
		m.extendHeld(o)
	}
}

// waitsForTypes reports whether a reference of unknown type must not claim o,
// because release is to claim it (see refs.Stage.Leaves).
func (m *marker) waitsForTypes(o *object) bool {
	old := m.words[o.number]
	return old&refs.Held != 0 && m.stage.Leaves(m.rank(old))
}

// takeBarrier holds o back until refs.StageBarrier, or claims it in that stage.
// It does nothing if o is already claimed or held back.
func (m *marker) takeBarrier(o *object) {
	if m.words[o.number] != 0 {
		return
	}
	var k refs.Key
	t := o.target()
	m.paths.Unknown(&t, &k)
	k.Kind, k.Untyped = profilerecord.RefsBarrier, false
	m.setWhole(o)
	if n := m.paths.Find(&k); m.stage.HoldsFound() {
		m.hold(o, n)
	} else {
		m.claim(o, n)
	}
}

// claim claims o for node n, unless o is claimed already. If o has pointers or
// is a chunk of a user arena, claim queues it. If n has the flag refs.Delayed,
// o has pointers, and borrowers still wait, claim puts o among the borrowers
// instead.
func (m *marker) claim(o *object, n uint32) {
	if !m.claimable(o) {
		return
	}
	if !m.stage.Delays() || o.s.noscan {
		n &^= refs.Delayed
	}
	m.words[o.number] = n | m.claimed(o, n)
	switch {
	case o.s.noscan && !o.s.userArena:
	case n&refs.Delayed != 0:
		m.delay(o)
	default:
		m.queue.put(o.number)
	}
}

// claimed counts o at node n, and logs the claim. It returns refs.Partly if o
// has a hull.
func (m *marker) claimed(o *object, n uint32) (flag uint32) {
	n &^= refs.ObjectFlags
	m.paths.Count(n, 1, int64(o.s.slotSize))
	m.objects++
	m.bytes += o.s.slotSize
	m.log.claim(o.base, n%refs.MaxNodes)
	return m.countUnused(o, n)
}

func (m *marker) delay(o *object) { m.borrowers = append(m.borrowers, o.number) }

// hold holds o back at node n, unless it is claimed, or held back at a node
// that is not worse.
func (m *marker) hold(o *object, n uint32) {
	old := m.words[o.number]
	if old != 0 && (old&refs.Held == 0 || !m.rank(n).Better(m.rank(old))) {
		return
	}
	if old == 0 {
		m.waiting = append(m.waiting, o.number)
	}
	if m.rank(n) >= refs.RankRegisters {
		m.deferred = true
	}
	m.words[o.number] = n | refs.Held
}

// rank returns the rank of objects that are held back at node n.
func (m *marker) rank(n uint32) refs.Rank {
	return m.paths.RankAt(n, m.stage)
}

// release claims all objects that the stage releases, and only then scans them,
// so that none of them claims another.
func (m *marker) release() {
	m.addSamples()
	slices.Sort(m.waiting)
	var scan []uint32
	rest := m.waiting[:0]
	for _, number := range m.waiting {
		w := m.words[number]
		if w&refs.Held == 0 {
			continue
		}
		if !m.stage.Releases(m.rank(w)) {
			rest = append(rest, number)
			continue
		}
		o := m.heap.objectOf(number)
		t := o.target()
		n := m.paths.Inferred(w&^refs.Held, &t)
		m.words[number] = n
		m.setReleased(&o)
		m.words[number] |= m.claimed(&o, n)
		if !o.s.noscan || o.s.userArena {
			scan = append(scan, number)
		}
	}
	m.waiting = rest
	m.scanAll(scan)
}

// releaseDelayed scans the objects that are delayed.
func (m *marker) releaseDelayed() {
	scan := m.borrowers
	m.borrowers = nil
	slices.Sort(scan)
	for _, number := range scan {
		m.words[number] &^= refs.Delayed
	}
	m.scanAll(scan)
}

// scanAll scans objects that are claimed.
func (m *marker) scanAll(numbers []uint32) {
	for _, number := range numbers {
		o := m.heap.objectOf(number)
		m.scanOwn(&o, m.words[number]&^refs.ObjectFlags)
	}
}
