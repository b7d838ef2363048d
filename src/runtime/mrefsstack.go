// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// References in stacks: to which frame a word belongs, and in which order words
// are followed.
//
// scanstack is unchanged. It passes each reference to greyobject, with the
// address of the word. The address determines the frame. The goroutine is
// stopped until the scan of its stack ends. scanstack may shrink the stack, and
// thus move it, but only before it passes on the first reference.
//
// scanstack finds the words of inner frames first. But references in outer
// frames should be followed first, because an outer function often owns the
// objects that it lends to the functions it calls, and outer frames are likely
// to be the same in the next recording. The recorder therefore keeps the words
// until scanstack has passed on all words of frames, and then follows them from
// the outermost frame to the innermost. Words that are not on the stack come
// next: registers, and defer records in scanstack's order. Words of stack
// objects, which are variables that only a pointer keeps alive, are followed
// last, when scanstack comes to them. If there is no defer record, these words
// count as words of frames as long as each is at a higher address than the one
// before.
//
// Words at the same place in frames with the same node resolve alike
// (mrefsresolve.go), unless other words of the frame determine their types, or
// a frame is scanned conservatively or may have another stack map. If they
// resolve alike, the P's cache can keep the result (see takeAt). The entry in
// the cache has the frame's node in place of an object's node, and the place in
// the frame in place of an offset.
//
// Goroutines with equal labels share a node, but leaked goroutines share none
// with other goroutines. Equal labels may be at many addresses, so a node is
// identified by a hash of their content. Labels never change, and a goroutine
// whose stack is being scanned keeps its own labels alive. If a program stores,
// in place of labels, a value that cannot be read as labels, the goroutine
// counts as one without labels.

package runtime

import (
	"internal/goarch"
	"internal/runtime/pprof/label"
	"internal/runtime/refs"
	"internal/runtime/sys"
	"unsafe"
)

// Places in frames, as offsets for the cache. The offset of a local or an
// argument is a distance plus refsPlaceLocal or refsPlaceArg. For defer records
// on the heap, the word that refers to the function has the offset
// refsPlaceDeferred, and a reference to a record has the offset refsPlaceDefer.
const (
	refsPlaceLocal    = iota // added to the distance below varp
	refsPlaceArg             // added to the distance above argp
	refsPlaceDeferred        // the function of a defer record
	refsPlaceDefer           // a reference to a defer record
)

// refsStack is the stack that a P scans. The memory of its frames and words is
// reused for the next stack.
type refsStack struct {
	gp     guintptr      // goroutine whose stack is being scanned, or 0
	asks   refsAsks      // whether the goroutine serves a request for the recording
	listed bool          // list has been made
	record uintptr       // *_defer at which the last successful search of deferRecord ended, or 0
	missed refsStackWord // word for which the last unsuccessful search of deferRecord was, or 0
	last   int           // index of the frame that within has found last
	list   refsFrameList
	words  refsStackWords
	deep   refsDeepFrames
}

// begin begins the scan of the stack of gp.
func (st *refsStack) begin(gp *g) {
	st.gp.set(gp)
	st.listed = false
	st.asks = refsAsksUnknown
	st.record, st.missed = 0, refsStackWord{}
	st.last = 0
	st.deep.node = 0
	st.words.begin()
}

// end ends the scan.
func (st *refsStack) end() {
	st.gp = 0
}

// free frees the memory of st.
func (st *refsStack) free() {
	st.list.free()
	st.words.free()
}

// isOwn reports whether the word at p is in a frame of one of the program's own
// functions. It returns false if the word is not on the stack, or if the list
// does not have the frame.
//
//go:nowritebarrierrec
func (st *refsStack) isOwn(p uintptr) bool {
	gp := st.gp.ptr()
	st.makeList(gp)
	if st.list.n == 0 || p < gp.stack.lo || p >= gp.stack.hi || st.list.gap && !st.list.slide(gp, p) {
		return false
	}
	f := st.list.at(st.find(p))
	if f.own == refsOwnUnknown {
		f.own = refsOwnNot
		if refsOwn.hasFunction(funcname(findfunc(f.pc - 1))) {
			f.own = refsOwnYes
		}
	}
	return f.own == refsOwnYes
}

// makeList lists the frames, unless it has done so.
//
//go:nowritebarrierrec
func (st *refsStack) makeList(gp *g) {
	if !st.listed {
		st.listed = true
		st.list.make(gp)
	}
}

const (
	refsMinStackWords = 1 << 8
	refsMaxStackWords = 1 << 18 // 4 MiB on 64-bit systems; the words of a stack that has more are followed in parts

	refsAloneStackWords = 1 << 16 // number of words of a stack that a worker follows while it marks alone
)

