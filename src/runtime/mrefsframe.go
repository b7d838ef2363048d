// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The list of a stack's frames, in which mrefsstack.go looks up the frame of a
// word on the stack.
//
// The list is made when it is first needed. It has room for the outermost
// refsOuterFrames frames, and for a window: consecutive frames among the
// others. While the list is made, the room for the window doubles whenever it
// is full, until the window has all frames or refsMaxWindow frames, or there is
// no more memory. If the stack has more frames than the list then has room for,
// the window later moves to the frames of the words that are looked up. While
// the list is made, marks record where windows can begin, so that the window
// can move without unwinding all inner frames again. A window begins with the
// last frame of the previous window, because the arguments of that frame are
// among the words of its caller, which is the next frame. All moves together
// unwind at most refsMaxUnwinds times the frames of the stack and of one more
// window.
//
// Only the P that scans the stack uses the list, while the goroutine is
// stopped.

package runtime

import (
	"internal/abi"
	"internal/runtime/refs"
	"internal/runtime/sys"
	"unsafe"
)

const (
	refsMinWindow   = 1 << 8
	refsMaxWindow   = 1 << 17 // 8 MiB on 64-bit systems
	refsOuterFrames = 128
	refsMaxMarks    = 16
	refsMaxUnwinds  = 4
)

// refsFrameList is a list of frames of a stack, innermost first. It has the
// frames of the window and then the outermost frames. If gap is set, all other
// frames are missing.
type refsFrameList struct {
	frames *refsFrame // room for window+refsOuterFrames frames
	window int        // length of the window; 0 if frames is nil
	n      int        // number of frames in the list
	gap    bool       // the list does not have all frames of the stack

	low, high uintptr  // the window has the words from low up to, but excluding, high
	after     unwinder // at the first frame behind the window
	moves     int      // how often the window may still be filled
	every     int      // number of windows between two marks
	nmarks    int
	marks     [refsMaxMarks]unwinder // at frames with which windows can begin
}

// refsFrame is a frame of a stack.
type refsFrame struct {
	_ sys.NotInHeap

	sp, varp, argp uintptr
	pc, continpc   uintptr // pc is symPC + 1, which is the return PC if the frame has made a call
	args           uint32  // bytes of arguments
	node           uint32  // number of the frame's node, or 0 before it is needed
	table          uint32  // number of the function's table of variables, valid while gen is the gen of the P's refsVarCache
	gen            uint32
	conservative   bool
	own            refsOwnFrame
}

// A refsOwnFrame says whether the function of a frame is one of the program's
// own.
type refsOwnFrame uint8

const (
	refsOwnUnknown refsOwnFrame = iota
	refsOwnNot
	refsOwnYes
)

// at returns frame i of the list.
func (l *refsFrameList) at(i int) *refsFrame {
	return (*refsFrame)(unsafe.Pointer(uintptr(unsafe.Pointer(l.frames)) + uintptr(i)*unsafe.Sizeof(refsFrame{})))
}

// refsFramesSize returns the size in bytes of a list whose window has the given
// length.
func refsFramesSize(window int) uintptr {
	return uintptr(window+refsOuterFrames) * unsafe.Sizeof(refsFrame{})
}

// free frees the memory of the list.
func (l *refsFrameList) free() {
	if l.frames != nil {
		refsSysFree(unsafe.Pointer(l.frames), refsFramesSize(l.window))
		l.frames, l.window = nil, 0
	}
}

// grow makes the window longer, and keeps its frames. It reports whether it
// could.
//
//go:nowritebarrierrec
func (l *refsFrameList) grow() bool {
	window := max(2*l.window, refsMinWindow)
	if window > refsMaxWindow {
		return false
	}
	frames := (*refsFrame)(refsSysAlloc(refsFramesSize(window)))
	if frames == nil {
		return false
	}
	if size := refsFramesSize(window); size >= 2*physHugePageSize {
		sysHugePage(unsafe.Pointer(frames), size)
	}
	if l.frames != nil {
		size := refsFramesSize(l.window)
		memmove(unsafe.Pointer(frames), unsafe.Pointer(l.frames), size)
		refsSysFree(unsafe.Pointer(l.frames), size)
	}
	l.frames, l.window = frames, window
	return true
}

