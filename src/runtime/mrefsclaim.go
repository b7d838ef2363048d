// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Claiming objects: each object is counted once, at the node of the reference
// that claims it. This is the first reference that reaches the object, unless
// the object is held back.
//
// An object's word is a number of 32 bits off the heap (mrefspage.go). A
// reference claims an object with pointers by storing the number of the
// reference's node in the object's word. If the word was 0, the object is then
// marked. If an object with the word 0 was marked already, it was allocated
// while marking, and moves from refs.NodeAllocated to the reference's node. An
// ordinary collection does not scan an object that was allocated while marking.
// A recording does if a reference claims the object, because the program may
// have moved the only references to other objects into it. An example is the
// array of a slice that has grown. Most objects without pointers, objects in
// user arenas, and objects for whose words there was no memory have no word. A
// reference claims an object without a word by marking it.
//
// Objects may be held back (see refs.Rank). Such an object is marked, its word
// has a flag in addition to the node's number, and it is not queued. A later
// reference for which there is no reason to hold the object back claims it,
// unless waitsForTypes reports true. If a later reference has a better reason
// (see refsBetter), the object is held back at that reference's node. A later
// stage releases the objects that are still held back (mrefsroots.go): it
// claims each at its node. Exceptions are objects without pointers that were
// allocated while marking, and that nothing but the write barrier has found:
// they may be held back until the end. The rank determines the stage.
//
// An object of which a part is used (mrefsunused.go) has refs.Partly in its
// word. One without pointers is held back for a moment before it is claimed (see
// claimPart).
//
// Borrowers (see refs.Borrows) are claimed, but are not scanned before
// refs.StageBorrowed. By then, the oldest goroutines and all global variables
// except the runtime's have been followed. Exceptions are borrowers that have
// no word, whose node is missing (refs.Lost), or that an earlier stage releases.
// The flag refs.Delayed marks a borrower in its word, and in the node numbers
// that the cache has.
//
// Objects that are allocated while marking are called new. They are marked at
// once, and each P counts those that it allocates. At the end they are counted
// at refs.NodeAllocated, unless they have been claimed. The word of a new object
// with pointers is 0 until a reference claims the object or holds it back. A
// new object without pointers, of refsMinNewNoscan bytes or more, gets a word
// that holds it back at refs.NodeAllocated, if there is memory for the word. A
// reference that only the write barrier finds does not change this. All others
// claim the object, or hold it back at their own nodes. Smaller new objects
// without pointers are not held back, and stay at refs.NodeAllocated, because
// programs allocate many of them, and few live as long as marking takes.
//
// The functions other than free run while marking, on a P that cannot be
// preempted. They have no write barriers, and take no locks except those that
// the collector's work queues and refsSysAlloc (mrefsmemory.go) may take. wants
// and takeBarrier, with the functions that they call, also run for other Ps,
// with the world stopped: in gcMarkTinyAllocs, and when the write barrier
// buffers of all Ps are flushed. Then rp belongs to that P.

package runtime

import (
	"internal/goarch"
	"internal/profilerecord"
	"internal/runtime/atomic"
	"internal/runtime/refs"
	"unsafe"
)

// refsClaimer is the part of a P's refsP (mrefsscan.go) that claims objects.
type refsClaimer struct {
	newObjects uint64 // number of new objects that the P has allocated, minus those that it has counted at nodes
	newBytes   uint64 // bytes of newObjects

	words  refsWordRow // words that the P will give to the objects of spans without words
	object refsObject  // target of the reference that is being followed
	vars   refsVarCache
	cache  refsCache
	log    refsLogger
}

// free frees the caches of rp.
func (rp *refsClaimer) free() {
	rp.vars.free()
	rp.cache.free()
}

// follow follows the reference e, whose target is still to be found.
//
//go:nowritebarrierrec
func (rp *refsClaimer) follow(gcw *gcWork, e *refsEdge) {
	o := &rp.object
	if !refsFind(e.val, o) {
		return
	}
	reached := rp.log.reached
	if o.claimable() {
		rp.followTo(gcw, e, o)
	} else if o.isPartly() {
		rp.extendBy(e, o)
	}
	if rp.log.on && rp.log.describeUnclaimed(o) {
		rp.log.edge(e, o.base, reached)
	}
}

// followTo follows the reference e to object o.
//
//go:nowritebarrierrec
func (rp *refsClaimer) followTo(gcw *gcWork, e *refsEdge, o *refsObject) {
	if e.val == o.data || o.class.noscan() {
		if c := rp.cache.find(e, o); c != nil {
			if c.isTypeless() {
				o.Extent = c.extent()
				o.setClaim(e, false)
				rp.take(gcw, o, refsDelaysNow(c.child), false)
			} else {
				c.take(rp, gcw, e, o)
			}
			return
		}
	}
	rp.followNew(gcw, e, o)
}

