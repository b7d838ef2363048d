// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The words of a stack that refer to objects, in the order in which they are followed.
//
// scanstack finds them from the innermost frame on. They are kept till its end, and then
// those of outer frames are followed before those of inner ones, because what a function
// holds is the caller's more often than the callee's, and the caller's is the same in the
// next recording. Words that are not on the stack follow, in the order of scanstack: of
// registers, and of defer records, which mrefsstack.go searches in that order.
//
// scanstack comes to stack objects, variables that only a pointer keeps alive, after frames
// and defer records, in an order of its own. Their words are followed when they come. If the
// first one lies above all words of frames, and there is no defer record, it counts as one of
// these.
//
// The list is used with the goroutine stopped, by the P that scans its stack. greyobject
// adds to it (refsFollowGrey), and markroot has it followed (refsFollowWords).

package runtime

import (
	"internal/runtime/sys"
	"unsafe"
)

const (
	refsMinStackWords = 1 << 8
	refsMaxStackWords = 1 << 18 // 4 MiB. Words of a stack that has more are followed in parts

	refsAloneStackWords = 1 << 16 // that a worker follows alone
)

// refsStackWords is words of the stack that is being scanned. Its memory is kept from
// stack to stack.
type refsStackWords struct {
	words  *refsStackWord
	n      int
	room   int
	last   uintptr // the last one that is on the stack, or 0
	framed bool    // those of frames are followed

	followed int
}

// A refsStackWord is where a reference is, and what was read there. If it is not on the
// stack, it may be in a frame of scanstack.
type refsStackWord struct {
	_ sys.NotInHeap

	slot, val uintptr
}

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

func (ws *refsStackWords) begin() {
	ws.n, ws.last, ws.framed, ws.followed = 0, 0, false, 0
}

func (ws *refsStackWords) free() {
	if ws.words != nil {
		refsSysFree(unsafe.Pointer(ws.words), uintptr(ws.room)*unsafe.Sizeof(refsStackWord{}))
		ws.words, ws.room = nil, 0
	}
}

// refsFollowWords follows the references in the stack that has been scanned (see
// refsStackScanned).
//
//go:nowritebarrierrec
func refsFollowWords(gcw *gcWork) {
	refsOf(gcw.id).followWords(gcw)
}

// has reports whether the word at p is on the stack.
//
//go:nowritebarrierrec
func (st *refsStack) has(p uintptr) bool {
	stack := st.gp.ptr().stack
	return p >= stack.lo && p < stack.hi
}

// keepWord keeps the word at slot, which has been read as val, or reports that it is to be
// followed at once. Without memory for all of the stack's words it follows those that it has
// kept. The words of frames come in the order of their addresses. So if one that is not on the
// stack comes after one that is, or one that is lower on the stack, those of frames are all
// there: they are followed, and it and the rest, of which there may be millions, at once.
//
//go:nowritebarrierrec
func (rp *refsP) keepWord(gcw *gcWork, slot, val uintptr) (kept bool) {
	st, ws := &rp.stack, &rp.stack.words
	inside := st.has(slot)
	if !ws.framed && ws.last != 0 && (!inside || slot < ws.last) {
		rp.followWords(gcw)
		ws.framed = true
	}
	if ws.framed {
		return false
	}
	if inside {
		ws.last = slot
	}
	if ws.n == ws.room && !ws.grow() {
		if rp.followWords(gcw); ws.room == 0 {
			return false
		}
	}
	*ws.at(ws.n) = refsStackWord{slot: slot, val: val}
	ws.n++
	return true
}

// followWords follows the references in the words that are kept, and forgets them. In a
// stack that is deeper than the list of frames, outer frames come last, because the list is
// at one part of it after another.
//
//go:nowritebarrierrec
func (rp *refsP) followWords(gcw *gcWork) {
	st, ws := &rp.stack, &rp.stack.words
	if ws.n == 0 {
		return
	}
	st.makeList(st.gp.ptr())
	for i := range ws.n {
		if !st.list.gap {
			i = ws.n - 1 - i
		}
		if w := ws.at(i); st.has(w.slot) {
			rp.followWord(gcw, w.slot, w.val)
		}
	}
	for i := range ws.n {
		if w := ws.at(i); !st.has(w.slot) {
			rp.followWord(gcw, w.slot, w.val)
		}
	}
	ws.n = 0
}

// followWord follows the reference val, which is in the stack that is scanned, or saved
// beside it, unless its target is claimed.
//
//go:nowritebarrierrec
func (rp *refsP) followWord(gcw *gcWork, slot, val uintptr) {
	o := &rp.object
	if refsFind(val, o) && o.claimable() {
		o.check, o.seen = refsCheckNone, 0
		rp.followStack(gcw, &refsEdge{slot: slot, val: val, rp: rp}, o)
	}
}
