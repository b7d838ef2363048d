// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The log of all references that marking follows, for the heap graph.
//
// If a recording is logged, each P logs its claims and all references that it
// meets, including those whose target is claimed already. Records of the log
// consist of words of 64 bits, and are in chunks off the heap. References in
// objects, claims, and all other records are in separate chunks. References in
// objects and claims, of which there are many, take one word each, or three if
// an address does not fit into half a word. The other records take four. The P
// puts a full chunk on a list, from which the writer of the graph takes it. The
// writer puts the chunk back on another list, and a P fills it again.
//
// Marking never waits for the writer. If more than refsLog.most chunks are
// needed, references in objects are logged from then on only if they claim or
// hold back their target, so that each object keeps at least one reference. If
// more than refsLogExtra times as many chunks are needed, or if there is no
// memory for a chunk, nothing is logged any more. The log counts the references
// and claims that are missing.
//
// Only code that runs on the P, and cannot be preempted, writes to the P's
// chunks, with one exception: if no code runs on the P, takeBarrier may write
// to them on another thread. The functions that log run under the same
// conditions as those of mrefsclaim.go. Any P and the writer may change the
// lists of chunks.

package runtime

import (
	"internal/goarch"
	"internal/profilerecord"
	"internal/runtime/atomic"
	"internal/runtime/refs"
	"internal/runtime/sys"
	"unsafe"
)

const (
	refsLogChunkBytes = 64 << 10
	refsLogChunkWords = (refsLogChunkBytes - unsafe.Sizeof(refsLogHeader{})) / 8
)

// refsLog is the log of the recording. The requester sets wanted and most while
// nothing is recorded. It frees the chunks after the recording. Other
// recordings may run at that time, but they are not logged. refsStartLog sets
// base with the world stopped.
var refsLog struct {
	dropped atomic.Uint64 // number of references that are missing; first field, because lfstack needs 64-bit alignment
	lost    atomic.Uint64 // number of claims that are missing
	full    lfstack       // chunks for the writer
	free    lfstack       // chunks to be filled again

	wanted bool
	base   uintptr // address of memory that is address 0 in the log
	most   uint32  // number of chunks that may be in use in state refsLogAll

	chunks atomic.Uint32 // number of chunks, including those on the lists
	state  atomic.Uint32 // refsLogAll, refsLogTree or refsLogNothing
}

const (
	refsLogAll     = iota // all references are logged
	refsLogTree           // references in objects are logged only if they claim or hold back their target
	refsLogNothing        // nothing is logged
)

// refsPtrShift is the binary logarithm of the size of a pointer.
const refsPtrShift = 2 + goarch.PtrSize/8

// refsLogExtra limits the chunks in state refsLogTree: refsLogExtra times
// refsLog.most may be in use.
const refsLogExtra = 2

// refsLogChunk has records of one kind: references in objects, claims, or all
// others (RefsLogOther).
type refsLogChunk struct {
	refsLogHeader
	words [refsLogChunkWords]uint64
}

type refsLogHeader struct {
	_    sys.NotInHeap
	node lfnode
	kind profilerecord.RefsLogKind
	n    uint32 // number of words in use
}

// refsLogger is the part of a refsP that logs.
type refsLogger struct {
	on        bool
	again     bool    // references have been logged before, and only those that claim or hold back an object are logged
	byNode    bool    // the references that are being followed count as references from their node, and not from an object
	from      uint32  // refsEdge.from of the reference that edge logged last
	second    bool    // from is of the second class
	reached   uint32  // number of objects that the P has claimed or held back
	goroutine uint64  // goid of the goroutine whose stack is being scanned, or 0
	special   uintptr // address of the object whose special is being followed, or 0
	dead      bool    // that object is not marked, or the log has no room for its description

	chunks [profilerecord.RefsLogOther + 1]*refsLogChunk
}

// refsLogBegin makes the next recording log its references, and sets the log's
// state and counts. All references are logged as long as the log needs no more
// than most bytes. If most is less than the size of a chunk, it counts as that
// size.
func refsLogBegin(most uint64) {
	refsLog.wanted = true
	refsLog.most = uint32(min(max(most/refsLogChunkBytes, 1), 1<<30))
	refsLog.state.Store(refsLogAll)
	refsLog.dropped.Store(0)
	refsLog.lost.Store(0)
}

// refsLogEnd frees the chunks. The writer must have returned all of its chunks.
func refsLogEnd() {
	for _, list := range []*lfstack{&refsLog.full, &refsLog.free} {
		for p := list.pop(); p != nil; p = list.pop() {
			refsSysFree(p, refsLogChunkBytes)
		}
	}
	refsLog.chunks.Store(0)
}

