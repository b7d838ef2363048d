// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file follows the references of a stack, as the recorder does
// (runtime/mrefsstack.go): it finds the frame and the variable to which a word
// belongs, and orders the words.

package core

import (
	"cmp"
	"internal/profilerecord"
	"slices"
)

// followStack follows the references in the stack of g: first those in frames,
// from the outermost frame to the innermost, then those that are not on the
// stack, and last those in stack objects. If own is set, it follows only those
// in frames of the program's own functions.
func (m *marker) followStack(g *goroutine, own bool) {
	s := m.scanStack(g)
	m.goroutine = g
	defer func() { m.goroutine = nil }()
	framed := len(s.words)
	for i, w := range s.words {
		if w.object {
			framed = i
			break
		}
	}
	st := stackMarker{marker: m, g: g, frames: s.frames}
	follow := func(w stackWord) {
		if own && !st.isOwn(w.at) {
			return
		}
		st.follow(w)
	}
	for _, w := range slices.Backward(s.words[:framed]) {
		if g.has(w.at) {
			follow(w)
		}
	}
	for _, w := range s.words[:framed] {
		if !g.has(w.at) {
			follow(w)
		}
	}
	for _, w := range s.words[framed:] {
		follow(w)
	}
}

// A stackMarker follows the references of a stack (runtime/mrefsstack.go).
type stackMarker struct {
	*marker
	g      *goroutine
	frames []frame
	deep   uint32 // node that stands for the frames that paths leave out, or 0
	defers deferRecords
}

// A path has at most the pathFrames outermost frames of a stack. If its word of
// the stack is in a frame further in, it has that frame, too.
const pathFrames = 96

// follow follows the reference in w.
func (st *stackMarker) follow(w stackWord) {
	o, ok := st.find(w.value)
	if !ok {
		return
	}
	var k key
	exact := st.resolveWord(&edge{at: w.at, val: w.value}, &o, &k)
	if st.isRuntimes(&k) {
		st.logRoot(st.nodes.find(&k), &o)
		st.takeBarrier(&o)
		return
	}
	st.takeAt(&o, &k, exact)
}

// isOwn reports whether the word at an address is in a frame of one of the
// program's own functions.
func (st *stackMarker) isOwn(at uint64) bool {
	return st.g.has(at) && len(st.frames) > 0 && st.own.hasFunction(st.frames[st.frameOf(at)].f.name)
}

// resolveWord is resolve for words of a stack, and for words that were saved
// for its goroutine elsewhere.
func (st *stackMarker) resolveWord(e *edge, o *object, k *key) bool {
	if len(st.frames) == 0 {
		*k = key{parent: st.nodes.goroutine(st.g.leaked, st.g.labels), kind: profilerecord.RefsUnknown}
		return st.unknown(o, k)
	}
	if !st.g.has(e.at) {
		return st.resolveSaved(e, o, k)
	}
	i := st.frameOf(e.at)
	fr := &st.frames[i]
	*k = key{parent: st.path(i)}
	if fr.conservative {
		k.kind = profilerecord.RefsRegisters
		st.unknown(o, k)
		return false
	}
	arg := e.at >= fr.argp && e.at < fr.argp+fr.args
	v, off, ok := st.frameVariable(fr, e.at, arg)
	switch {
	case ok:
		k.kind, k.off = profilerecord.RefsLocal, v.entry
		e.off = off
		return st.resolveVariable(e, &v, o, k)
	case arg:
		k.kind, k.off = profilerecord.RefsArg, e.at-fr.argp
	default:
		k.kind, k.off = profilerecord.RefsSlot, fr.varp-e.at
	}
	return st.unknown(o, k)
}

// resolveSaved is resolveWord for words that are not on the stack: words of
// defer records, references to such records, and saved registers.
func (st *stackMarker) resolveSaved(e *edge, o *object, k *key) bool {
	d := st.deferRecord(e.at, e.val)
	*k = key{parent: st.deferFrame(d), kind: profilerecord.RefsDefer}
	switch {
	case d != 0 && e.at == d+st.off(profilerecord.CoreDeferFunc):
		return st.closure(e, o, k)
	case d != 0:
		return st.pointee(o, st.known.defers, e.val, k)
	case e.at == st.g.addr+st.off(profilerecord.CoreGContext):
		k.kind = profilerecord.RefsContext
		return st.closure(e, o, k)
	}
	k.kind = profilerecord.RefsRegisters
	st.unknown(o, k)
	return false
}

// deferFrame returns the node of the frame that made the defer record d or, if
// d is 0, of the innermost frame.
func (st *stackMarker) deferFrame(d uint64) uint32 {
	if d == 0 {
		return st.path(0)
	}
	return st.path(st.within(st.word(d + st.off(profilerecord.CoreDeferSP))))
}

// frameOf returns the index of the frame to which the word at an address
// belongs. A word among the arguments of a callee belongs to the callee.
func (st *stackMarker) frameOf(at uint64) int {
	i := st.within(at)
	if i > 0 {
		if callee := &st.frames[i-1]; at >= callee.argp && at < callee.argp+callee.args {
			return i - 1
		}
	}
	return i
}

// within returns the index of the frame whose range has an address. A frame's
// range begins at its stack pointer and ends at its caller's. An address below
// all frames counts as one in the innermost frame.
func (st *stackMarker) within(at uint64) int {
	i, ok := slices.BinarySearchFunc(st.frames, at, func(f frame, at uint64) int { return cmp.Compare(f.sp, at) })
	if !ok {
		i--
	}
	return max(i, 0)
}

// path returns the node of frame i, below the nodes of its callers.
func (st *stackMarker) path(i int) uint32 {
	fr := &st.frames[i]
	if fr.node != 0 {
		return fr.node
	}
	n := len(st.frames)
	if i < n-pathFrames {
		if st.deep == 0 {
			st.deep = st.nodes.find(&key{parent: st.path(n - pathFrames), kind: profilerecord.RefsDeepStack})
		}
		fr.node = st.nodes.find(&key{parent: st.deep, kind: profilerecord.RefsFrame, off: fr.symbol})
		return fr.node
	}
	parent := st.nodes.goroutine(st.g.leaked, st.g.labels)
	for j := n - 1; j >= i; j-- {
		f := &st.frames[j]
		if f.node == 0 {
			f.node = st.nodes.find(&key{parent: parent, kind: profilerecord.RefsFrame, off: f.symbol})
		}
		parent = f.node
	}
	return parent
}
