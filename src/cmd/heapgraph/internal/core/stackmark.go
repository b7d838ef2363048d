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
	"internal/runtime/refs"
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
	framed := g.framed(s.words)
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

// framed returns how many of the words count as words of frames.
func (g *goroutine) framed(words []stackWord) int {
	last := uint64(0)
	for i, w := range words {
		onStack := g.has(w.at)
		if refs.FramesEnded(uintptr(last), uintptr(w.at), onStack) {
			return i
		}
		if onStack {
			last = w.at
		}
	}
	return len(words)
}

// A stackMarker follows the references of a stack (runtime/mrefsstack.go).
type stackMarker struct {
	*marker
	g      *goroutine
	frames []frame
	deep   uint32 // node that stands for the frames that paths leave out, or 0
	defers deferRecords
}

// follow follows the reference in w.
func (st *stackMarker) follow(w stackWord) {
	o, ok := st.find(w.value)
	if !ok {
		return
	}
	var k refs.Key
	e := refs.Edge{Slot: uintptr(w.at), Val: uintptr(w.value)}
	t := o.target()
	exact := st.resolveWord(&e, &t, &k)
	st.setBounds(&o, &e, &t, exact)
	if st.isRuntimes(&k) {
		st.logRoot(st.paths.Find(&k), &o)
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

// resolveWord is refs.Resolve for words of a stack, and for words that were
// saved for its goroutine elsewhere.
func (st *stackMarker) resolveWord(e *refs.Edge, t *refs.Target, k *refs.Key) bool {
	if len(st.frames) == 0 {
		return st.paths.ResolveUnframed(st.goroutineNode(st.g), t, k)
	}
	if !st.g.has(uint64(e.Slot)) {
		return st.resolveSaved(e, t, k)
	}
	i := st.frameOf(uint64(e.Slot))
	st.frame = &st.frames[i]
	f := refs.Frame{Node: st.path(i), Argp: uintptr(st.frame.argp), Varp: uintptr(st.frame.varp), Args: uintptr(st.frame.args), Conservative: st.frame.conservative}
	return st.paths.ResolveLocal(e, &f, t, k)
}

// resolveSaved is resolveWord for words that are not on the stack: words of
// defer records, references to such records, and saved registers.
func (st *stackMarker) resolveSaved(e *refs.Edge, t *refs.Target, k *refs.Key) bool {
	d := st.deferRecord(uint64(e.Slot), uint64(e.Val))
	fn := uint64(0)
	if d != 0 {
		fn = d + st.off(profilerecord.CoreDeferFunc)
	}
	what := refs.SavedOf(e.Slot, uintptr(fn), uintptr(st.g.addr+st.off(profilerecord.CoreGContext)))
	return st.paths.ResolveSaved(e, st.deferFrame(d), what, t, k)
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
	fr, n := &st.frames[i], len(st.frames)
	if fr.node != 0 {
		return fr.node
	}
	if refs.IsDeep(i, n) {
		if st.deep == 0 {
			st.deep = st.paths.DeepNode(st.path(n - refs.MaxPathFrames))
		}
		fr.node = st.paths.FrameNode(st.deep, uintptr(fr.symbol))
		return fr.node
	}
	parent := st.goroutineNode(st.g)
	for j := n - 1; j >= i; j-- {
		f := &st.frames[j]
		if f.node == 0 {
			f.node = st.paths.FrameNode(parent, uintptr(f.symbol))
		}
		parent = f.node
	}
	return parent
}