// stop ends the logging of the P, and hands its chunks over to the writer.
func (l *refsLogger) stop() {
	l.on = false
	for kind := range l.chunks {
		l.handOver(profilerecord.RefsLogKind(kind))
	}
}

// handOver hands the chunk of a kind over to the writer.
//
//go:nowritebarrierrec
func (l *refsLogger) handOver(kind profilerecord.RefsLogKind) {
	if c := l.chunks[kind]; c != nil {
		l.chunks[kind] = nil
		refsLog.full.push(&c.node)
	}
}

// room returns room for n words in a chunk of a kind, or nil if there is none.
//
//go:nowritebarrierrec
func (l *refsLogger) room(kind profilerecord.RefsLogKind, n uint32) *[4]uint64 {
	if refsLog.state.Load() == refsLogNothing { // in this state, the span of an object in the record may not have been described
		return nil
	}
	c := l.chunks[kind]
	if c == nil || c.n+n > uint32(refsLogChunkWords) {
		l.handOver(kind)
		if c = refsLogNewChunk(); c == nil {
			return nil
		}
		c.kind, c.n = kind, 0
		l.chunks[kind] = c
	}
	p := (*[4]uint64)(unsafe.Pointer(uintptr(unsafe.Pointer(&c.words)) + uintptr(c.n)*8))
	c.n += n
	return p
}

// refsLogNewChunk returns a chunk to be filled, or nil if there is none. It
// changes the state of the log if too many chunks are in use, or if there is no
// memory.
//
//go:nowritebarrierrec
func refsLogNewChunk() *refsLogChunk {
	if p := refsLog.free.pop(); p != nil {
		return (*refsLogChunk)(p)
	}
	switch n := refsLog.chunks.Add(1); {
	case n > refsLog.most*refsLogExtra:
		refsLog.state.Store(refsLogNothing)
		return nil
	case n > refsLog.most:
		refsLog.state.CompareAndSwap(refsLogAll, refsLogTree)
	}
	c := (*refsLogChunk)(refsSysAlloc(refsLogChunkBytes))
	if c == nil {
		refsLog.state.Store(refsLogNothing)
		return nil
	}
	lfnodeValidate(&c.node)
	return c
}

// refsLogAddress returns the address p as it is logged: its distance from
// refsLog.base, in words of the size of a pointer.
//
//go:nowritebarrierrec
func refsLogAddress(p uintptr) uint64 {
	return uint64(int64(p-refsLog.base) >> refsPtrShift)
}

// edge logs the reference e to the object at target. reached is the value of
// l.reached before e was followed. If l.byNode is set, or if the node of e is
// of the second class (refs.Node.Second), e is logged as a reference from the
// node.
//
//go:nowritebarrierrec
func (l *refsLogger) edge(e *refsEdge, target uintptr, reached uint32) {
	if l.again && reached == l.reached {
		return
	}
	if e.from != l.from {
		l.from, l.second = e.from, refsPaths.At(e.from).Second
	}
	switch refs.HolderOf(l.byNode, l.second) {
	case refs.HeldByRoot:
		l.root(target, refsPaths.ReferenceIn(e.from, e.off))
	case refs.HeldAsOwned:
		l.owned(refsLogAddress(e.slot), target, e.from)
	default:
		l.reference(e.slot, target, reached)
	}
}

// reference logs the reference in the word at slot, which is in an object, to
// the object at target. If there is no room for all references, it logs only
// those that have claimed or held back an object. For those, l.reached no
// longer has the value reached.
//
//go:nowritebarrierrec
func (l *refsLogger) reference(slot, target uintptr, reached uint32) {
	if reached == l.reached && refsLog.state.Load() != refsLogAll ||
		!l.pair(profilerecord.RefsLogReference, refsLogAddress(slot), refsLogAddress(target)) {
		refsLog.dropped.Add(1)
	}
}

// claim logs that the object at base is claimed at node n.
//
//go:nowritebarrierrec
func (l *refsLogger) claim(base uintptr, n uint32) {
	l.reached++
	if !l.pair(profilerecord.RefsLogClaim, refsLogAddress(base), uint64(n%refs.MaxNodes)) {
		refsLog.lost.Add(1)
	}
}

// pair logs a record of two numbers, and reports whether there is room. It
// handles the common case itself: the record is short, and there is room for it
// in the chunk.
//
//go:nowritebarrierrec
func (l *refsLogger) pair(kind profilerecord.RefsLogKind, a, b uint64) bool {
	c := l.chunks[kind]
	if c == nil || c.n == uint32(refsLogChunkWords) || max(a, b) >= profilerecord.RefsLogLong || refsLog.state.Load() == refsLogNothing {
		return l.pairSlow(kind, a, b)
	}
	c.words[c.n] = a<<32 | b
	c.n++
	return true
}