// followNew is followTo for references that the cache does not have.
//
//go:nowritebarrierrec
func (rp *refsClaimer) followNew(gcw *gcWork, e *refsEdge, o *refsObject) {
	var key refs.Key
	e.vars = &rp.vars
	exact := e.resolve(o, &key)
	o.setClaim(e, exact)
	if refsIsRuntimes(&key) {
		rp.takeBarrier(gcw, o)
		return
	}
	child := refsDelays(&key, refsPaths.Find(&key), false)
	rp.take(gcw, o, child, exact)
	if exact && o.Check == refs.CheckNever || !exact && o.Check != refs.CheckTypeless {
		return
	}
	if (e.val == o.data || o.class.noscan()) && o.class.sizeclass() != 0 {
		rp.remember(e, o, child)
	}
}

// wants reports whether a reference to o is to be followed: o is not claimed
// yet, or has a hull, or references are logged (mrefslog.go).
//
//go:nowritebarrierrec
func (rp *refsClaimer) wants(o *refsObject) bool {
	return rp.log.on || o.claimable() || o.isPartly()
}

// claimKnown looks in the cache for an earlier reference like place that led to
// an object like o. If there is one, claimKnown does the same with o as with
// the target of that reference (see refsCached.take), and returns true. place
// stands for all references at one place in frames that share a node, or in
// finalizers or cleanups that share a node.
//
//go:nowritebarrierrec
func (rp *refsClaimer) claimKnown(gcw *gcWork, place *refsEdge, o *refsObject) bool {
	if !place.recurs(o) {
		return false
	}
	c := rp.cache.find(place, o)
	if c == nil {
		return false
	}
	if rp.log.on && rp.log.describeUnclaimed(o) {
		rp.log.root(o.base, c.child)
	}
	c.take(rp, gcw, place, o)
	return true
}

// take claims o, the target of e, for the node of c.
//
//go:nowritebarrierrec
func (c *refsCached) take(rp *refsClaimer, gcw *gcWork, e *refsEdge, o *refsObject) {
	c.child = refsDelaysNow(c.child)
	hull := o.size > refs.MinHull
	if hull {
		o.Extent = c.extent()
		o.setBounds(e)
	}
	switch claimed := o.claim(rp, gcw, c.child); {
	case claimed:
		c.objects++
		switch {
		case hull:
		case c.form > refs.ExtentOne:
			c.countMany(e, o.base, o.size)
		case c.form < refs.ExtentOne && c.header != 0:
			t := o.target()
			c.unused += int64(o.size - refsPaths.Whole(&t).Len())
		}
	case hull:
		o.extend()
	}
}

// takeAt claims o for the node with the key, or holds it back there (see
// refsClaimer.take). It adds the result to the cache if it is also right for
// other references at place.
//
//go:nowritebarrierrec
func (rp *refsClaimer) takeAt(gcw *gcWork, place *refsEdge, o *refsObject, key *refs.Key, exact bool) {
	child := refsDelays(key, refsPaths.Find(key), true)
	o.setClaim(place, exact)
	if rp.log.on && rp.log.describeUnclaimed(o) {
		rp.log.root(o.base, child)
	}
	rp.take(gcw, o, child, exact)
	if exact && place.recurs(o) && o.class.sizeclass() != 0 && o.Check != refs.CheckNever {
		rp.remember(place, o, child)
	}
}

// recurs reports whether the result for e and o may be used for other
// references at the same place. It may not if e.from is 0 or has refs.Lost, or
// if o has pointers and e does not point to the beginning of o's value.
//
//go:nowritebarrierrec
func (e *refsEdge) recurs(o *refsObject) bool {
	return e.from != 0 && e.from&refs.Lost == 0 && (e.val == o.data || o.class.noscan())
}

// remember puts the result for e and o into the cache, unless a sync.Pool
// refers to o.
//
//go:nowritebarrierrec
func (rp *refsClaimer) remember(e *refsEdge, o *refsObject, child uint32) {
	if refsRank(child) == refs.RankPool {
		return
	}
	rp.cache.widen(rp.vars.largest)
	rp.cache.put(e, o, child)
}

