// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Growth: which code was running when memory came from the operating system or
// was returned to it, and when goroutine stacks became larger. Programs that
// can request the growth profile always record it. In other programs growthWork
// is nil. These programs record only two things: the memory that
// memstats.stacks_sys counts, and the memory that goroutines take for
// recordings of references, except spans.
//
// The runtime may hold locks that rank after the locks of profile buckets when
// it maps memory, takes pages that have no memory behind them, returns memory
// or grows stacks. Recording therefore takes two steps. recordGrowth counts the
// event on the P, in a few instructions, and takes the call stack for some
// events. flushGrowth is called where those locks are released. It counts the
// events in the buckets of that call stack, one for each kind
// (growthprofile.go).
//
// An event has a kind, which is a use of memory (growthKind), and a measure,
// which is what happened to the memory (growthMeasure). Events that map or
// unmap memory are all counted, because they are large and rare. Other events
// are sampled. For each P, kind and measure, imagine the bytes of all events in
// a row, with sampling points among them that are growthMeasure.interval apart
// on average. An event with a point in it counts for the bytes from the last
// point before the event to the last point in it. The counts of a call stack
// are therefore unbiased, except that the first bytes on a P get less than
// their share, because the first point is at least half an interval away. The
// bytes after the last point, fewer than 3/2 intervals on each P for each kind
// and measure, are not counted yet; the profile shows them without a call
// stack. An event of 3/2 intervals or more is not sampled: it is counted with
// its exact size and moves no point.
//
// growthUnattributed counts bytes without a call stack. One of these reasons
// applies: there was no P; a signal handler was running; the P had no room for
// another call stack, because events of an earlier operation were pending;
// flush was running on the P; the P has been destroyed;
// GODEBUG=profstackdepth=0 switches call stacks off; or memstats.stacks_sys
// counts the bytes (see recordGrowthOfBoth). growthRecording counts the bytes
// of recordings of references: those of events of goroutines that make or write
// a recording, and those of spans that the collector takes while it marks for a
// recording. These bytes move no sampling point.

package runtime

import (
	"internal/goarch"
	"internal/runtime/atomic"
	"unsafe"
)

// A growthKind is a use of memory.
type growthKind uint8

const (
	growthHeap    = growthKind(spanAllocHeap)    // address space of the heap, and spans of objects
	growthStack   = growthKind(spanAllocStack)   // spans of goroutine stacks, growth of the stacks themselves, and memory of memstats.stacks_sys
	growthRuntime = growthKind(spanAllocWorkBuf) // the runtime's own structures
	growthMmap    = growthRuntime + 1            // the program's own mappings (growthevent.go)
	growthKinds   = growthMmap + 1
)

// A growthMeasure says what happened to the bytes of an event.
type growthMeasure uint8

const (
	growthReleased growthMeasure = iota // memory returned to the operating system
	growthEnlarged                      // bytes by which stacks became larger
	growthResident                      // pages that get memory behind them
	growthSampled                       // the number of measures above, which are sampled

	growthMapped   = growthSampled     // address space that may be used from now on
	growthUnmapped = growthSampled + 1 // address space that may no longer be used
	growthMeasures = growthSampled + 2
)

const (
	growthPagesInterval  = 512 << 10
	growthStacksInterval = 8 << 20 // growthCallers at a point costs about as much as growing a stack does
)

// interval returns the average distance between sampling points, in bytes, of a
// measure that is sampled.
//
//go:nowritebarrierrec
func (what growthMeasure) interval() uintptr {
	if what == growthEnlarged {
		return growthStacksInterval
	}
	return growthPagesInterval
}

// growthOfP has the events that are recorded on a P and not yet counted in
// buckets. Only the owner of the P changes it, except that initGrowth,
// dropGrowth and flushGrowthOfPs change it while the P runs nothing.
type growthOfP struct {
	on     bool // false if stack is nil, and while flush runs
	points [growthKinds][growthSampled]growthPoint

	// The pending events, which flushGrowth is to count, and their call
	// stack. There are several events if memory changes several times in
	// one operation. pending and stack are off the heap.
	stack   []uintptr
	depth   int // of the call stack; 0 if no event is pending
	op      growthOp
	kinds   uint // a bit for each kind that has pending events
	pending *[growthKinds]growthCount
}