// pairSlow is pair for all other cases.
//
//go:nowritebarrierrec
func (l *refsLogger) pairSlow(kind profilerecord.RefsLogKind, a, b uint64) bool {
	if a < profilerecord.RefsLogLong && b < profilerecord.RefsLogLong {
		p := l.room(kind, 1)
		if p == nil {
			return false
		}
		p[0] = a<<32 | b
		return true
	}
	p := l.room(kind, 3)
	if p == nil {
		return false
	}
	p[0], p[1], p[2] = profilerecord.RefsLogLong<<32, a, b
	return true
}

// root logs the reference from node n to the object at target. The record has
// the goroutine whose stack is being scanned, or 0. If the reference is that of
// a special, the record has the special's object instead.
//
//go:nowritebarrierrec
func (l *refsLogger) root(target uintptr, n uint32) {
	from, kind := l.goroutine, profilerecord.RefsLogRoot
	switch refs.RootHolder(l.special != 0, l.dead) {
	case refs.HeldAsOwned:
		l.owned(refsLogAddress(l.special), target, n)
		return
	case refs.HeldBySpecial:
		from, kind = refsLogAddress(l.special), profilerecord.RefsLogSpecial
	}
	if !l.other(kind, from, uint64(n%refs.MaxNodes), refsLogAddress(target)) {
		refsLog.dropped.Add(1)
	}
}

// owned logs the reference from node n to the object at target. An object has
// it in the word at from, or has the special that has it. If that is the target
// itself, the reference has a record of its own, because the other one could be
// that of finalized.
//
//go:nowritebarrierrec
func (l *refsLogger) owned(from uint64, target uintptr, n uint32) {
	to, node := refsLogAddress(target), uint64(n%refs.MaxNodes)
	if from == to && !l.other(profilerecord.RefsLogRoot, 0, node, to) ||
		!l.other(profilerecord.RefsLogOwned, from, node, to) {
		refsLog.dropped.Add(1)
	}
}

// finalized logs that the object at base has a finalizer, whose node is n.
//
//go:nowritebarrierrec
func (l *refsLogger) finalized(base uintptr, n uint32) {
	object := refsLogAddress(base)
	if !l.other(profilerecord.RefsLogOwned, object, uint64(n%refs.MaxNodes), object) {
		refsLog.dropped.Add(1)
	}
}

// describe records the span of o for the reader of the log: in its refsPage or,
// if that cannot describe it, in a record for o alone. It reports whether there
// is room.
//
//go:nowritebarrierrec
func (l *refsLogger) describe(o *refsObject) bool {
	return o.fillPage() || l.other(profilerecord.RefsLogLone, refsLogAddress(o.base), uint64(o.size), uint64(o.data-o.base))
}

// describeUnclaimed is describe for an object that may be claimed or unclaimed.
// If the object's word shows that it is claimed or held back, describeUnclaimed
// does nothing and returns true, because objects are described when they are
// claimed.
//
//go:nowritebarrierrec
func (l *refsLogger) describeUnclaimed(o *refsObject) bool {
	if w := o.word(); w == nil || w.Load() == 0 {
		return l.describe(o)
	}
	return true
}

// begin logs a description of gp. The references that follow are those in gp's
// stack.
//
//go:nowritebarrierrec
func (l *refsLogger) begin(gp *g) {
	l.goroutine = gp.goid
	creator := gp.gopc
	if gp.goid == 1 {
		creator = 0 // as in stack traces
	}
	state := profilerecord.NewRefsLogState(creator, uint8(gp.waitreason), isSystemGoroutine(gp, false))
	l.other(profilerecord.RefsLogGoroutine, gp.goid, uint64(gp.startpc), uint64(state))
	l.wait(gp)
}

// wait logs for how many minutes gp has waited or been in a system call, as
// tracebacks say it. The time before a collection first saw that does not count.
//
//go:nowritebarrierrec
func (l *refsLogger) wait(gp *g) {
	status, since := readgstatus(gp)&^_Gscan, gp.waitsince
	minutes := (work.tstart - since) / 60e9
	if status != _Gwaiting && status != _Gsyscall || since == 0 || minutes < 1 {
		return
	}
	inSyscall := uint64(0)
	if status == _Gsyscall {
		inSyscall = 1
	}
	l.other(profilerecord.RefsLogWait, gp.goid, uint64(minutes), inSyscall)
}

// other logs a record of the given kind, and reports whether there is room.
//
//go:nowritebarrierrec
func (l *refsLogger) other(kind profilerecord.RefsLogKind, a, b, c uint64) bool {
	p := l.room(profilerecord.RefsLogOther, 4)
	if p == nil {
		return false
	}
	p[0], p[1], p[2], p[3] = uint64(kind), a, b, c
	return true
}