// refsStackWords has the words that keepWord has kept for the stack that is
// being scanned. Its memory is reused for the next stack.
type refsStackWords struct {
	words  *refsStackWord
	n      int     // number of words that are kept
	room   int     // number of words for which there is memory
	last   uintptr // address of the last kept word that is on the stack, or 0
	framed bool    // the words of frames have been followed

	followed int // number of words that have been followed
}

// A refsStackWord is the address of a reference, and the word that was read
// there. If slot is not on the stack, it may be the address of a local variable
// of scanstack.
type refsStackWord struct {
	_ sys.NotInHeap

	slot, val uintptr
}

// at returns word i.
//
//go:nowritebarrierrec
func (ws *refsStackWords) at(i int) *refsStackWord {
	return (*refsStackWord)(unsafe.Pointer(uintptr(unsafe.Pointer(ws.words)) + uintptr(i)*unsafe.Sizeof(refsStackWord{})))
}

// grow doubles the room, and reports whether it did.
//
//go:nowritebarrierrec
func (ws *refsStackWords) grow() bool {
	room := max(2*ws.room, refsMinStackWords)
	if room > refsMaxStackWords {
		return false
	}
	words := (*refsStackWord)(refsSysAlloc(uintptr(room) * unsafe.Sizeof(refsStackWord{})))
	if words == nil {
		return false
	}
	memmove(unsafe.Pointer(words), unsafe.Pointer(ws.words), uintptr(ws.n)*unsafe.Sizeof(refsStackWord{}))
	ws.free()
	ws.words, ws.room = words, room
	return true
}

// begin forgets the words of the last stack.
func (ws *refsStackWords) begin() {
	ws.n, ws.last, ws.framed, ws.followed = 0, 0, false, 0
}

// free frees the memory of the words.
func (ws *refsStackWords) free() {
	if ws.words != nil {
		refsSysFree(unsafe.Pointer(ws.words), uintptr(ws.room)*unsafe.Sizeof(refsStackWord{}))
		ws.words, ws.room = nil, 0
	}
}

// has reports whether the word at p is on the stack.
//
//go:nowritebarrierrec
func (st *refsStack) has(p uintptr) bool {
	stack := st.gp.ptr().stack
	return p >= stack.lo && p < stack.hi
}

// keepWord keeps the word at slot, which has been read as val. It reports
// whether it kept the word; if not, the caller follows the word at once. If
// there is no room for more words, keepWord first follows those that it has
// kept.
//
// The words of frames come in the order of their addresses. All of them have
// come if, after one of them, a word is not on the stack or is at a lower
// address. keepWord then follows the words that it has kept, and keeps no more,
// because millions of words may follow.
//
//go:nowritebarrierrec
func (st *refsStack) keepWord(rp *refsClaimer, gcw *gcWork, slot, val uintptr) (kept bool) {
	ws := &st.words
	inside := st.has(slot)
	if !ws.framed && refs.FramesEnded(ws.last, slot, inside) {
		st.followWords(rp, gcw)
		ws.framed = true
	}
	if ws.framed {
		return false
	}
	if inside {
		ws.last = slot
	}
	if ws.n == ws.room && !ws.grow() {
		if st.followWords(rp, gcw); ws.room == 0 {
			return false
		}
	}
	*ws.at(ws.n) = refsStackWord{slot: slot, val: val}
	ws.n++
	return true
}

// followWords follows the references in the words that are kept, and forgets
// them. If the stack has more frames than the list, references in outer frames
// are followed last, because the list's window moves outwards (mrefsframe.go).
//
//go:nowritebarrierrec
func (st *refsStack) followWords(rp *refsClaimer, gcw *gcWork) {
	ws := &st.words
	if ws.n == 0 {
		return
	}
	st.makeList(st.gp.ptr())
	for i := range ws.n {
		if !st.list.gap {
			i = ws.n - 1 - i
		}
		if w := ws.at(i); st.has(w.slot) {
			st.followWord(rp, gcw, w.slot, w.val)
		}
	}
	for i := range ws.n {
		if w := ws.at(i); !st.has(w.slot) {
			st.followWord(rp, gcw, w.slot, w.val)
		}
	}
	ws.n = 0
}

// followWord follows the reference val in the word at slot, if rp wants its
// target. The word is in the stack that is being scanned, or was saved for the
// goroutine elsewhere.
//
//go:nowritebarrierrec
func (st *refsStack) followWord(rp *refsClaimer, gcw *gcWork, slot, val uintptr) {
	o := &rp.object
	if refsFind(val, o) && rp.wants(o) {
		o.Check, o.Seen = refs.CheckNone, 0
		st.follow(rp, gcw, &refsEdge{slot: slot, val: val, vars: &rp.vars}, o)
	}
}