// A growthPoint is the place of the next sampling point. It is zero until the
// first event that is smaller than 3/2 intervals.
type growthPoint struct {
	left     uint32 // bytes to the next point
	distance uint32 // bytes between the next point and the previous one
}

// A growthOp identifies an operation of a goroutine in the runtime, by the
// depth of the goroutine's stack when the goroutine switches to the system
// stack. Two operations of a goroutine that switch at the same depth have the
// same growthOp. A growthOp contains no addresses in the stack, because a stack
// may move during an operation. All work of the scheduler without a goroutine
// has the same growthOp, the zero value.
type growthOp struct {
	gp    guintptr
	depth uintptr // bytes of the stack in use
}

// growthUnattributed counts bytes without a known call stack. growthRecording
// counts the bytes of recordings of references.
var growthUnattributed, growthRecording [growthKinds][growthMeasures]atomic.Uint64

// growthWork is &growthFunctions in programs that can request the growth
// profile, and nil in others. The linker sets growthWork, and leaves the
// functions of growthFunctions out of other programs. The compiler does not
// check the annotations of functions that are called through a variable, so
// each of these functions has the annotation nowritebarrierrec if its callers
// have it.
var growthWork *growthFunctionTable

type growthFunctionTable struct {
	init      func(*p)
	drop      func(*p)
	attribute func(*growthOfP, growthKind, growthMeasure, uintptr)
	flush     func(*growthOfP)
}

var growthFunctions = growthFunctionTable{
	init:      (*p).startGrowth,
	drop:      (*p).endGrowth,
	attribute: (*growthOfP).attribute,
	flush:     (*growthOfP).flush,
}

// initGrowth prepares pp, which is being initialized, to record growth. It may
// allocate.
func (pp *p) initGrowth() {
	if growthWork != nil {
		growthWork.init(pp)
	}
}

// dropGrowth makes the bytes that are recorded on pp unattributed, because pp is
// being destroyed.
func (pp *p) dropGrowth() {
	if growthWork != nil {
		growthWork.drop(pp)
	}
}

// startGrowth is initGrowth if growth is recorded.
func (pp *p) startGrowth() {
	gr := &pp.growth
	if depth := int(debug.profstackdepth); depth != 0 && gr.stack == nil {
		depth = min(1+depth, maxProfStackDepth) // with the word that says how to expand the call stack
		gr.pending = (*[growthKinds]growthCount)(persistentalloc(unsafe.Sizeof(*gr.pending), 0, &memstats.other_sys))
		gr.stack = unsafe.Slice((*uintptr)(persistentalloc(uintptr(depth)*goarch.PtrSize, goarch.PtrSize, &memstats.other_sys)), depth)
	}
	gr.on = gr.stack != nil
}

// recordGrowth counts an event of n bytes. It may be called with any locks held
// and on any stack.
//
//go:nosplit
//go:nowritebarrierrec
func recordGrowth(kind growthKind, what growthMeasure, n uintptr) {
	if refsIsRecorder() {
		growthRecording[kind][what].Add(int64(n))
		return
	}
	if growthWork == nil {
		return
	}
	pp := getg().m.p.ptr()
	if pp == nil || !pp.growth.on {
		growthUnattributed[kind][what].Add(int64(n))
		return
	}
	if what < growthSampled && pp.growth.points[kind][what].passes(n) {
		return
	}
	systemstack(func() { growthWork.attribute(&pp.growth, kind, what, n) })
}

// attribute handles an event of more bytes than are left to the next sampling
// point, or of a measure that counts all events. It adds the bytes for which
// the event counts to the pending events. It takes no locks. It runs on the
// system stack, so that no stack grows and the P does not change while it runs.
// If events of an earlier operation are still pending, because flushGrowth was
// not called after that operation, there is no room for another call stack, and
// the bytes are unattributed.
//
//go:systemstack
//go:nowritebarrierrec
func (gr *growthOfP) attribute(kind growthKind, what growthMeasure, n uintptr) {
	bytes, events := n, uintptr(1)
	if what < growthSampled {
		bytes, events = gr.points[kind][what].pass(what.interval(), n)
	}
	if bytes == 0 {
		return
	}
	if !gr.begin() {
		growthUnattributed[kind][what].Add(int64(bytes))
		return
	}
	gr.kinds |= 1 << kind
	c := &gr.pending[kind]
	c.bytes[what] += int64(bytes)
	if what != growthReleased && what != growthUnmapped {
		c.events += int64(events)
	}
}