// takeBarrier is called if o is found outside of the recorder's own scans, for
// example by the write barrier, or if isRuntimes makes o wait. If o is not
// marked, takeBarrier holds it back or, from refs.StageBarrier on, claims it.
//
//go:nowritebarrierrec
func (rp *refsClaimer) takeBarrier(gcw *gcWork, o *refsObject) {
	if o.marked() { // o is claimed, is new, or is held back at a node that is not worse
		return
	}
	var key refs.Key
	o.unknown(&key)
	key.Kind, key.Untyped = profilerecord.RefsBarrier, false
	o.setWhole()
	n := refsPaths.Find(&key)
	if refsMarking.stage.HoldsFound() {
		o.hold(rp, gcw, n)
	} else if !o.marked() && o.claim(rp, gcw, n) {
		refsPaths.Count(n, 1, int64(o.size))
	}
}

// take claims o for node child, or holds it back there, unless o is claimed
// already. If exact is set, the type of o is known (see resolve). While samples
// are collected, what has no type waits for the types that these give.
//
//go:nowritebarrierrec
func (rp *refsClaimer) take(gcw *gcWork, o *refsObject, child uint32, exact bool) {
	if refsMarking.stage.HoldsBack(refsRank(child), exact, o.class.noscan()) || !exact && refsMarking.release == refsReleaseCollect {
		o.extendHeld(&rp.words)
		o.hold(rp, gcw, child&^refs.Delayed)
	} else if exact || !o.waitsForTypes() {
		if o.claim(rp, gcw, child) {
			refsPaths.Count(child, 1, int64(o.size))
			o.countSmall(child)
		} else {
			o.extend()
		}
	} else {
		o.extendHeld(&rp.words)
	}
}

// waitsForTypes reports whether a reference of unknown type must not claim o,
// because o waits until a stage releases it (see refs.Stage.Leaves).
//
//go:nowritebarrierrec
func (o *refsObject) waitsForTypes() bool {
	w := o.word()
	if w == nil {
		return false
	}
	old := w.Load()
	return old&refs.Held != 0 && refsMarking.stage.Leaves(refsRank(old))
}

// refsIsRuntimes reports whether the objects of the key are Gs, Ms or Ps that
// wait (see refs.Stage.RuntimesWait).
//
//go:nowritebarrierrec
func refsIsRuntimes(k *refs.Key) bool {
	if !refsMarking.stage.RuntimesWait() {
		return false
	}
	return refsPaths.IsGMP(k.Type)
}

// claimable reports whether o is not claimed yet. A new object is never
// claimable if it has no pointers and no word that holds it back, or if it can
// have no word. The result true may be out of date, because another P may claim
// o at any time. The result false is final, because claimable reads the mark of
// an object without pointers before its word (see refsMarked), and hold stores
// the word before it marks the object.
//
//go:nowritebarrierrec
func (o *refsObject) claimable() bool {
	marked := o.class.noscan() && o.marked()
	words := refsNoWords
	if o.page != nil {
		words = o.page.words.Load()
	}
	switch words {
	case refsNoWords:
		return !o.marked()
	case 0:
		return !marked
	}
	n := refsPages.at(words + uint32(o.index)).Load()
	return n&refs.Held != 0 || n == 0 && !marked
}

// claim claims o for node n: it marks o and, if o has pointers, queues it. If n
// has refs.Delayed, o has a word, and refs.StageBorrowed has not begun, o is
// not queued, but is scanned in that stage. claim reports whether it has
// claimed o. If so, the caller must count o at the node.
//
//go:nowritebarrierrec
func (o *refsObject) claim(rp *refsClaimer, gcw *gcWork, n uint32) bool {
	if o.class.noscan() {
		return o.claimNoscan(rp, gcw, n&^refs.Delayed)
	}
	n = refsDelaysNow(n)
	w := o.makeWord(&rp.words)
	if w == nil {
		if o.mark() {
			return false
		}
		o.logClaim(rp, n)
		o.countLarge(nil, n)
		o.countWork(n)
		gcw.bytesMarked += uint64(o.size)
		o.queue(gcw)
		return true
	}
	known, ok := o.claimWord(rp, gcw, w, n)
	switch {
	case !ok:
		return false
	case n&refs.Delayed != 0:
		o.setDelayed()
	case known:
		o.queueAgain(gcw)
	default:
		o.queue(gcw)
	}
	return true
}

