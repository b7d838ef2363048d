// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// References in goroutine stacks: which frame a word belongs to.
//
// scanstack is used as it is. It hands what it finds to greyobject with the
// address of the word; by that address the frame is found here, in a list of the
// stack's frames (mrefsframes.go). The goroutine is stopped till its scan ends, and its
// stack is not moved meanwhile. A path has the frames from the goroutine's first function
// down to the word's; of a deep stack the outermost ones, then one that stands for those
// left out, then the word's.
//
// Words at one place of frames at one PC resolve alike. What the first has resolved to is
// kept in the P's cache (mrefsclaim.go), with the frame's node for that of an object and
// the place in the frame for an offset.

package runtime

import (
	"internal/abi"
	"internal/profilerecord"
	"unsafe"
)

const refsPathFrames = 96 // of a path, before the rest is left out

// Places in frames, as offsets for the cache: distances of words, and one of these.
const (
	refsPlaceLocal = iota
	refsPlaceArg
	refsPlaceDeferred // function of a defer record
	refsPlaceDefer    // reference to one
)

// refsStack is the stack that a P scans. The frames' memory and the variables are kept
// from stack to stack.
type refsStack struct {
	gp     guintptr
	listed bool
	record uintptr // *_defer of the goroutine that was scanned last, or 0
	last   int     // the frame that was found last
	list   refsFrameList
	words  refsStackWords
	deep   refsDeepFrames
	vars   refsVarCache
	wide   *refsWideCache
	noWide bool // there is no memory for wide
}

func (st *refsStack) begin(gp *g) {
	st.gp.set(gp)
	st.listed = false
	st.record = 0
	st.last = 0
	st.deep.node = 0
	st.words.begin()
}

func (st *refsStack) end() {
	st.gp = 0
}

func (st *refsStack) free() {
	st.list.free()
	st.words.free()
	st.vars.free()
	st.wide.free()
	st.wide = nil
}

// refsFollowGrey keeps the reference to obj that greyobject was called for, or holds obj
// back (see refsGrey).
//
//go:nowritebarrierrec
func refsFollowGrey(obj, base, off uintptr, span *mspan, gcw *gcWork, index uintptr) {
	rp := refsOf(gcw.id)
	var o refsObject
	o.fromSpan(obj, span, index)
	if !o.claimable() {
		return
	}
	if base == 0 || rp.stack.gp == 0 {
		rp.takeBarrier(gcw, &o)
		return
	}
	if refs.stage == refsStageMainOwn && !rp.stack.isOwn(base+off) {
		return
	}
	e := refsEdge{slot: base + off, rp: rp}
	e.val = *(*uintptr)(unsafe.Pointer(e.slot))
	if !rp.keepWord(gcw, e.slot, e.val) {
		rp.followStack(gcw, &e, &o)
	}
}

// isOwn reports whether the word at p is in a frame of one of the program's own functions.
//
//go:nowritebarrierrec
func (st *refsStack) isOwn(p uintptr) bool {
	gp := st.gp.ptr()
	st.makeList(gp)
	if st.list.n == 0 || p < gp.stack.lo || p >= gp.stack.hi || st.list.gap && !st.list.slide(gp, p) {
		return false
	}
	f := st.list.at(st.find(p))
	if f.own == refsOwnUntold {
		f.own = refsOwnNot
		if refs.own.hasFunction(funcname(findfunc(f.pc - 1))) {
			f.own = refsOwnYes
		}
	}
	return f.own == refsOwnYes
}

// makeList lists the frames, if that is not done.
//
//go:nowritebarrierrec
func (st *refsStack) makeList(gp *g) {
	if !st.listed {
		st.listed = true
		st.list.make(gp)
	}
}

// followStack follows the reference e to object o, which is in the stack that is scanned,
// or saved beside it.
//
//go:nowritebarrierrec
func (rp *refsP) followStack(gcw *gcWork, e *refsEdge, o *refsObject) {
	st := &rp.stack
	if st.words.followed++; st.words.followed == refsAloneStackWords {
		refs.alone.open()
	}
	place := refsEdge{slot: e.slot, val: e.val, rp: rp}
	st.place(&place)
	if rp.claimKnown(gcw, &place, o) {
		return
	}
	var key refsKey
	exact := st.resolve(e, o, &key)
	if key.waits() {
		rp.takeBarrier(gcw, o)
		return
	}
	rp.takeAt(gcw, &place, o, &key, exact)
}

