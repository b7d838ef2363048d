// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Claiming marks: each object is counted once, at the node of the reference that
// reaches it first.
//
// An object with pointers is claimed by storing its node's number in its word,
// which was 0, and then marked; if it was marked already, it was allocated while
// marking, and moves from that node to the reference's. Marking does without scanning
// such an object, but a recording scans it: it may be the only one that refers to what
// has been moved into it, a grown slice to all elements. An object without pointers is
// claimed by its mark.
//
// Objects may be held back: marked, with the node in their word flagged, and not
// queued. A better reference takes such an object over. The others are released
// (mrefsheld.go) at the end of a stage, if they are at the end of references of unknown
// type, or in a late stage, if only a sync.Pool holds them, only the write barrier has
// found them, or there was no node for them.
//
// All runs while marking, without write barriers, by the owner of a P that cannot be
// preempted, which in forEachP is not the M's.

package runtime

import (
	"internal/goarch"
	"internal/profilerecord"
	"internal/runtime/atomic"
	"internal/runtime/gc"
	"internal/runtime/maps"
	"unsafe"
)

const (
	refsHeld      = 1 << 31 // in an object's word: held back at this node
	refsUnscanned = 1 << 29 // claimed at this node, and scanned by the stage's next step
	refsHeldNew   = 1 << 28 // held back, and allocated while marking
	refsFlags     = refsHeld | refsUnscanned | refsHeldNew | refsDelayed

	refsCacheBits = 11
	refsCacheSize = 1 << refsCacheBits
)

// refsCached is what resolve has told of references from a node at an offset to
// objects of a class, what it depended on, and how many objects these references
// have claimed since.
type refsCached struct {
	from    uint32
	child   uint32
	off     uintptr
	word    uintptr // what check compares
	header  uintptr // allocation header of the objects
	objects uint64
	stride  uint32
	class   spanClass
	check   refsCheck
}

// follow follows the reference e, whose target has not been looked up.
//
//go:nowritebarrierrec
func (rp *refsP) follow(gcw *gcWork, e *refsEdge) {
	o := &rp.object
	if refsFind(e.val, o) && o.claimable() {
		rp.followTo(gcw, e, o)
	}
}

// followTo follows the reference e to object o.
//
//go:nowritebarrierrec
func (rp *refsP) followTo(gcw *gcWork, e *refsEdge, o *refsObject) {
	if e.val == o.data || o.class.noscan() {
		if c := rp.cached(e, o); c != nil {
			c.child = refsDelaysNow(c.child)
			if c.check == refsCheckUntold {
				rp.take(gcw, o, c.child, false)
			} else if o.claim(rp, gcw, c.child) {
				c.objects++
			}
			return
		}
	}
	rp.followNew(gcw, e, o)
}

// followNew is follow for references that the cache does not know.
//
//go:nowritebarrierrec
func (rp *refsP) followNew(gcw *gcWork, e *refsEdge, o *refsObject) {
	var key refsKey
	e.rp = rp
	exact := e.resolve(o, &key)
	if key.waits() {
		rp.takeBarrier(gcw, o)
		return
	}
	child := key.delays(refs.nodes.find(&key), false)
	rp.take(gcw, o, child, exact)
	if exact && o.check == refsCheckNever || !exact && o.check != refsCheckUntold {
		return
	}
	if (e.val == o.data || o.class.noscan()) && o.class.sizeclass() != 0 {
		rp.remember(e, o, child)
	}
}

// claimKnown claims o if the cache knows references like place, which stand for those at
// one place of a frame or special, to objects like o. It reports whether it does.
//
//go:nowritebarrierrec
func (rp *refsP) claimKnown(gcw *gcWork, place *refsEdge, o *refsObject) bool {
	if !place.recurs(o) {
		return false
	}
	c := rp.cached(place, o)
	if c == nil {
		return false
	}
	if o.claim(rp, gcw, c.child) {
		c.objects++
	}
	return true
}

// takeAt takes o for the node with the key, and lets the cache know of it.
//
//go:nowritebarrierrec
func (rp *refsP) takeAt(gcw *gcWork, place *refsEdge, o *refsObject, key *refsKey, exact bool) {
	child := key.delays(refs.nodes.find(key), true)
	rp.take(gcw, o, child, exact)
	if exact && place.recurs(o) && o.class.sizeclass() != 0 && o.check != refsCheckNever {
		rp.remember(place, o, child)
	}
}

