// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// References in goroutine stacks: which frame a word belongs to.
//
// scanstack is used as it is. It hands what it finds to greyobject with the
// address of the word; by that address the frame is found here, in a list of the
// stack's frames that is made when the first reference in it turns up. The
// goroutine is stopped till its scan ends, and its stack is not moved meanwhile.
// A path has the frames from the goroutine's first function down to the word's;
// of a deep stack the outermost ones, then one that stands for those left out, then
// the word's. Of such a stack the list has the outermost frames, and a window of
// the others that moves to where words are looked for.

package runtime

import (
	"internal/abi"
	"internal/profilerecord"
	"internal/runtime/sys"
	"unsafe"
)

const (
	refsWindowFrames = 1 << 13
	refsOuterFrames  = 128
	refsPathFrames   = 96 // of a path, before the rest is left out
	refsMaxRewinds   = 4  // of the window, in a stack
)

// refsStack is the stack that a P scans. The frames are kept from stack to stack.
type refsStack struct {
	gp      guintptr
	listed  bool
	gap     bool // the window does not have all frames but the outermost ones
	n       int
	rewinds int
	record  uintptr  // *_defer of the goroutine that was scanned last, or 0
	after   unwinder // the first frame behind the window, if there is a gap
	frames  *refsFrames
}

// refsFrames are frames of a stack, innermost first: the window, then the outermost ones.
type refsFrames [refsWindowFrames + refsOuterFrames]refsFrame

type refsFrame struct {
	_ sys.NotInHeap

	sp, varp, argp, argEnd uintptr
	pc, continpc           uintptr
	node                   uint32
	conservative           bool
}

func (st *refsStack) begin(gp *g) {
	st.gp.set(gp)
	st.listed = false
	st.record = 0
}

func (st *refsStack) end() {
	st.gp = 0
}

func (st *refsStack) free() {
	if st.frames != nil {
		refsSysFree(unsafe.Pointer(st.frames), unsafe.Sizeof(*st.frames))
		st.frames = nil
	}
}

// refsFollowGrey follows the reference to obj that greyobject was called for (see
// refsGrey).
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
	var key refsKey
	exact := rp.stack.resolve(base+off, &o, &key)
	if key.waits() {
		rp.takeBarrier(gcw, &o)
		return
	}
	rp.take(gcw, &o, refs.nodes.find(&key), exact)
}