// claimWord stores n, which may have refs.Delayed or refs.Alone, in w, the word
// of o, and marks o, which has pointers. It reports whether o was marked before,
// and whether o was not claimed yet.
//
//go:nowritebarrierrec
func (o *refsObject) claimWord(rp *refsClaimer, gcw *gcWork, w *atomic.Uint32, n uint32) (known, ok bool) {
	h := o.claimHull(&rp.words)
	for {
		old := w.Load()
		if old != 0 && old&refs.Held == 0 {
			return true, false
		}
		known = old != 0
		word := n
		if known {
			word |= refs.Alone
		}
		if h != nil {
			word |= refs.Partly
		}
		if !w.CompareAndSwap(old, word) {
			continue
		}
		o.logClaim(rp, n)
		o.countLarge(h, n)
		if old&refs.HeldNew != 0 || !known && o.mark() {
			rp.uncountAllocated(o.size)
			w.Or(refs.Alone)
			known = true
		} else {
			gcw.bytesMarked += uint64(o.size)
		}
		return known, true
	}
}

// claimNoscan is claim for objects without pointers. Such an object has a word
// only if an object of its span has been held back, is sampled (mrefssites.go),
// or is new and has refsMinNewNoscan bytes or more. If there is a word, one P
// may mark the object while another stores its node in the word. The P that
// stores the node counts the object.
//
//go:nowritebarrierrec
func (o *refsObject) claimNoscan(rp *refsClaimer, gcw *gcWork, n uint32) bool {
	if h := o.claimHull(&rp.words); h != nil {
		if w := o.makeWord(&rp.words); w != nil {
			return o.claimPart(rp, gcw, n, w, h)
		}
	}
	marked := o.mark()
	w := o.word()
	if w == nil {
		if marked {
			return false
		}
	} else if old, ok := refsClaimWord(w, n, marked); !ok {
		return false
	} else if old&refs.HeldNew != 0 {
		o.logClaim(rp, n)
		o.countLarge(nil, n)
		rp.uncountAllocated(o.size)
		return true
	}
	o.logClaim(rp, n)
	o.countLarge(nil, n)
	gcw.bytesMarked += uint64(o.size)
	return true
}

// logClaim logs that o is claimed at node n, if the recording is logged.
//
//go:nowritebarrierrec
func (o *refsObject) logClaim(rp *refsClaimer, n uint32) {
	if !rp.log.on {
		return
	}
	if !rp.log.describe(o) {
		refsLog.lost.Add(1)
		return
	}
	rp.log.claim(o.base, n)
}

// refsClaimWord stores n in w, the word of an object without pointers, unless
// the object is claimed already or must not be claimed. marked is set if the
// object was marked before the caller marked it. refsClaimWord returns the
// previous word, and whether it stored n. If another P changes the word at the
// same time, refsClaimWord tries again.
//
//go:nowritebarrierrec
func refsClaimWord(w *atomic.Uint32, n uint32, marked bool) (old uint32, ok bool) {
	for {
		old = w.Load()
		if old == 0 && marked || old != 0 && old&refs.Held == 0 {
			return old, false
		}
		if w.CompareAndSwap(old, n) {
			return old, true
		}
	}
}

// hold marks o and holds it back at node n, unless o is claimed, or held back
// at a node that is not worse. If o can have no word, hold claims it for n. A
// new object is held back only if it is held back already, or if it has
// pointers and has not been found by the write barrier alone.
//
//go:nowritebarrierrec
func (o *refsObject) hold(rp *refsClaimer, gcw *gcWork, n uint32) {
	holdsNew := !o.class.noscan() && refsRank(n) != refs.RankBarrier
	if !holdsNew && o.marked() && o.word() == nil {
		return
	}
	w := o.makeWord(&rp.words)
	if w == nil {
		if o.claim(rp, gcw, n) {
			refsPaths.Count(n, 1, int64(o.size))
		}
		return
	}
	for {
		old := w.Load()
		isNew := old & refs.HeldNew
		if old == 0 && o.marked() {
			if holdsNew {
				isNew = refs.HeldNew
			} else if w.Load() == 0 { // o is claimed, or was allocated while marking
				return
			} else { // another reference has claimed o or held it back after old was read
				continue
			}
		}
		if old != 0 && !refsBetter(old, n) {
			return
		}
		if !w.CompareAndSwap(old, refs.Held|isNew|n) {
			continue
		}
		if old == 0 && isNew == 0 && o.mark() { // a claim of o, which has no pointers, came first
			w.CompareAndSwap(refs.Held|n, 0)
			return
		}
		o.setHeld(refsRank(n))
		rp.log.reached++
		return
	}
}

// refsBetter reports whether an object whose word is old is to be held back at
// node n in place of the node in old.
//
//go:nowritebarrierrec
func refsBetter(old, n uint32) bool {
	return old&refs.Held != 0 && refsRank(n).Better(refsRank(old))
}