// recurs reports whether others at the place may resolve as e does to o. If not, e.from
// is 0 or lost, or e points into o.
//
//go:nowritebarrierrec
func (e *refsEdge) recurs(o *refsObject) bool {
	return e.from != 0 && e.from&refsLost == 0 && (e.val == o.data || o.class.noscan())
}

// take claims o for node child, or holds it back if the reference is not exact.
//
//go:nowritebarrierrec
func (rp *refsP) take(gcw *gcWork, o *refsObject, child uint32, exact bool) {
	if !exact && !refs.untyped || o.waits(child, exact) {
		o.hold(rp, gcw, child&^refsDelayed)
	} else if (exact || !o.deferred()) && o.claim(rp, gcw, child) {
		refs.nodes.count(child, 1, int64(o.size))
	}
}

// deferred reports whether o is held back till the stage's typed references are
// drained, by another reference that is not better than one whose type is unknown.
//
//go:nowritebarrierrec
func (o *refsObject) deferred() bool {
	w := o.word()
	if w == nil {
		return false
	}
	old := w.Load()
	return old&refsHeld != 0 && refsRank(old) >= max(refsRankRegisters, refs.stage.releases())
}

// waits reports whether o, which belongs to node child, waits for a stage of its own.
// What a sync.Pool holds waits for refsStagePools: a pool is nobody's owner, and what is
// left in it refers to what others own. If child lacks a node and o's type is not known, o
// waits for refsStageBarrier: it may be a channel that goroutines wait at, and so lead to
// all that the runtime has, for which later stages have nodes.
//
//go:nowritebarrierrec
func (o *refsObject) waits(child uint32, exact bool) bool {
	switch refsRank(child) {
	case refsRankPool:
		return refs.stage < refsStagePools
	case refsRankLost:
		return refs.stage < refsStageBarrier && !exact && !o.class.noscan()
	}
	return false
}

// claimable reports whether o is not claimed yet; objects without pointers that were
// allocated while marking cannot be. The answer may be outdated if it is true.
//
//go:nowritebarrierrec
func (o *refsObject) claimable() bool {
	words := refsNoWords
	if o.page != nil {
		words = o.page.words.Load()
	}
	switch words {
	case refsNoWords:
		return !o.marked()
	case 0:
		return !o.class.noscan() || !o.marked()
	}
	n := refs.pages.at(words + uint32(o.index)).Load()
	return n&refsHeld != 0 || n == 0 && (!o.class.noscan() || !o.marked())
}

func (o *refsObject) marked() bool {
	return o.markBits().isMarked()
}

// claim marks o for node n and queues it, or delays that. It reports whether the caller must
// count it at the node.
//
//go:nowritebarrierrec
func (o *refsObject) claim(rp *refsP, gcw *gcWork, n uint32) bool {
	if o.class.noscan() {
		return o.claimNoscan(rp, gcw, n&^refsDelayed)
	}
	n = refsDelaysNow(n)
	w := o.makeWord(rp)
	if w == nil {
		if o.mark() {
			return false
		}
		gcw.bytesMarked += uint64(o.size)
		o.queue(gcw)
		return true
	}
	for {
		old := w.Load()
		if old != 0 && old&refsHeld == 0 {
			return false
		}
		if !w.CompareAndSwap(old, n) {
			continue
		}
		known := old != 0
		if old&refsHeldNew != 0 || !known && o.mark() {
			rp.uncountAllocated(o.size)
			known = true
		} else {
			gcw.bytesMarked += uint64(o.size)
		}
		switch {
		case n&refsDelayed != 0:
			o.noteDelayed()
		case known:
			o.queueAgain(gcw)
		default:
			o.queue(gcw)
		}
		return true
	}
}

// claimNoscan is claim for objects without pointers. These have words only if one of
// their span is held back, sampled (mrefssites.go), or new and not small (mrefsnew.go).
// The claimer that marks such an object and the one that takes it over may be two; the
// one that stores its node in the word counts.
//
//go:nowritebarrierrec
func (o *refsObject) claimNoscan(rp *refsP, gcw *gcWork, n uint32) bool {
	mine := false
	if !o.mark() {
		w := o.word()
		mine = w == nil || refsClaimMarked(w, n)
	} else if w := o.word(); w != nil {
		old := w.Load()
		mine = old&refsHeld != 0 && w.CompareAndSwap(old, n)
		if mine && old&refsHeldNew != 0 {
			rp.uncountAllocated(o.size)
			return true
		}
	}
	if mine {
		gcw.bytesMarked += uint64(o.size)
	}
	return mine
}