// make lists the frames of gp, which is stopped, without that of goexit. If
// there is no memory for the smallest window, l.n is then 0.
//
//go:nowritebarrierrec
func (l *refsFrameList) make(gp *g) {
	l.n, l.gap, l.nmarks, l.every = 0, false, 0, 1
	if l.frames == nil && !l.grow() {
		return
	}
	k, next, conservative := 0, l.window-1, false
	var u unwinder
	for u.init(gp, 0); u.valid(); u.next() {
		if u.frame.fn.funcID == abi.FuncID_goexit {
			continue
		}
		if k == l.window {
			if l.grow() {
				l.nmarks, next = 0, l.window-1
			} else {
				l.high, l.after = u.frame.sp, u
			}
		}
		if k == next {
			next += l.mark(&u)
		}
		i := k
		if k >= l.window { // places for the outermost frames are reused in a ring
			i = l.window + (k-l.window)%refsOuterFrames
		}
		k++
		conservative = l.at(i).set(&u.frame, u.symPC(), conservative)
	}
	l.n = min(k, l.window+refsOuterFrames)
	l.gap = k > l.n
	l.low = 0
	l.moves = refsMaxUnwinds * (k/l.window + 1)
	if l.gap {
		l.rotate((k - l.window) % refsOuterFrames)
	}
}

// mark records that a window may begin at the frame of u. It returns the number
// of frames after which it is to be called again. If there is no room, it first
// drops every second mark.
//
//go:nowritebarrierrec
func (l *refsFrameList) mark(u *unwinder) int {
	if l.nmarks == refsMaxMarks {
		for i := 1; i < refsMaxMarks; i += 2 {
			l.marks[i/2] = l.marks[i]
		}
		l.nmarks /= 2
		l.every *= 2
	}
	l.marks[l.nmarks] = *u
	l.nmarks++
	return l.every * (l.window - 1)
}

// set makes f the record of frame, whose symPC is pc. It reports whether the
// caller's frame must be scanned conservatively, and the parameter conservative
// is this result for the callee. If either is true, the frame itself is scanned
// conservatively.
//
//go:nowritebarrierrec
func (f *refsFrame) set(frame *stkframe, pc uintptr, conservative bool) bool {
	caller := frame.fn.funcID == abi.FuncID_asyncPreempt || frame.fn.funcID == abi.FuncID_debugCallV2
	*f = refsFrame{sp: frame.sp, varp: frame.varp, argp: frame.argp, pc: pc + 1, continpc: frame.continpc,
		args: uint32(frame.argBytes()), conservative: conservative || caller}
	return caller
}

