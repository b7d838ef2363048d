// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Growth: which code was running when memory had to come from the operating system, or
// went back. It is always recorded, for the growth profile.
//
// Where the runtime maps memory, takes pages that have no memory behind them, returns
// memory or grows a stack, locks are held that rank after those of profile buckets. So
// it goes in two steps. noteGrowth counts the event on the P, in a few instructions, and
// for some events takes the call stack. settleGrowth, called where those locks are
// released, counts them in the bucket of that call stack (growthprofile.go).
//
// Which events: mappings all, for they are large and rare. Of the others, points are set
// on the line of their bytes, growthMeasure.interval apart on average, and an event with
// a point on it stands for all bytes since the point before. So what is counted for a
// call stack is unbiased, and nothing is lost: all bytes are counted for some call stack,
// but for less than an interval on each P. An event of 3/2 intervals and more has no
// part in this and is counted for itself, to the byte. The first bytes on a P are short of
// their share, for no point can be near the beginning.
//
// What cannot have a call stack is counted in growthUnattributed: before there are Ps, and on
// threads without one. What a goroutine takes that writes a profile of a recording of
// references is counted in growthRecording: it leaves all points where they are.

package runtime

import (
	"internal/goarch"
	"internal/runtime/atomic"
	"unsafe"
)

// A growthKind is what memory is for.
type growthKind uint8

const (
	growthHeap    = growthKind(spanAllocHeap)    // address space of the heap, and spans of objects
	growthStack   = growthKind(spanAllocStack)   // spans of goroutine stacks, and stacks themselves
	growthRuntime = growthKind(spanAllocWorkBuf) // the runtime's own
	growthMmap    = growthRuntime + 1            // the program's own mappings (growthmmap.go)
	growthKinds   = growthMmap + 1
)

// A growthMeasure is what an event counts bytes of.
type growthMeasure uint8

const (
	growthMapped   growthMeasure = iota // address space that may be used from now on
	growthUnmapped                      // address space that may not any longer
	growthReleased                      // memory returned to the operating system
	growthEnlarged                      // by which stacks became larger
	growthResident                      // pages that get memory behind them
	growthMeasures
)

const (
	growthPagesInterval  = 512 << 10
	growthStacksInterval = 8 << 20 // each costs about as much as growing a stack does
)

// interval returns the average distance of points on the line of bytes, 0 for measures of
// which all events are counted.
//
//go:nowritebarrierrec
func (what growthMeasure) interval() uintptr {
	switch what {
	case growthReleased, growthResident:
		return growthPagesInterval
	case growthEnlarged:
		return growthStacksInterval
	}
	return 0
}

// growthOfP is what is noted on a P and not yet in buckets. It belongs to whoever has
// the P.
type growthOfP struct {
	on     bool // unless there is no room for call stacks, or settleGrowth is at work
	points [growthKinds][growthMeasures]growthPoint

	// The events that await settleGrowth, and their call stack. There are several if
	// one thing, which thing tells apart, makes memory grow in more than one way.
	stack  []uintptr
	depth  int // of the call stack; 0 if nothing waits
	thing  growthThing
	kinds  uint // a bit for each kind that has something in settle
	settle [growthKinds]growthCount
}

// A growthPoint is where on the line of bytes the next point is. It is zero before the
// first event, and always for measures of which all events are counted.
type growthPoint struct {
	left     uintptr // bytes to go
	distance uintptr // from the point before
}

// A growthThing is what a goroutine is at in the runtime: no other thing that it does
// before it goes on has the same. Stacks may move meanwhile. What the scheduler is at, with
// no goroutine, is all one thing.
type growthThing struct {
	gp    guintptr
	depth uintptr // bytes of the stack in use
}

// growthUnattributed is what no call stack is known of, and growthRecording what is a
// recording's.
var growthUnattributed, growthRecording [growthKinds][growthMeasures]atomic.Uint64

// initGrowth prepares pp to note growth. It may allocate.
func (pp *p) initGrowth() {
	gr := &pp.growth
	if debug.profstackdepth != 0 && gr.stack == nil {
		stk := makeProfStackFP()
		gr.stack = stk[:min(len(stk), maxProfStackDepth)]
	}
	gr.on = gr.stack != nil
}

// noteGrowth counts an event of n bytes. It may be called with any locks held, and on any
// stack.
//
//go:nosplit
//go:nowritebarrierrec
func noteGrowth(kind growthKind, what growthMeasure, n uintptr) {
	if refsIsRecorder() {
		growthRecording[kind][what].Add(int64(n))
		return
	}
	pp := getg().m.p.ptr()
	if pp == nil || !pp.growth.on {
		growthUnattributed[kind][what].Add(int64(n))
		return
	}
	if left := &pp.growth.points[kind][what].left; n <= *left {
		*left -= n
	} else {
		systemstack(func() { pp.growth.attribute(kind, what, n) })
	}
}