// follow follows the reference e to object o. e is in the stack that is being
// scanned, or was saved for the goroutine elsewhere.
//
//go:nowritebarrierrec
func (st *refsStack) follow(rp *refsClaimer, gcw *gcWork, e *refsEdge, o *refsObject) {
	if st.words.followed++; st.words.followed == refsAloneStackWords {
		refsMarking.alone.open()
	}
	place := refsEdge{slot: e.slot, val: e.val, vars: &rp.vars}
	st.place(&place)
	if rp.claimKnown(gcw, &place, o) {
		return
	}
	var key refs.Key
	exact := st.resolve(e, o, &key)
	if refsIsRuntimes(&key) {
		if rp.log.on && rp.log.describeUnclaimed(o) {
			rp.log.root(o.base, refsPaths.Find(&key))
		}
		rp.takeBarrier(gcw, o)
		return
	}
	rp.takeAt(gcw, &place, o, &key, exact)
}

// place completes an edge that has the address of a word and the word itself.
// It sets at.from to the node of the word's frame, which for defer records is
// the frame that made the record, and at.off to an offset that stands for the
// word's place in all frames of that node. at.from stays 0 if the frame is not
// known, if the word is a saved register, or if words at this place in other
// frames may resolve to other nodes.
//
//go:nowritebarrierrec
func (st *refsStack) place(at *refsEdge) {
	gp := st.gp.ptr()
	st.makeList(gp)
	p := at.slot
	switch {
	case st.list.n == 0:
	case p < gp.stack.lo || p >= gp.stack.hi:
		d := st.deferRecord(gp, p, at.val)
		if d == nil {
			break
		}
		at.from, at.off = st.deferFrame(gp, d), refsPlaceDefer
		if p == uintptr(unsafe.Pointer(&d.fn)) {
			at.off = refsPlaceDeferred
		}
	case st.list.gap && !st.list.slide(gp, p):
	default:
		i := st.find(p)
		f := st.list.at(i)
		switch {
		case f.conservative || f.continpc != f.pc: // other frames of the node may have another stack map, or may not be scanned conservatively
		case p >= f.argp && p < f.argp+uintptr(f.args):
			at.from, at.off = st.path(i), p-f.argp+refsPlaceArg
		default:
			at.from, at.off = st.path(i), f.varp-p+refsPlaceLocal
		}
	}
}

// resolve fills in key for the reference e to object o, and reports whether the
// key is exact. The caller has called place for the same word.
//
//go:nowritebarrierrec
func (st *refsStack) resolve(e *refsEdge, o *refsObject, key *refs.Key) bool {
	gp := st.gp.ptr()
	p, node := e.slot, uint32(0)
	switch {
	case st.list.n == 0:
		node = refsGoroutineNode(gp)
	case p < gp.stack.lo || p >= gp.stack.hi:
		return st.resolveSaved(e, o, key)
	case st.list.gap && !st.list.has(p):
		node = st.deepNode()
	default:
		return st.resolveWord(e, o, key)
	}
	t := o.target()
	return refsPaths.ResolveUnframed(node, &t, key)
}

// resolveWord is resolve for words of frames.
//
//go:nowritebarrierrec
func (st *refsStack) resolveWord(e *refsEdge, o *refsObject, key *refs.Key) (exact bool) {
	i := st.find(e.slot)
	f := st.list.at(i).frame(st.path(i))
	edge, t := e.edge(), o.target()
	exact = refsPaths.ResolveLocal(&edge, &f, &t, key)
	o.Hint = t.Hint
	return exact
}

// resolveSaved is resolve for words that are not on the stack: words of defer
// records, references to such records, and the registers that are saved while
// the goroutine does not run.
//
//go:nowritebarrierrec
func (st *refsStack) resolveSaved(e *refsEdge, o *refsObject, key *refs.Key) (exact bool) {
	gp := st.gp.ptr()
	d := st.deferRecord(gp, e.slot, e.val)
	fn := uintptr(0)
	if d != nil {
		fn = uintptr(unsafe.Pointer(&d.fn))
	}
	what := refs.SavedOf(e.slot, fn, uintptr(unsafe.Pointer(&gp.sched.ctxt)))
	edge, t := e.edge(), o.target()
	exact = refsPaths.ResolveSaved(&edge, st.deferFrame(gp, d), what, &t, key)
	o.Hint = t.Hint
	return exact
}

