// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file collects the frames of a stack. If the stack is too deep, it keeps
// the innermost and the outermost frames. One frame stands for the others, or
// for the rest of a stack that cannot be followed to its end.

package core

// maxInner and maxOuter are the largest numbers of innermost and of outermost
// frames of a stack that are kept. Tests change them.
var maxInner, maxOuter = 1 << 21, 1 << 16

// A frameList collects the frames of a stack, innermost first.
type frameList struct {
	n     int     // number of frames that were added
	inner []frame // the first maxInner frames
	outer []frame // a ring of the last maxOuter of the other frames
	args  uint64  // bytes of arguments of the frame that was left out last
}

func (l *frameList) add(fr frame) {
	switch i := l.n - maxInner; {
	case i < 0:
		l.inner = append(l.inner, fr)
	case i < maxOuter:
		l.outer = append(l.outer, fr)
	default:
		l.args, l.outer[i%maxOuter] = l.outer[i%maxOuter].args, fr
	}
	l.n++
}

// skipped reports whether there were more frames than are kept.
func (l *frameList) skipped() bool { return l.n > maxInner+maxOuter }

// all returns the frames. One frame stands for those that are not kept.
func (l *frameList) all() []frame {
	if !l.skipped() {
		return append(l.inner, l.outer...)
	}
	first := (l.n - maxInner) % maxOuter
	gap := unreadFrame(l.inner[maxInner-1].fp, l.outer[first].sp)
	gap.args = l.args
	frames := append(append(l.inner, gap), l.outer[first:]...)
	return append(frames, l.outer[:first]...)
}

// unreadPC stands in paths for frames that were not read.
const unreadPC = 2

// unreadName is the name of the function of frames that were not read.
const unreadName = "runtime._UnreadStack"

// unread is the function of a frame that stands for frames that were not read.
var unread = function{m: new(module), name: unreadName, entry: unreadPC}

// unreadFrame returns a frame that stands for the part of a stack between two
// addresses. The frame is scanned conservatively: which of its words are
// pointers is not known, and earlier calls may have left some of them.
func unreadFrame(low, high uint64) frame {
	return frame{f: &unread, pc: unreadPC, continuePC: unreadPC, sp: low, fp: high, varp: high, argp: high, conservative: true, symbol: unreadPC}
}

// restOfStack returns the frame that stands for the rest of the stack of g,
// from sp on. If sp is not on the stack, the frame stands for the whole stack.
func restOfStack(g *goroutine, sp uint64) frame {
	if !g.has(sp) && sp != g.high {
		sp = g.low
	}
	return unreadFrame((sp+wordSize-1)&^(wordSize-1), g.high)
}

// countCut returns the number of goroutines that were running but have no
// thread, and the number of the other goroutines whose stacks could not be
// followed to their ends or are too deep.
func countCut(gs []*goroutine) (lost, cut int64) {
	for _, g := range gs {
		switch {
		case g.lost:
			lost++
		case g.cut:
			cut++
		}
	}
	return lost, cut
}