// attribute notes for settleGrowth what an event of n bytes stands for, which has come to
// a point. It takes no locks, and runs on the system stack so that neither a stack can grow
// nor the P change meanwhile. If events of another thing still wait, for somebody did not
// settle, there is no place for the call stack.
//
//go:systemstack
//go:nowritebarrierrec
func (gr *growthOfP) attribute(kind growthKind, what growthMeasure, n uintptr) {
	bytes, events := gr.points[kind][what].pass(what.interval(), n)
	if bytes == 0 {
		return
	}
	if !gr.begin() {
		growthUnattributed[kind][what].Add(int64(bytes))
		return
	}
	gr.kinds |= 1 << kind
	c := &gr.settle[kind]
	c.bytes[what] += int64(bytes)
	if what != growthReleased && what != growthUnmapped {
		c.events += int64(events)
	}
}

// pass takes p beyond an event of n bytes. It returns how many bytes and events are to be
// counted for that one: of an event that is not large, those up to the last point on it.
//
//go:nowritebarrierrec
func (p *growthPoint) pass(interval, n uintptr) (bytes, events uintptr) {
	if n >= interval+interval/2 {
		return n, 1
	}
	rest := n
	for rest > p.left {
		rest -= p.left
		bytes += p.distance
		p.distance = interval/2 + uintptr(cheaprandn(uint32(interval)))
		p.left = p.distance
	}
	p.left -= rest
	return bytes, (bytes + uintptr(cheaprandn(uint32(n)))) / n
}

// begin takes the call stack, if no events wait. It reports whether those that wait are of
// the thing that the goroutine is at.
//
//go:systemstack
//go:nowritebarrierrec
func (gr *growthOfP) begin() bool {
	thing := growthThingNow()
	if gr.depth == 0 && getg() != getg().m.gsignal {
		gr.thing = thing
		gr.depth = growthCallers(gr.stack)
	}
	return gr.depth != 0 && gr.thing == thing
}

// growthThingNow returns what the goroutine that runs on this M is at.
//
//go:systemstack
//go:nowritebarrierrec
func growthThingNow() growthThing {
	if gp := getg().m.curg; gp != nil {
		return growthThing{guintptr(unsafe.Pointer(gp)), gp.stack.hi - gp.sched.sp}
	}
	return growthThing{}
}

// growthCallers puts the call stack of the goroutine that runs on this M into stk, or, if
// there is none, that of the M. It is as of traceStack, for fpunwindExpand. Frame pointers
// make it several times as cheap.
//
//go:systemstack
//go:nowritebarrierrec
func growthCallers(stk []uintptr) int {
	mp := getg().m
	gp := mp.curg
	if gp == nil {
		stk[0] = logicalStackSentinel
		return 1 + callers(3, stk[1:])
	}
	if !tracefpunwindoff() && !mp.hasCgoOnStack() {
		if n, ok := growthFramePointers(gp, stk); ok {
			return n
		}
	}
	stk[0] = logicalStackSentinel
	return 1 + gcallers(gp, 0, stk[1:])
}

// growthFramePointers does that by frame pointers. It looks at each before it follows it,
// and reports whether they were sound: assembly may use the register for something else, and
// if it panics, by a fault, the chain of the functions that run then ends in that.
//
//go:systemstack
//go:nowritebarrierrec
func growthFramePointers(gp *g, stk []uintptr) (n int, ok bool) {
	stk[0] = 0 // frames to skip
	pc, bp := gp.sched.pc, gp.sched.bp
	if gp.syscallsp != 0 {
		pc, bp = gp.syscallpc, gp.syscallbp
	}
	stk[1] = pc
	n = 2
	if readgstatus(gp)&^_Gscan == _Gcopystack {
		// In morestack: the function that called it has no frame yet, so that its
		// return address is not above a frame pointer.
		stk[n] = gp.sched.lr
		if !usesLR {
			stk[n] = *(*uintptr)(unsafe.Pointer(gp.sched.sp))
		}
		n++
	}
	low, high := gp.stack.lo, gp.stack.hi-2*goarch.PtrSize
	for ; bp != 0 && n < len(stk); n++ {
		if bp < low || bp > high || bp%goarch.PtrSize != 0 {
			return 0, false
		}
		low = bp + 1
		stk[n] = *(*uintptr)(unsafe.Pointer(bp + goarch.PtrSize))
		bp = *(*uintptr)(unsafe.Pointer(bp))
	}
	return n, true
}

// settleGrowth counts what waits on this P in buckets. The caller must not hold a lock
// that ranks after lockRankProfInsert, nor one of those of profiles.
//
//go:nosplit
//go:nowritebarrierrec
func settleGrowth() {
	if pp := getg().m.p.ptr(); pp != nil && pp.growth.depth != 0 {
		settleGrowthNow()
	}
}

// settleGrowthNow is the part of settleGrowth that is not inlined.
//
//go:noinline
//go:nosplit
//go:nowritebarrierrec
func settleGrowthNow() {
	systemstack(func() { getg().m.p.ptr().growth.settleAll() })
}