// takeBarrier holds o back till the last stage, or claims it in that stage.
//
//go:nowritebarrierrec
func (rp *refsP) takeBarrier(gcw *gcWork, o *refsObject) {
	if o.marked() { // claimed, new, or held back at a node that is no worse
		return
	}
	var key refsKey
	o.unknown(&key)
	key.kind, key.untyped = profilerecord.RefsBarrier, false
	n := refs.nodes.find(&key)
	if refs.stage < refsStageBarrier {
		o.hold(rp, gcw, n)
	} else if !o.marked() && o.claim(rp, gcw, n) {
		refs.nodes.count(n, 1, int64(o.size))
	}
}

// place makes at, which has the word's address and what it holds, a reference from the
// node of its frame, at an offset that stands for the place in frames of that node. The
// node stays 0 if the reference resolves otherwise than those at this place in other
// frames may.
//
//go:nowritebarrierrec
func (st *refsStack) place(at *refsEdge) {
	gp := st.gp.ptr()
	st.makeList(gp)
	p := at.slot
	switch {
	case st.list.n == 0:
	case p < gp.stack.lo || p >= gp.stack.hi:
		d := st.deferring(gp, p, at.val)
		if d == nil {
			break
		}
		at.from, at.off = st.deferrer(gp, d), refsPlaceDefer
		if p == uintptr(unsafe.Pointer(&d.fn)) {
			at.off = refsPlaceDeferred
		}
	case st.list.gap && !st.list.slide(gp, p):
	default:
		i := st.find(p)
		f := st.list.at(i)
		switch {
		case f.conservative || f.continpc != f.pc: // the PC may go with another stack map
		case p >= f.argp && p < f.argp+uintptr(f.args):
			at.from, at.off = st.path(i), p-f.argp+refsPlaceArg
		default:
			at.from, at.off = st.path(i), f.varp-p+refsPlaceLocal
		}
	}
}

// resolve fills in key for the reference e to object o, and reports whether the key is
// exact. place has been called for e.
//
//go:nowritebarrierrec
func (st *refsStack) resolve(e *refsEdge, o *refsObject, key *refsKey) bool {
	gp := st.gp.ptr()
	p := e.slot
	switch {
	case st.list.n == 0:
		*key = refsKey{parent: refsGoroutineNode(gp), kind: profilerecord.RefsUnknown}
	case p < gp.stack.lo || p >= gp.stack.hi:
		return st.resolveSaved(e, o, key)
	case st.list.gap && !st.list.has(p):
		*key = refsKey{parent: st.deepNode(), kind: profilerecord.RefsUnknown}
	default:
		return st.resolveWord(e, o, key)
	}
	return o.unknown(key)
}

// resolveWord is resolve for words of frames.
//
//go:nowritebarrierrec
func (st *refsStack) resolveWord(e *refsEdge, o *refsObject, key *refsKey) bool {
	p := e.slot
	i := st.find(p)
	f := st.list.at(i)
	*key = refsKey{parent: st.path(i)}
	if f.conservative {
		key.kind = profilerecord.RefsRegisters
		o.unknown(key)
		return false
	}
	arg := p >= f.argp && p < f.argp+uintptr(f.args)
	v, off, ok := f.variable(&st.vars, p, arg)
	switch {
	case ok:
		key.kind, key.off = profilerecord.RefsLocal, v.entry
		e.off = off
		exact := e.resolveVariable(&v, o, key)
		if v.dict.known || v.form() == abi.FrameVarClosure {
			o.check = refsCheckNever // depends on words of the frame, too
		}
		return exact
	case arg:
		key.kind, key.off = profilerecord.RefsArg, p-f.argp
	default:
		key.kind, key.off = profilerecord.RefsSlot, f.varp-p
	}
	return o.unknown(key)
}

// resolveSaved is resolve for words that are not on the stack: of defer records, and
// of the registers that are saved while the goroutine does not run.
//
//go:nowritebarrierrec
func (st *refsStack) resolveSaved(e *refsEdge, o *refsObject, key *refsKey) bool {
	gp := st.gp.ptr()
	d := st.deferring(gp, e.slot, e.val)
	*key = refsKey{parent: st.deferrer(gp, d), kind: profilerecord.RefsDefer}
	switch {
	case d != nil && e.slot == uintptr(unsafe.Pointer(&d.fn)):
		return e.closure(o, key)
	case d != nil:
		return o.pointee(refsPointee((*_defer)(nil)), e.val, key)
	case e.slot == uintptr(unsafe.Pointer(&gp.sched.ctxt)):
		key.kind = profilerecord.RefsContext
		return e.closure(o, key)
	}
	key.kind = profilerecord.RefsRegisters
	o.unknown(key)
	return false
}