// find returns the index of the frame whose stack pointer is at or below p, and
// whose caller's is above p. The word at p is one of the frame's, or one of the
// arguments of its callee. If p is below the stack pointers of all frames, find
// returns 0.
//
//go:nowritebarrierrec
func (l *refsFrameList) find(p uintptr) int {
	lo, hi := 0, l.n
	if l.gap && p < l.at(l.window).sp {
		hi = l.window
	} else if l.gap {
		lo = l.window
	}
	for lo+1 < hi {
		mid := int(uint(lo+hi) / 2)
		if l.at(mid).sp <= p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// between reports whether p is at or above the stack pointer of frame i and
// below the stack pointer of its caller. It returns false if frame i is the
// last of the list.
//
//go:nowritebarrierrec
func (l *refsFrameList) between(i int, p uintptr) bool {
	return i+1 < l.n && p >= l.at(i).sp && p < l.at(i+1).sp
}

// has reports whether the frame of the word at p is in the list.
//
//go:nowritebarrierrec
func (l *refsFrameList) has(p uintptr) bool {
	return !l.gap || p >= l.low && p < l.high || p >= l.at(l.window).sp
}

// slide moves the window to the frame of the word at p, unless the list has
// that frame. It reports whether the list then has the frame. The list does not
// have it if the window has been moved too often.
//
//go:nowritebarrierrec
func (l *refsFrameList) slide(gp *g, p uintptr) bool {
	if l.has(p) {
		return true
	}
	from := -1
	for from+1 < l.nmarks && l.marks[from+1].frame.fp <= p {
		from++
	}
	switch {
	case l.moves <= 0:
		return false
	case p >= l.high && (from < 0 || l.marks[from].frame.fp <= l.high):
		l.next()
	case from < 0:
		l.after.init(gp, 0)
		l.low = 0
		l.fill(0)
	default:
		l.after = l.marks[from]
		l.low = l.after.frame.fp
		l.fill(0)
	}
	for p >= l.high && l.moves > 0 {
		l.next()
	}
	return l.has(p)
}

// next moves the window to the frames behind it.
//
//go:nowritebarrierrec
func (l *refsFrameList) next() {
	*l.at(0) = *l.at(l.window - 1)
	l.low = l.high
	l.fill(1)
}

// fill fills the window from frame i on. If too few frames are left, the rest
// of the window has entries that lie above the whole stack.
//
//go:nowritebarrierrec
func (l *refsFrameList) fill(i int) {
	l.moves--
	conservative := false
	for ; i < l.window; i++ {
		if !l.after.valid() {
			*l.at(i) = refsFrame{sp: ^uintptr(0)}
			continue
		}
		conservative = l.at(i).set(&l.after.frame, l.after.symPC(), conservative)
		l.after.next()
	}
	l.high = ^uintptr(0)
	if l.after.valid() {
		l.high = l.after.frame.sp
	}
}

// rotate moves the outermost frames so that the one in place n comes first.
//
//go:nowritebarrierrec
func (l *refsFrameList) rotate(n int) {
	l.reverse(l.window, l.window+n)
	l.reverse(l.window+n, l.n)
	l.reverse(l.window, l.n)
}

// reverse reverses the order of the frames i, i+1, ..., end-1.
//
//go:nowritebarrierrec
func (l *refsFrameList) reverse(i, end int) {
	for j := end - 1; i < j; i, j = i+1, j-1 {
		a, b := l.at(i), l.at(j)
		*a, *b = *b, *a
	}
}

// findVar returns the variable of f at pos, as refsFindVar does. It stores in f
// the number of the table that it searches, so that later calls for f need not
// find the table again.
//
//go:nowritebarrierrec
func (f *refsFrame) findVar(c *refsVarCache, place uint8, pos uintptr) (v refs.Variable, ok bool) {
	if f.gen == 0 || f.gen != c.gen {
		fn := findfunc(f.pc - 1)
		f.table = c.table(fn, f.stackMap(fn))
		f.gen = c.gen
	}
	if f.table != 0 {
		return c.search(f.table, place, pos)
	}
	fn := findfunc(f.pc - 1)
	return refsFindVar(fn, place, pos, f.stackMap(fn))
}

// stackMap returns the index of the stack maps with which f is scanned, as
// getStackMap finds it.
//
//go:nowritebarrierrec
func (f *refsFrame) stackMap(fn funcInfo) int32 { return refsStackMap(fn, f.continpc) }

// refsStackMap is stackMap for a frame of fn that continues at pc.
//
//go:nowritebarrierrec
func refsStackMap(fn funcInfo, pc uintptr) int32 {
	if pc == 0 {
		return 0 // the frame is not scanned
	}
	m := int32(-1)
	if pc != fn.entry() {
		m = pcdatavalue(fn, abi.PCDATA_StackMapIndex, pc-1)
	}
	return max(m, 0)
}

// frame returns f as the rules see it. node is the frame's node.
//
//go:nowritebarrierrec
func (f *refsFrame) frame(node uint32) refs.Frame {
	return refs.Frame{Node: node, Argp: f.argp, Varp: f.varp, Args: uintptr(f.args), Conservative: f.conservative, User: uintptr(unsafe.Pointer(f))}
}

// element returns the node of f below parent. parent is the node of f's caller
// or, if f is the outermost frame, of the goroutine.
//
//go:nowritebarrierrec
func (f *refsFrame) element(parent uint32) uint32 {
	if f.node == 0 {
		f.node = refsPaths.FrameNode(parent, f.pc)
	}
	return f.node
}