// passes moves p beyond an event of n bytes if there is no point in the event,
// and reports whether there is none.
//
//go:nosplit
//go:nowritebarrierrec
func (p *growthPoint) passes(n uintptr) bool {
	if n > uintptr(p.left) {
		return false
	}
	p.left -= uint32(n)
	return true
}

// pass moves p beyond an event of n bytes, unless the event has 3/2 intervals
// or more. It returns how many bytes to count for that event, and how many
// events of its size they stand for. If the event is smaller than 3/2
// intervals, the bytes are those from the last point before the event to the
// last point in it.
//
//go:nowritebarrierrec
func (p *growthPoint) pass(interval, n uintptr) (bytes, events uintptr) {
	if n >= interval+interval/2 {
		return n, 1
	}
	rest := n
	for !p.passes(rest) {
		rest -= uintptr(p.left)
		bytes += uintptr(p.distance)
		p.distance = uint32(interval)/2 + cheaprandn(uint32(interval))
		p.left = p.distance
	}
	return bytes, (bytes + uintptr(cheaprandn(uint32(n)))) / n
}

// begin takes the call stack if no events are pending, except in a signal
// handler. It reports whether the call stack in gr is that of the goroutine's
// present operation.
//
//go:systemstack
//go:nowritebarrierrec
func (gr *growthOfP) begin() bool {
	op := growthOpNow()
	if gr.depth == 0 && getg() != getg().m.gsignal {
		gr.op = op
		gr.depth = growthCallers(gr.stack)
	}
	return gr.depth != 0 && gr.op == op
}

// growthOpNow returns the present operation of the goroutine that runs on
// this M.
//
//go:systemstack
//go:nowritebarrierrec
func growthOpNow() growthOp {
	if gp := getg().m.curg; gp != nil {
		return growthOp{guintptr(unsafe.Pointer(gp)), gp.stack.hi - gp.sched.sp}
	}
	return growthOp{}
}

// flushGrowth counts this P's pending events in buckets. The caller must not
// hold a lock that ranks after lockRankProfInsert, nor a lock of profiles.
//
//go:nosplit
//go:nowritebarrierrec
func flushGrowth() {
	if growthWork != nil {
		flushGrowthPending()
	}
}

// flushGrowthPending is flushGrowth if growth is recorded.
//
//go:nosplit
//go:nowritebarrierrec
func flushGrowthPending() {
	if pp := getg().m.p.ptr(); pp != nil && pp.growth.depth != 0 {
		systemstack(func() { growthWork.flush(&getg().m.p.ptr().growth) })
	}
}

// flush counts the pending events in buckets. gr belongs to the P of this M, or
// to a P that runs nothing now.
//
//go:systemstack
//go:nowritebarrierrec
func (gr *growthOfP) flush() {
	if gr.depth == 0 {
		return
	}
	gr.on = false
	for kind := range growthKinds {
		if gr.kinds>>kind&1 != 0 {
			c := &gr.pending[kind]
			stkbucket(growthProfile, uintptr(kind), gr.stack[:gr.depth], true).growth().add(c)
			*c = growthCount{}
		}
	}
	gr.depth, gr.kinds = 0, 0
	gr.on = true
}

// endGrowth is dropGrowth if growth is recorded.
func (pp *p) endGrowth() {
	gr := &pp.growth
	if !gr.on {
		return
	}
	for kind := range growthKinds {
		for what := range growthMeasures {
			growthUnattributed[kind][what].Add(gr.passed(kind, what) + gr.pending[kind].bytes[what])
		}
	}
	clear(gr.pending[:])
	*gr = growthOfP{on: true, stack: gr.stack, pending: gr.pending}
}

// passed returns the number of bytes of the events since the last sampling
// point. The owner of gr may change it at the same time.
func (gr *growthOfP) passed(kind growthKind, what growthMeasure) int64 {
	if what >= growthSampled {
		return 0
	}
	p := &gr.points[kind][what]
	return int64(p.distance) - int64(p.left)
}