// takeBarrier holds o back till the last stage, or claims it in that stage.
//
//go:nowritebarrierrec
func (rp *refsP) takeBarrier(gcw *gcWork, o *refsObject) {
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

// resolve fills in key for the reference in the word at p to object o, and reports
// whether the key is exact.
//
//go:nowritebarrierrec
func (st *refsStack) resolve(p uintptr, o *refsObject, key *refsKey) bool {
	gp := st.gp.ptr()
	if !st.listed {
		st.list(gp)
	}
	e := refsEdge{slot: p, val: *(*uintptr)(unsafe.Pointer(p))}
	switch {
	case st.n == 0:
		*key = refsKey{parent: refsGoroutineNode(gp), kind: profilerecord.RefsUnknown}
	case p < gp.stack.lo || p >= gp.stack.hi:
		return st.resolveSaved(&e, o, key)
	case st.gap && !st.slide(p):
		*key = refsKey{parent: st.deep(), kind: profilerecord.RefsUnknown}
	default:
		return st.resolveWord(&e, o, key)
	}
	return o.unknown(key)
}

// resolveWord is resolve for words of frames.
//
//go:nowritebarrierrec
func (st *refsStack) resolveWord(e *refsEdge, o *refsObject, key *refsKey) bool {
	p := e.slot
	i := st.find(p)
	f := &st.frames[i]
	*key = refsKey{parent: st.path(i)}
	if f.conservative {
		key.kind = profilerecord.RefsRegisters
		o.unknown(key)
		return false
	}
	v, off, ok := f.variable(p)
	switch {
	case ok:
		key.kind, key.off = profilerecord.RefsLocal, v.entry
		e.off = off
		return e.resolveVariable(&v, o, key)
	case p >= f.argp && p < f.argEnd:
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
	i, d := st.deferring(gp, e.slot, e.val)
	*key = refsKey{parent: st.path(i), kind: profilerecord.RefsDefer}
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
// part of, and the frame that made it. If there is no such record, d is nil and the
// frame the innermost one. scanstack goes through the records in order, so that it is
// the last one or the next.
//
//go:nowritebarrierrec
func (st *refsStack) deferring(gp *g, p, val uintptr) (frame int, d *_defer) {
	d = (*_defer)(unsafe.Pointer(st.record))
	if d == nil {
		d = gp._defer
	}
	for range 2 {
		if d == nil {
			break
		}
		at := uintptr(unsafe.Pointer(d))
		if val == at || p >= at && p < at+unsafe.Sizeof(*d) {
			st.record = at
			return st.find(d.sp), d
		}
		d = d.link
	}
	return 0, nil
}

// find returns the frame that the word at p belongs to: the callee's, if it is
// among its arguments.
//
//go:nowritebarrierrec
func (st *refsStack) find(p uintptr) int {
	lo, hi := 0, st.n
	if st.gap && p < st.frames[refsWindowFrames].sp {
		hi = refsWindowFrames
	} else if st.gap {
		lo = refsWindowFrames
	}
	for lo+1 < hi {
		mid := int(uint(lo+hi) / 2)
		if st.frames[mid].sp <= p {
			lo = mid
		} else {
			hi = mid
		}
	}
	if lo > 0 && p >= st.frames[lo-1].argp && p < st.frames[lo-1].argEnd {
		return lo - 1
	}
	return lo
}

// path returns the node of frame i, below those of its callers.
//
//go:nowritebarrierrec
func (st *refsStack) path(i int) uint32 {
	f := &st.frames[i]
	if f.node != 0 {
		return f.node
	}
	if i < st.n-refsPathFrames {
		return f.element(st.deep())
	}
	parent := refsGoroutineNode(st.gp.ptr())
	for j := st.n - 1; j > i; j-- {
		parent = st.frames[j].element(parent)
	}
	return f.element(parent)
}

// deep returns the node of the frames that paths leave out.
//
//go:nowritebarrierrec
func (st *refsStack) deep() uint32 {
	return refs.nodes.find(&refsKey{parent: st.path(st.n - refsPathFrames), kind: profilerecord.RefsDeepStack})
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

// list lists the frames of the goroutine, which is stopped.
//
//go:nowritebarrierrec
func (st *refsStack) list(gp *g) {
	st.listed, st.n, st.rewinds = true, 0, 0
	if st.frames == nil {
		st.frames = (*refsFrames)(refsSysAlloc(unsafe.Sizeof(refsFrames{})))
		if st.frames == nil {
			return
		}
	}
	k, conservative := 0, false
	var u unwinder
	for u.init(gp, 0); u.valid(); u.next() {
		if u.frame.fn.funcID == abi.FuncID_goexit {
			continue
		}
		i := k
		if k >= refsWindowFrames { // a ring of the outermost ones
			i = refsWindowFrames + (k-refsWindowFrames)%refsOuterFrames
		}
		if k == refsWindowFrames {
			st.after = u
		}
		k++
		conservative = st.frames[i].set(&u.frame, u.symPC(), conservative)
	}
	st.n = min(k, len(st.frames))
	st.gap = k > len(st.frames)
	if st.gap {
		refsRotate(st.frames[refsWindowFrames:], (k-refsWindowFrames)%refsOuterFrames)
	}
}

// set makes f that of a frame at pc, and reports whether its caller's is scanned
// conservatively, as the frame itself is if conservative is set.
//
//go:nowritebarrierrec
func (f *refsFrame) set(frame *stkframe, pc uintptr, conservative bool) bool {
	caller := frame.fn.funcID == abi.FuncID_asyncPreempt || frame.fn.funcID == abi.FuncID_debugCallV2
	*f = refsFrame{sp: frame.sp, varp: frame.varp, argp: frame.argp, pc: pc + 1, continpc: frame.continpc, conservative: conservative || caller}
	f.argEnd = f.argp + frame.argBytes()
	return caller
}

// slide moves the window to the frame of the word at p, unless that is an outermost
// one. It reports false if the window has been moved back too often.
//
//go:nowritebarrierrec
func (st *refsStack) slide(p uintptr) bool {
	if p >= st.frames[refsWindowFrames].sp {
		return true
	}
	if p < st.frames[0].sp {
		if st.rewinds == refsMaxRewinds {
			return false
		}
		st.rewinds++
		st.after.init(st.gp.ptr(), 0)
		st.fill()
	}
	for p >= st.after.frame.sp && st.after.valid() {
		st.fill()
	}
	return true
}

// fill moves the window to the frames behind it. If these are fewer, what is left
// of it lies behind all of the stack.
//
//go:nowritebarrierrec
func (st *refsStack) fill() {
	conservative := false
	for i := range refsWindowFrames {
		if !st.after.valid() {
			st.frames[i] = refsFrame{sp: ^uintptr(0)}
			continue
		}
		conservative = st.frames[i].set(&st.after.frame, st.after.symPC(), conservative)
		st.after.next()
	}
}

// refsRotate moves f[n:] to the front.
func refsRotate(f []refsFrame, n int) {
	refsReverse(f[:n])
	refsReverse(f[n:])
	refsReverse(f)
}

func refsReverse(f []refsFrame) {
	for i, j := 0, len(f)-1; i < j; i, j = i+1, j-1 {
		f[i], f[j] = f[j], f[i]
	}
}