// refsClaimMarked stores n in w, the word of an object without pointers that the caller
// has marked, unless somebody has taken the object over. It reports whether it did.
//
//go:nowritebarrierrec
func refsClaimMarked(w *atomic.Uint32, n uint32) bool {
	for {
		old := w.Load()
		if old != 0 && old&refsHeld == 0 {
			return false
		}
		if w.CompareAndSwap(old, n) {
			return true
		}
	}
}

// hold marks o and holds it back at node n, unless it is claimed, or held at one that is
// no worse. If there is no memory for that, it claims o for n. What was allocated while
// marking is held back only if it has pointers or a word, and more than the write barrier
// tells of it.
//
//go:nowritebarrierrec
func (o *refsObject) hold(rp *refsP, gcw *gcWork, n uint32) {
	holdsNew := !o.class.noscan() && refsRank(n) != refsRankBarrier
	if !holdsNew && o.word() == nil && o.marked() {
		return
	}
	w := o.makeWord(rp)
	if w == nil {
		if o.claim(rp, gcw, n) {
			refs.nodes.count(n, 1, int64(o.size))
		}
		return
	}
	for {
		old := w.Load()
		isNew := old & refsHeldNew
		if old == 0 && o.marked() {
			if !holdsNew { // claimed, or allocated while marking
				return
			}
			isNew = refsHeldNew
		}
		if old != 0 && !refsBetter(old, n) {
			return
		}
		if !w.CompareAndSwap(old, refsHeld|isNew|n) {
			continue
		}
		if old == 0 && isNew == 0 && o.mark() { // claimed meanwhile, without pointers
			w.CompareAndSwap(refsHeld|n, 0)
			return
		}
		o.noteHeld(refsRank(n))
		return
	}
}

// refsBetter reports whether node n takes over an object whose word is old, both
// being nodes to hold it back at.
//
//go:nowritebarrierrec
func refsBetter(old, n uint32) bool {
	return old&refsHeld != 0 && refsRank(n) > refsRank(old)
}

// Ranks of what objects are held back for, the worst first.
const (
	refsRankBarrier   = iota // only the write barrier has told of it, or it is new
	refsRankLost             // its node could not be added
	refsRankPool             // a sync.Pool holds it
	refsRankRegisters        // a word that may be none, or left over
	refsRankUntyped
)

// refsRank returns the rank of node n, at which objects are held back.
//
//go:nowritebarrierrec
func refsRank(n uint32) int {
	if n&refsLost != 0 {
		return refsRankLost
	}
	node := refs.nodes.at(n)
	switch {
	case node.kind == profilerecord.RefsBarrier || node.kind == profilerecord.RefsAllocated:
		return refsRankBarrier
	case node.typ != 0 && node.typ == refs.poolLocal.Load():
		return refsRankPool
	case node.kind == profilerecord.RefsRegisters:
		return refsRankRegisters
	}
	return refsRankUntyped
}

// refsByteShift returns where the byte at p is in the aligned word of 32 bits that
// holds it.
func refsByteShift(p uintptr) uintptr {
	if goarch.BigEndian {
		return 24 - (p&3)*8
	}
	return (p & 3) * 8
}

// mark marks o and reports whether it was marked.
//
//go:nowritebarrierrec
func (o *refsObject) mark() bool {
	m := o.markBits()
	if m.isMarked() {
		return true
	}
	if !gcUsesSpanInlineMarkBits(o.size) {
		o.markPage()
	}
	return refsSetMark(m)
}

// refsSetMark sets a mark bit and reports whether it was set.
//
//go:nowritebarrierrec
func refsSetMark(m markBits) bool {
	p := uintptr(unsafe.Pointer(m.bytep))
	shift := refsByteShift(p)
	old := atomic.Or32((*uint32)(unsafe.Pointer(p&^3)), uint32(m.mask)<<shift)
	return uint8(old>>shift)&m.mask != 0
}

// queueAgain queues o, which was held back, or allocated while marking. Its span's
// mark and scan bits may have been merged since, so it is queued alone.
//
//go:nowritebarrierrec
func (o *refsObject) queueAgain(gcw *gcWork) {
	refsQueueObject(gcw, o.base)
}

// refsQueueObject queues the object at base alone.
//
//go:nowritebarrierrec
func refsQueueObject(gcw *gcWork, base uintptr) {
	if !gcw.putObjFast(base) {
		gcw.putObj(base)
	}
}

// markPage notes that o's span has a marked object.
//
//go:nowritebarrierrec
func (o *refsObject) markPage() {
	arena, pageIdx, pageMask := pageIndexOf(o.mspan().base())
	if arena.pageMarks[pageIdx]&pageMask == 0 {
		atomic.Or8(&arena.pageMarks[pageIdx], pageMask)
	}
}