// deferRecord returns the defer record to which val, the word at p, points. If
// val points to no record, it returns the record that has the word at p, or nil
// if none has it. It begins at the record at which its last successful search
// ended, because scanstack goes through the records in order.
//
//go:nowritebarrierrec
func (st *refsStack) deferRecord(gp *g, p, val uintptr) *_defer {
	if !refsMayBeDefer(p) && !refsMayBeDefer(val) || st.missed.slot == p && st.missed.val == val {
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
	st.missed.slot, st.missed.val = p, val
	return nil
}

// refsMayBeDefer reports whether a defer record of the heap may be at p: the
// objects of the span there have its size. deferRecord searches the records
// only for such addresses.
//
//go:nowritebarrierrec
func refsMayBeDefer(p uintptr) bool {
	s := spanOfHeap(p)
	return s != nil && s.elemsize == roundupsize(unsafe.Sizeof(_defer{}), false)
}

// deferFrame returns the node of the frame that made d or, if d is nil, of the
// innermost frame. If that frame is not in the list, and the list's window
// cannot move to it, deferFrame returns deepNode.
//
//go:nowritebarrierrec
func (st *refsStack) deferFrame(gp *g, d *_defer) uint32 {
	sp := uintptr(0) // 0 is below the innermost frame, and counts as a word of that frame
	if d != nil {
		sp = d.sp
	}
	if st.list.gap && !st.list.slide(gp, sp) {
		return st.deepNode()
	}
	return st.path(st.within(sp))
}

// find returns the index of the frame that the word at p belongs to. A word
// among the arguments of a callee belongs to the callee's frame.
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

// within returns the index of the frame that has p between its stack pointer
// and its caller's.
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

// path returns the node of frame i, below the nodes of its callers.
//
//go:nowritebarrierrec
func (st *refsStack) path(i int) uint32 {
	f := st.list.at(i)
	if f.node != 0 {
		return f.node
	}
	if refs.IsDeep(i, st.list.n) {
		f.node = st.deepElement(f.pc)
		return f.node
	}
	parent := st.root()
	for j := st.list.n - 1; j > i; j-- {
		parent = st.list.at(j).element(parent)
	}
	return f.element(parent)
}

// A refsAsks says whether a goroutine serves a request for the recording.
type refsAsks uint8

const (
	refsAsksUnknown refsAsks = iota
	refsAsksNot
	refsAsksYes
)

// root returns the node for goroutines like the one whose stack is being
// scanned. The frames are listed.
//
//go:nowritebarrierrec
func (st *refsStack) root() uint32 {
	if st.asks == refsAsksUnknown {
		st.asks = refsAsksNot
		for i := 0; i < st.list.n && st.gp.ptr().recording; i++ {
			if refs.ServesRequest(funcname(findfunc(st.list.at(i).pc - 1))) {
				st.asks = refsAsksYes
				break
			}
		}
	}
	if st.asks == refsAsksYes {
		return refsPaths.Requests()
	}
	return refsGoroutineNode(st.gp.ptr())
}

// refsDeepFrames has the node that stands for the frames of a deep stack that
// paths leave out. It also keeps nodes below that node by the PCs of their
// frames, because recursion has few PCs.
type refsDeepFrames struct {
	node uint32 // node that stands for the frames, or 0
	last [16]struct {
		pc   uintptr
		node uint32
	}
}

// deepNode returns the node that stands for the frames that paths leave out.
//
//go:nowritebarrierrec
func (st *refsStack) deepNode() uint32 {
	if st.deep.node == 0 {
		st.deep = refsDeepFrames{node: refsPaths.DeepNode(st.path(st.list.n - refs.MaxPathFrames))}
	}
	return st.deep.node
}

// deepElement returns the node of frames at pc below deepNode.
//
//go:nowritebarrierrec
func (st *refsStack) deepElement(pc uintptr) uint32 {
	parent := st.deepNode()
	last := &st.deep.last[(pc^pc>>4)%uintptr(len(st.deep.last))]
	if last.pc != pc {
		last.pc, last.node = pc, refsPaths.FrameNode(parent, pc)
	}
	return last.node
}

// refsLabels keeps labels of goroutines alive after the cycle: set n is at n-1,
// or at none if two Ps have added equal labels at once. Labels are in use when
// they are put here, so the cycle marks them.
var refsLabels struct{ sets []unsafe.Pointer }

// refsGoroutineNode returns the node for the goroutines that have gp's labels.
//
//go:nowritebarrierrec
func refsGoroutineNode(gp *g) uint32 {
	labels := uintptr(0)
	if areLabels((*label.Set)(gp.labels)) {
		h := hashLabels((*label.Set)(gp.labels))
		labels = uintptr(h)
		if goarch.PtrSize == 4 {
			labels ^= uintptr(h >> 32)
		}
	}
	n, set := refsPaths.Goroutine(readgstatus(gp)&^_Gscan == _Gleaked, labels)
	if set != 0 {
		*(*uintptr)(unsafe.Pointer(&refsLabels.sets[set-1])) = uintptr(gp.labels)
	}
	return n
}
