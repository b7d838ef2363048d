// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file marks. It follows references from the roots, and logs them. It does
// in one goroutine the work that the recorder does while the program runs
// (runtime/mrefsclaim.go).

package core

import (
	"internal/abi"
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
	resolver
	log logger

	stage     refs.Stage
	words     []uint32 // words of objects, by the objects' numbers
	queue     queue
	waiting   []uint32 // numbers of objects that are or were held back
	borrowers []uint32 // numbers of objects that are delayed

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
		m.scan(&o, m.words[n])
	}
}

// scan follows the references in o as references of node.
func (m *marker) scan(o *object, node uint32) {
	stride, second := uint64(1), m.nodes.at(node).second
	if node&lostNode == 0 {
		stride = m.nodes.at(node).stride
	}
	m.pointers(o, func(at, pointer uint64) {
		off := at - o.data
		if off >= stride && stride != 0 {
			off %= stride
		}
		m.follow(&edge{from: node, off: off, at: at, val: pointer}, second)
	})
}

// follow follows e, and logs it. If second is set, the object that has the
// reference is of the second class, and e is logged as a reference of its node.
func (m *marker) follow(e *edge, second bool) {
	o, ok := m.find(e.val)
	if !ok {
		return
	}
	if m.claimable(&o) {
		m.followNew(e, &o)
	}
	switch refs.HolderOf(m.byNode, second) {
	case refs.HeldByRoot:
		m.logRoot(m.place(e), &o)
	case refs.HeldAsOwned:
		m.log.owned(e.at, e.from%maxNodes, o.base)
	default:
		m.log.reference(e.at, o.base)
	}
}

// place returns the node that names the reference e: a node below the variable
// that has it, if the variable has several.
func (m *marker) place(e *edge) uint32 {
	from := m.nodes.at(e.from)
	if from.role != profilerecord.RefsVariable || e.from&lostNode != 0 {
		return e.from
	}
	k := key{parent: e.from, kind: profilerecord.RefsField, role: profilerecord.RefsVariable, off: element(from.typ).slotAt(e.off).off}
	if n := m.nodes.find(&k); n&lostNode == 0 {
		return n
	}
	return e.from
}

// logRoot logs a reference from node n to o.
func (m *marker) logRoot(n uint32, o *object) {
	n %= maxNodes
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
func (m *marker) followNew(e *edge, o *object) {
	var k key
	exact := m.resolve(e, o, &k)
	if m.isRuntimes(&k) {
		m.takeBarrier(o)
		return
	}
	m.take(o, m.delays(&k, m.nodes.find(&k), false), exact)
}

// takeAt logs a reference to o, and takes o for the node with the key if o is
// not claimed yet. The reference is in a stack, a register, a g, a defer record
// or a special, or in the queue of finalizers or cleanups.
func (m *marker) takeAt(o *object, k *key, exact bool) {
	n := m.nodes.find(k)
	m.logRoot(n, o)
	if m.claimable(o) {
		m.take(o, m.delays(k, n, true), exact)
	}
}

// isRuntimes reports whether the objects of the key are Gs, Ms or Ps that wait
// (see refs.Stage.RuntimesWait).
func (m *marker) isRuntimes(k *key) bool {
	if k.typ == nil || !m.stage.RuntimesWait() {
		return false
	}
	t := &m.known
	return k.typ == t.g || k.typ == t.m || k.typ == t.mPadded || k.typ == t.proc
}

// delays returns n, the node with the key, with the flag refs.Delayed set if
// the objects there are borrowers that have to wait. inFrame is as refs.Borrows
// has it.
func (m *marker) delays(k *key, n uint32, inFrame bool) uint32 {
	if m.stage.Delays() && n&refs.Lost == 0 &&
		refs.Borrows(k.role, inFrame, k.role == profilerecord.RefsObject && k.typ.isContext()) {
		n |= refs.Delayed
	}
	return n
}

// isContext reports whether t is a defined type of package context that is not
// an interface.
func (t *Type) isContext() bool {
	return t != nil && t.kind != abi.Interface && t.flags&abi.TFlagNamed != 0 && t.PkgPath() == "context"
}

// take claims o for node n, or holds it back there, or leaves it held back
// where it was.
func (m *marker) take(o *object, n uint32, exact bool) {
	if m.stage.HoldsBack(m.rank(n), exact, o.s.noscan) {
		m.hold(o, n&^refs.Delayed)
	} else if exact || !m.waitsForTypes(o) {
		m.claim(o, n)
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
	var k key
	m.unknown(o, &k)
	k.kind, k.untyped = profilerecord.RefsBarrier, false
	if n := m.nodes.find(&k); m.stage.HoldsFound() {
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
	m.words[o.number] = n
	m.claimed(o, n)
	switch {
	case o.s.noscan && !o.s.userArena:
	case n&refs.Delayed != 0:
		m.delay(o)
	default:
		m.queue.put(o.number)
	}
}

// claimed counts o at node n, and logs the claim.
func (m *marker) claimed(o *object, n uint32) {
	n &^= refs.ObjectFlags
	m.nodes.count(n, o.s.slotSize)
	m.objects++
	m.bytes += o.s.slotSize
	m.log.claim(o.base, n%maxNodes)
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
	m.words[o.number] = n | refs.Held
}

// rank returns the rank of objects that are held back at node n.
func (m *marker) rank(n uint32) refs.Rank {
	node := m.nodes.at(n)
	return refs.RankOf(n, node.kind, node.typ != nil && node.typ == m.nodes.pool)
}

// release claims all objects that the stage releases, and only then scans them,
// so that none of them claims another.
func (m *marker) release() {
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
		m.words[number] = w &^ refs.Held
		m.claimed(&o, w&^refs.Held)
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
		m.scan(&o, m.words[number])
	}
}