// settleAll counts what waits in buckets. gr's P is this M's, or idle.
//
//go:systemstack
//go:nowritebarrierrec
func (gr *growthOfP) settleAll() {
	if gr.depth == 0 {
		return
	}
	gr.on = false
	for kind := range growthKinds {
		if gr.kinds>>kind&1 != 0 {
			c := &gr.settle[kind]
			stkbucket(growthProfile, uintptr(kind), gr.stack[:gr.depth], true).growth().add(c)
			*c = growthCount{}
		}
	}
	gr.depth, gr.kinds = 0, 0
	gr.on = true
}

// dropGrowth counts what is noted on pp, which is destroyed, as of no call stack.
func (pp *p) dropGrowth() {
	gr := &pp.growth
	for kind := range growthKinds {
		for what := range growthMeasures {
			n := gr.points[kind][what].passed() + gr.settle[kind].bytes[what]
			growthUnattributed[kind][what].Add(n)
		}
	}
	*gr = growthOfP{on: gr.on, stack: gr.stack}
}

// passed returns the number of bytes since the point before p. It may be of another P.
func (p *growthPoint) passed() int64 {
	return int64(p.distance) - int64(p.left)
}

// growthOfStat returns the kind of memory that sysStat counts.
//
//go:nosplit
func growthOfStat(sysStat *sysMemStat) growthKind {
	switch sysStat {
	case &gcController.heapReleased:
		return growthHeap
	case &memstats.stacks_sys:
		return growthStack
	}
	return growthRuntime
}

// noteSysAlloc notes that n bytes are mapped and ready for use.
//
//go:nosplit
func noteSysAlloc(n uintptr, sysStat *sysMemStat) {
	noteSys(n, sysStat, growthMapped, growthResident)
}

// noteSysFree notes that n bytes are unmapped.
//
//go:nosplit
func noteSysFree(n uintptr, sysStat *sysMemStat) {
	noteSys(n, sysStat, growthUnmapped, growthReleased)
}

// noteSys notes n bytes as each of two events. The stack of a thread that runs no Go code
// yet may be allocated and freed where there is not even a g.
//
//go:nosplit
func noteSys(n uintptr, sysStat *sysMemStat, space, memory growthMeasure) {
	kind := growthOfStat(sysStat)
	if sysStat == &memstats.stacks_sys {
		growthUnattributed[kind][space].Add(int64(n))
		growthUnattributed[kind][memory].Add(int64(n))
		return
	}
	noteGrowth(kind, space, n)
	noteGrowth(kind, memory, n)
}

// noteSysMap notes that n bytes are mapped. Those of the heap are not ready, and noted
// again when a span takes them; others are at once.
func noteSysMap(n uintptr, sysStat *sysMemStat) {
	kind := growthOfStat(sysStat)
	noteGrowth(kind, growthMapped, n)
	if kind != growthHeap {
		noteGrowth(kind, growthResident, n)
	}
}

// spanBacked notes that n bytes of a span for typ had no memory behind them, unless a point
// is on them, or they may be a recording's, which is noteSpanGrowth's. It is small enough to be inlined in allocSpan.
func (gr *growthOfP) spanBacked(typ spanAllocType, n uintptr) bool {
	left := &gr.points[typ&3][growthResident].left
	if n > *left || refsGoroutines.Load() != 0 {
		return false
	}
	*left -= n
	return true
}

// noteSpanGrowth is noteGrowth for n bytes of a span for typ.
func noteSpanGrowth(typ spanAllocType, n uintptr) {
	kind := growthKind(typ)
	if refsGoroutines.Load() != 0 && refsTakesSpan(typ) {
		growthRecording[kind][growthResident].Add(int64(n))
		return
	}
	noteGrowth(kind, growthResident, n)
}

// noteSysFault notes that n bytes of the heap are only reserved from now on.
func noteSysFault(n uintptr) {
	noteGrowth(growthHeap, growthUnmapped, n)
	noteGrowth(growthHeap, growthReleased, n)
}

// settleIfUnlocked is settleGrowth, unless gp, which runs on this M, is in the runtime and
// may hold any of its locks. newstack calls it before the stack of gp grows, for what others
// have left.
//
//go:systemstack
//go:nowritebarrierrec
func settleIfUnlocked(gp *g) {
	if pp := gp.m.p.ptr(); pp != nil && pp.growth.depth != 0 && gp.m.locks == 0 {
		pp.growth.settleAll()
	}
}

// noteStackGrown notes that the stack of gp, which runs on this M, was as large as old and
// has grown. newstack calls it.
//
//go:systemstack
//go:nowritebarrierrec
func noteStackGrown(gp *g, old uintptr) {
	n := gp.stack.hi - gp.stack.lo - old
	if pp := gp.m.p.ptr(); pp != nil && pp.growth.depth == 0 && !gp.recording {
		// The usual case, as in noteGrowth.
		if left := &pp.growth.points[growthStack][growthEnlarged].left; n <= *left {
			*left -= n
			return
		}
	}
	noteGrowth(growthStack, growthEnlarged, n)
	settleIfUnlocked(gp)
}