// cached returns what is known of references like e to objects like o, or nil.
//
//go:nowritebarrierrec
func (rp *refsP) cached(e *refsEdge, o *refsObject) *refsCached {
	c := rp.cacheSlot(e, o.class)
	if !c.isOf(e, o.class) {
		return nil
	}
	if word := e.checked(c, o); word != c.word {
		check := c.check
		if c = rp.secondSlot(c, word); !c.isOf(e, o.class) || c.check != check || c.word != word {
			return nil
		}
	}
	if c.header != o.headerWord() {
		return nil
	}
	return c
}

// isOf reports whether c is about references like e to objects of a class.
//
//go:nowritebarrierrec
func (c *refsCached) isOf(e *refsEdge, class spanClass) bool {
	return c.from == e.from && c.off == e.off && c.class == class && c.from != 0
}

// secondSlot returns the place for references that differ from those of c in the word
// that decides. Interfaces and functions in one place often have several types.
//
//go:nowritebarrierrec
func (rp *refsP) secondSlot(c *refsCached, word uintptr) *refsCached {
	if c.check != refsCheckIface && c.check != refsCheckFunc {
		return c
	}
	return rp.cacheAt(c.from*0x9e3779b1^uint32(word>>4)*0xc2b2ae35, c.off/goarch.PtrSize)
}

// remember puts what resolve told of e and o into the cache, unless o waits.
//
//go:nowritebarrierrec
func (rp *refsP) remember(e *refsEdge, o *refsObject, child uint32) {
	if refsRank(child) == refsRankPool {
		return
	}
	rp.stack.widenCache()
	c := rp.cacheSlot(e, o.class)
	if c.isOf(e, o.class) && c.check == o.check && c.word != o.seen {
		c = rp.secondSlot(c, o.seen)
	}
	c.flush()
	*c = refsCached{from: e.from, child: child, off: e.off, header: o.headerWord(),
		class: o.class, check: o.check, stride: o.stride, word: o.seen}
}

// A refsCheck is a word that, beside the offset and the object's class, decides how
// a reference resolves.
type refsCheck uint8

const (
	refsCheckNone   refsCheck = iota // the word is 0
	refsCheckIface                   // the type in the interface
	refsCheckFunc                    // the closure's program counter
	refsCheckSlice                   // whether the slice's capacity fits the object
	refsCheckDirLen                  // whether the map has a directory
	refsCheckUntold                  // the word is 0, and the reference is not exact
	refsCheckNever                   // more than one word: not remembered
)

// checked returns the word that the check of c is about, for e and o.
//
//go:nowritebarrierrec
func (e *refsEdge) checked(c *refsCached, o *refsObject) uintptr {
	switch c.check {
	case refsCheckIface:
		return refsWord(e.slot-goarch.PtrSize, e.slot)
	case refsCheckFunc:
		if e.val != o.data { // in a tiny block
			return 0
		}
		return *(*uintptr)(unsafe.Pointer(o.data))
	case refsCheckSlice:
		return uintptr(bool2int(o.fits(refsWord(e.slot+2*goarch.PtrSize, e.slot) * uintptr(c.stride))))
	case refsCheckDirLen:
		return uintptr(bool2int(refsWord(e.slot-maps.RefsMapDirPtr+maps.RefsMapDirLen, e.slot) == 0))
	}
	return 0
}

// flush adds the counts of c to its node.
//
//go:nowritebarrierrec
func (c *refsCached) flush() {
	if c.objects != 0 {
		n := int64(c.objects)
		refs.nodes.count(c.child, n, n*int64(gc.SizeClassToSize[c.class.sizeclass()]))
		c.objects = 0
	}
}

// cacheSlot returns the place for references like e to objects of a class. Those from words
// that follow one another are in places that do, so that the processor fetches them ahead.
//
//go:nowritebarrierrec
func (rp *refsP) cacheSlot(e *refsEdge, class spanClass) *refsCached {
	return rp.cacheAt(e.from*0x9e3779b1^uint32(class)*0xc2b2ae35, e.off/goarch.PtrSize)
}

// cacheAt returns the place that is n behind that of a hash.
//
//go:nowritebarrierrec
func (rp *refsP) cacheAt(h uint32, n uintptr) *refsCached {
	if rp.stack.wide != nil {
		return &rp.stack.wide.entries[(uintptr(h>>(32-refsWideCacheBits))+n)%(1<<refsWideCacheBits)]
	}
	return &rp.cache[(uintptr(h>>(32-refsCacheBits))+n)%refsCacheSize]
}