// deferring returns the defer record that val points to, or that the word at p is
// part of, or nil. It searches from the one that it has returned last, because scanstack
// goes through the records in order.
//
//go:nowritebarrierrec
func (st *refsStack) deferring(gp *g, p, val uintptr) *_defer {
	if !refsMayBeDefer(p) && !refsMayBeDefer(val) {
		return nil
	}
	d := (*_defer)(unsafe.Pointer(st.record))
	if d == nil {
		d = gp._defer
	}
	for ; d != nil; d = d.link {
		at := uintptr(unsafe.Pointer(d))
		if val != at && (p < at || p >= at+unsafe.Sizeof(*d)) {
			continue
		}
		st.record = at
		if p == uintptr(unsafe.Pointer(&d.link)) {
			return d.link
		}
		return d
	}
	return nil
}

// refsMayBeDefer reports whether there may be a defer record at p: an object of its size.
// Words of other kinds need not be looked for among the records.
//
//go:nowritebarrierrec
func refsMayBeDefer(p uintptr) bool {
	s := spanOfHeap(p)
	return s != nil && s.elemsize == roundupsize(unsafe.Sizeof(_defer{}), false)
}

// deferrer returns the node of the frame that made d, or of the innermost one if d is nil.
//
//go:nowritebarrierrec
func (st *refsStack) deferrer(gp *g, d *_defer) uint32 {
	switch {
	case d == nil:
		return st.path(0)
	case st.list.gap && !st.list.slide(gp, d.sp):
		return st.deepNode()
	}
	return st.path(st.within(d.sp))
}

// find returns the frame that the word at p belongs to: the callee's, if it is
// among its arguments.
//
//go:nowritebarrierrec
func (st *refsStack) find(p uintptr) int {
	i := st.within(p)
	if i > 0 {
		if callee := st.list.at(i - 1); p >= callee.argp && p < callee.argp+uintptr(callee.args) {
			return i - 1
		}
	}
	return i
}

// within returns the frame that has p between its stack pointer and its caller's.
//
//go:nowritebarrierrec
func (st *refsStack) within(p uintptr) int {
	i := st.last
	switch {
	case st.list.gap:
		i = st.list.find(p)
	case st.list.between(i, p):
	case st.list.between(i+1, p):
		i++
	case i > 0 && st.list.between(i-1, p):
		i--
	default:
		i = st.list.find(p)
	}
	st.last = i
	return i
}

// path returns the node of frame i, below those of its callers.
//
//go:nowritebarrierrec
func (st *refsStack) path(i int) uint32 {
	f := st.list.at(i)
	if f.node != 0 {
		return f.node
	}
	if i < st.list.n-refsPathFrames {
		f.node = st.deepElement(f.pc)
		return f.node
	}
	parent := refsGoroutineNode(st.gp.ptr())
	for j := st.list.n - 1; j > i; j-- {
		parent = st.list.at(j).element(parent)
	}
	return f.element(parent)
}

// refsDeepFrames is the frames of a deep stack that paths leave out. Recursion has few
// PCs, whose nodes are kept.
type refsDeepFrames struct {
	node uint32 // that stands for them, or 0
	last [16]struct {
		pc   uintptr
		node uint32
	}
}

// deepNode returns the node of the frames that paths leave out.
//
//go:nowritebarrierrec
func (st *refsStack) deepNode() uint32 {
	if st.deep.node == 0 {
		parent := st.path(st.list.n - refsPathFrames)
		st.deep = refsDeepFrames{node: refs.nodes.find(&refsKey{parent: parent, kind: profilerecord.RefsDeepStack})}
	}
	return st.deep.node
}

// deepElement returns the node of frames at pc below those that paths leave out.
//
//go:nowritebarrierrec
func (st *refsStack) deepElement(pc uintptr) uint32 {
	parent := st.deepNode()
	last := &st.deep.last[(pc^pc>>4)%uintptr(len(st.deep.last))]
	if last.pc != pc {
		last.pc = pc
		last.node = refs.nodes.find(&refsKey{parent: parent, kind: profilerecord.RefsFrame, off: pc})
	}
	return last.node
}

// element returns the node of f below its caller's.
//
//go:nowritebarrierrec
func (f *refsFrame) element(parent uint32) uint32 {
	if f.node == 0 {
		f.node = refs.nodes.find(&refsKey{parent: parent, kind: profilerecord.RefsFrame, off: f.pc})
	}
	return f.node
}
