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
// Unless a bucket's call stack was taken by unwinding, frames that profiles do
// not show are left out of it (see growthFramePointers).
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
	"internal/abi"
	"internal/goarch"
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"internal/stringslite"
	"unsafe"
)

// A growthKind is a use of memory.
type growthKind uint8

const (
	growthHeap    = growthKind(spanAllocHeap)    // address space of the heap, and spans of objects
	growthStack   = growthKind(spanAllocStack)   // spans of goroutine stacks, growth of the stacks themselves, and memory of memstats.stacks_sys
	growthRuntime = growthKind(spanAllocWorkBuf) // the runtime's own structures
	growthMmap    = growthRuntime + 1            // the program's own mappings (growthmmap.go)
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

// growthCallers puts the call stack of the goroutine that runs on this M into
// stk, or the call stack of the M if there is no goroutine. The call stack has
// the form that traceStack uses, for fpunwindExpand. Following frame pointers
// is several times as fast as unwinding.
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

// growthFramePointers is growthCallers by frame pointers. It checks each frame
// pointer before it follows it. A frame pointer is invalid if assembly code
// keeps another value in the frame pointer register and then faults and panics:
// the functions that the panic calls save this value as if it were a frame
// pointer. growthFramePointers leaves out frames that profiles do not show:
// goexit, and the leading frames of the runtime. With these frames, there would
// be more different call stacks, and they would take more memory. It reports
// whether all frame pointers were valid and some frame is left.
//
//go:systemstack
//go:nowritebarrierrec
func growthFramePointers(gp *g, stk []uintptr) (n int, ok bool) {
	stk[0] = 0 // frames to skip
	pc, bp := gp.sched.pc, gp.sched.bp
	if gp.syscallsp != 0 {
		pc, bp = gp.syscallpc, gp.syscallbp
	}
	n = growthKeep(stk, 1, pc)
	if readgstatus(gp)&^_Gscan == _Gcopystack {
		// The goroutine is in morestack. The function that called
		// morestack has no frame yet, so its return address is not
		// stored next to a frame pointer.
		pc = gp.sched.lr
		if !usesLR {
			pc = *(*uintptr)(unsafe.Pointer(gp.sched.sp))
		}
		n = growthKeep(stk, n, pc)
	}
	low, high := gp.stack.lo, gp.stack.hi-2*goarch.PtrSize
	for bp != 0 && n < len(stk) {
		if bp < low || bp > high || bp%goarch.PtrSize != 0 {
			return 0, false
		}
		low = bp + 1
		n = growthKeep(stk, n, *(*uintptr)(unsafe.Pointer(bp + goarch.PtrSize)))
		bp = *(*uintptr)(unsafe.Pointer(bp))
	}
	if n > 2 && stk[n-1] == abi.FuncPCABI0(goexit)+sys.PCQuantum {
		n--
	}
	return n, n > 1
}

// growthKeep adds the return address pc to the n words in stk, if there is room
// and it is not in a leading frame of the runtime. It returns the number of
// words.
//
//go:systemstack
//go:nowritebarrierrec
func growthKeep(stk []uintptr, n int, pc uintptr) int {
	if n == len(stk) || n == 1 && growthIsRuntime(pc) {
		return n
	}
	stk[n] = pc
	return n + 1
}

// growthKnownPCs has return addresses, each shifted left by one bit. The lowest
// bit is 1 if the address is in a function of the runtime.
var growthKnownPCs [128]atomic.Uintptr

// isRuntime reports whether the function with that name is of the runtime.
func isRuntime(name string) bool {
	return stringslite.HasPrefix(name, "runtime.") || stringslite.HasPrefix(name, "internal/runtime/")
}

// growthIsRuntime reports whether the function with the return address pc is of
// the runtime. It is called only where there are frame pointers: on 64-bit
// systems. Their addresses do not use the highest bit, which growthKnownPCs
// does not keep.
//
//go:systemstack
//go:nowritebarrierrec
func growthIsRuntime(pc uintptr) bool {
	place := &growthKnownPCs[uint64(pc)*0x9e3779b97f4a7c15>>57]
	known := place.Load()
	if known>>1 != pc {
		known = pc << 1
		if isRuntime(funcname(findfunc(pc - 1))) {
			known |= 1
		}
		place.Store(known)
	}
	return known&1 != 0
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

// recordGrowthOfAlloc records that n bytes have been mapped and may be accessed
// at once.
//
//go:nosplit
func recordGrowthOfAlloc(n uintptr, sysStat *sysMemStat) {
	recordGrowthOfBoth(n, sysStat, growthMapped, growthResident)
}

// recordGrowthOfFree records that n bytes have been unmapped.
//
//go:nosplit
func recordGrowthOfFree(n uintptr, sysStat *sysMemStat) {
	recordGrowthOfBoth(n, sysStat, growthUnmapped, growthReleased)
}

// recordGrowthOfBoth records n bytes as an event of each of two measures.
// stacks_sys counts the stacks of threads that start before the runtime is
// initialized, and the goroutine stacks that debugging settings make the system
// allocate. Events of stacks_sys have no call stack, because they may happen
// where there is not even a g.
//
//go:nosplit
func recordGrowthOfBoth(n uintptr, sysStat *sysMemStat, space, memory growthMeasure) {
	kind := growthOfStat(sysStat)
	if sysStat == &memstats.stacks_sys {
		growthUnattributed[kind][space].Add(int64(n))
		growthUnattributed[kind][memory].Add(int64(n))
		return
	}
	recordGrowth(kind, space, n)
	recordGrowth(kind, memory, n)
}

// recordGrowthOfMap records that n bytes have been mapped. Bytes of the heap
// cannot be accessed yet. They are recorded as resident when a span takes them.
// Other bytes can be accessed at once.
func recordGrowthOfMap(n uintptr, sysStat *sysMemStat) {
	kind := growthOfStat(sysStat)
	recordGrowth(kind, growthMapped, n)
	if kind != growthHeap {
		recordGrowth(kind, growthResident, n)
	}
}

// spanBacked records that n bytes of a span of type typ had no memory behind
// them. If a sampling point may be among these bytes, or if they may be for a
// recording of references, it records nothing and returns false. The caller
// then calls recordGrowthOfSpan. spanBacked is small enough to be inlined in
// allocSpan.
func (gr *growthOfP) spanBacked(typ spanAllocType, n uintptr) bool {
	return refsGoroutines.Load() == 0 && gr.points[typ&3][growthResident].passes(n)
}

// recordGrowthOfSpan is recordGrowth for n bytes of a span of type typ that had
// no memory behind them.
func recordGrowthOfSpan(typ spanAllocType, n uintptr) {
	kind := growthKind(typ)
	if refsGoroutines.Load() != 0 && refsTakesSpan(typ) {
		growthRecording[kind][growthResident].Add(int64(n))
		return
	}
	recordGrowth(kind, growthResident, n)
}

// recordGrowthOfFault records that n bytes are only reserved from now on. It
// takes them for bytes of the heap, although with GODEBUG=efence=1 they can be
// a stack.
func recordGrowthOfFault(n uintptr) {
	recordGrowth(growthHeap, growthUnmapped, n)
	recordGrowth(growthHeap, growthReleased, n)
}

// flushGrowthIfUnlocked is flushGrowth, but does nothing if gp, which runs on
// this M, is in the runtime and may hold any of its locks. newstack calls it
// before the stack of gp grows, to count pending events of other operations.
//
//go:systemstack
//go:nowritebarrierrec
func flushGrowthIfUnlocked(gp *g) {
	if pp := gp.m.p.ptr(); pp != nil && pp.growth.depth != 0 && gp.m.locks == 0 {
		growthWork.flush(&pp.growth)
	}
}

// recordGrowthOfStack records that the stack of gp, which runs on this M, has
// become larger. The parameter old is its size before, in bytes. newstack calls
// it.
//
//go:systemstack
//go:nowritebarrierrec
func recordGrowthOfStack(gp *g, old uintptr) {
	if growthWork == nil {
		return
	}
	n := gp.stack.hi - gp.stack.lo - old
	if pp := gp.m.p.ptr(); pp != nil && pp.growth.depth == 0 && !gp.recording {
		// This is the common case, handled as in recordGrowth.
		if pp.growth.points[growthStack][growthEnlarged].passes(n) {
			return
		}
	}
	recordGrowth(growthStack, growthEnlarged, n)
	flushGrowthIfUnlocked(gp)
}