// refsRank returns the rank of objects that are held back at node n.
//
//go:nowritebarrierrec
func refsRank(n uint32) refs.Rank {
	return refsPaths.RankAt(n, refsMarking.stage)
}

// setHeld notes that o, whose span has words, is held back at a node of the
// given rank.
//
//go:nowritebarrierrec
func (o *refsObject) setHeld(rank refs.Rank) {
	if rank >= refs.RankRegisters && !refsMarking.deferred.Load() {
		refsMarking.deferred.Store(true)
	}
	o.setInWords()
}

// refsDelays returns n, the node with the key, with refs.Delayed set if the
// objects there are borrowers that have to wait. inFrame is as refs.Borrows has
// it.
//
//go:nowritebarrierrec
func refsDelays(k *refs.Key, n uint32, inFrame bool) uint32 {
	if refsMarking.stage.Delays() && n&refs.Lost == 0 &&
		refs.Borrows(k.Role, inFrame, k.Role == profilerecord.RefsObject && refsPaths.IsContext(k.Type)) {
		n |= refs.Delayed
	}
	return n
}

// refsDelaysNow returns n, with refs.Delayed cleared if borrowers are no longer
// delayed.
//
//go:nowritebarrierrec
func refsDelaysNow(n uint32) uint32 {
	if !refsMarking.stage.Delays() {
		n &^= refs.Delayed
	}
	return n
}

// setDelayed notes that o, whose span has words, is to be scanned in
// refs.StageBorrowed.
//
//go:nowritebarrierrec
func (o *refsObject) setDelayed() {
	refsMarking.delayed.Store(true)
	o.setInWords()
}

// refsMinNewNoscan is the least size, in bytes, of objects without pointers
// that get words when they are allocated while marking. The words of a span of
// such objects take less than a hundredth of the span's size.
const refsMinNewNoscan = 512

// holdNewNoscan holds back the object at obj in span s, if there is memory for
// its word. The object has no pointers, and has just been allocated and
// counted. No other goroutine knows of the object. It can be claimed or held
// back already only if a word in memory happens to be an address in it.
//
//go:nowritebarrierrec
func (rp *refsClaimer) holdNewNoscan(s *mspan, obj uintptr) {
	var o refsObject
	o.fromSpan(obj, s, s.objIndex(obj))
	if w := o.makeWord(&rp.words); w != nil {
		w.CompareAndSwap(0, refs.Held|refs.HeldNew|refs.NodeAllocated)
	}
}

// uncountAllocated subtracts an object from the P's count of new objects,
// because the object is now counted at a node.
//
//go:nowritebarrierrec
func (rp *refsClaimer) uncountAllocated(size uintptr) {
	rp.newObjects--
	rp.newBytes -= uint64(size)
}

// marked reports whether o is marked (see refsMarked).
func (o *refsObject) marked() bool {
	return refsMarked(o.markBits())
}

// refsMarked is m.isMarked, but no later load is moved before it, as arm64
// moves loads. An object without pointers that is marked, and whose word is 0,
// has been claimed. If the word were read first, another P might hold the
// object back in between, and the reference that is followed would be dropped.
//
//go:nowritebarrierrec
func refsMarked(m markBits) bool {
	return atomic.Load8(m.bytep)&m.mask != 0
}

// mark marks o and reports whether it was marked already.
//
//go:nowritebarrierrec
func (o *refsObject) mark() bool {
	m := o.markBits()
	if refsMarked(m) {
		return true
	}
	if !gcUsesSpanInlineMarkBits(o.size) {
		o.markPage()
	}
	return refsSetMark(m)
}

// refsByteShift returns by how many bits the byte at p is shifted in the
// aligned word of 32 bits that holds it.
func refsByteShift(p uintptr) uintptr {
	if goarch.BigEndian {
		return 24 - (p&3)*8
	}
	return (p & 3) * 8
}

// refsSetMark sets a mark bit and reports whether it was set already.
//
//go:nowritebarrierrec
func refsSetMark(m markBits) bool {
	p := uintptr(unsafe.Pointer(m.bytep))
	shift := refsByteShift(p)
	old := atomic.Or32((*uint32)(unsafe.Pointer(p&^3)), uint32(m.mask)<<shift)
	return uint8(old>>shift)&m.mask != 0
}

// markPage notes that the span of o has a marked object.
//
//go:nowritebarrierrec
func (o *refsObject) markPage() {
	arena, pageIdx, pageMask := pageIndexOf(o.mspan().base())
	if arena.pageMarks[pageIdx]&pageMask == 0 {
		atomic.Or8(&arena.pageMarks[pageIdx], pageMask)
	}
}
