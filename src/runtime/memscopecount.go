// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Counting for memory scopes.
//
// mcache.nextSample goes down by the size of each object that is allocated from
// the mcache. When restart sets nextSample, it stores that value, plus the
// bytes allocated before, in mcacheCounts.start. One subtraction therefore
// gives the number of bytes that were ever allocated from an mcache
// (allocated). A tiny block counts when it is allocated, as in
// /gc/heap/allocs:bytes. Objects are counted only while the scope of the
// running goroutine, or a scope around it, counts them. During that time,
// restart keeps nextSample at 0 or below, so that each allocation of an object
// or of a tiny block calls profilealloc.
//
// A P counts for one scope at a time: from the moment when a goroutine of that
// scope begins to run there until a goroutine of another scope, or of none,
// runs there, or until the P becomes idle. While an M runs the P, only this M
// writes the P's memscopeP. While no M runs the P, only the P's owner writes
// it, for example the goroutine that has stopped the world. Other Ms read a
// memscopeP and the counts of the mcache to find the counts that are not yet
// added to the scope. They read again if seq shows that the memscopeP has
// changed while they read it. Therefore they see everything that was counted
// before they began, and nothing twice. Such readers must not be preempted,
// because Ps must not be created or destroyed while they read.
//
// The garbage collector does not see a P's scope as a pointer, because it is
// set in code where write barriers are not allowed. The scope is alive
// nevertheless. A goroutine is in it when a P begins to count for it. At mark
// termination, before anything is freed, all Ps stop counting, except the P of
// the running goroutine (memscopeStopAll).

package runtime

import (
	"internal/cpu"
	"internal/goarch"
	"internal/runtime/atomic"
	"unsafe"
)

// The kinds of counts.
const (
	memscopeBytes   = iota // of heap objects, as /gc/heap/allocs:bytes
	memscopeObjects        // as /gc/heap/allocs:objects
	memscopeCalls          // objects, and parts of tiny blocks other than the first, as MemStats.Mallocs
	memscopeKinds
)

type memscopeCounts [memscopeKinds]int64

// mcacheCounts counts the memory that was allocated from an mcache. The owner
// of the mcache changes it; readers use memscopeP.seq. It is the last field of
// the mcache, after upstream's fields, so that their offsets do not change. The
// padding keeps it off the cache line at which the mcache of another P begins.
type mcacheCounts struct {
	start   atomic.Int64 // nextSample when the countdown started, plus the bytes allocated before
	sample  int64        // the next sample is due when allocated() is above this value
	objects atomic.Int64 // counted only while a scope counts objects
	tiny    atomic.Int64 // sum of the values that tinyAllocs had when it was set to 0

	_ cpu.CacheLinePad
}

// A memscopeP has the counts of a P for a scope.
type memscopeP struct {
	seq   atomic.Uint32               // odd while one of the fields below, except due, changes, and while start or tiny of the mcache's counts changes
	scope atomic.Uintptr              // *memscope, or 0 if there is none
	from  [memscopeKinds]atomic.Int64 // counts of the mcache when the P began to count for scope, plus those that do not count (see memscopeResume)
	due   memscopeCounts              // counts of the mcache above which limits are to be checked; only the owner uses it

	own   atomic.Bool                 // the runtime is allocating for itself
	until [memscopeKinds]atomic.Int64 // counts of the mcache when own was set
}

// allocated returns the number of bytes that were allocated from c. It may
// overflow, so only differences of it are used.
//
//go:nosplit
func (c *mcache) allocated() int64 { return c.counts.start.Load() - c.nextSample }

// now returns the counts of c.
//
//go:nosplit
func (c *mcache) now() (n memscopeCounts) {
	n[memscopeBytes] = c.allocated()
	n[memscopeObjects] = c.counts.objects.Load()
	n[memscopeCalls] = n[memscopeObjects] + c.counts.tiny.Load() + int64(c.tinyAllocs)
	return n
}

// counting returns the scope that the P of r counts for, or nil if there is
// none.
//
//go:nosplit
func (r *memscopeP) counting() *memscope { return (*memscope)(unsafe.Pointer(r.scope.Load())) }

// initCountdown starts the countdown of an mcache that is new or, during
// bootstrapping, has no P.
func (c *mcache) initCountdown(n int64) {
	c.nextSample = n
	c.counts.start.Store(n)
	c.counts.sample = n
}

// flushTiny sets tinyAllocs to 0, after the caller has counted it elsewhere.
//
//go:nowritebarrierrec
func (c *mcache) flushTiny() {
	pp := getg().m.p.ptr()
	if pp != nil {
		pp.memscope.seq.Add(1)
	}
	c.counts.tiny.Store(c.counts.tiny.Load() + int64(c.tinyAllocs))
	c.tinyAllocs = 0
	if pp != nil {
		pp.memscope.seq.Add(1)
	}
}

// profiled reports whether a sample of the heap profile is due: its countdown
// is over or its rate has changed. profilealloc calls it for an object that is
// being allocated. profiled also does the work of scopes for the object. If it
// returns false, the countdown goes on. It runs in mallocgc's context: with mp
// acquired, and possibly on the system stack. It is not inlined, to keep the
// tables of profilealloc short: the unwinder goes through them for each
// sample's call stack.
//
//go:noinline
func (c *mcache) profiled(mp *m) bool {
	profiled := c.counts.sample-c.allocated() < 0 || MemProfileRate != c.memProfRate
	if pp := mp.p.ptr(); pp != nil && pp.memscope.scope.Load() != 0 {
		memscopeWork.allocating(&pp.memscope, mp, c)
		if !profiled {
			c.restart(pp)
		}
	}
	return profiled
}

// allocating does the work of scopes for an object that is being allocated from
// c. r belongs to the P of c, which counts for a scope. allocating counts the
// object if that scope or one around it counts objects, and checks limits if
// that is due. It is called if the countdown of c is over or the rate of the
// heap profile has changed, and for chunks of user arenas if MemProfileRate is
// 0. Like profiled, allocating runs in mallocgc's context.
func (r *memscopeP) allocating(mp *m, c *mcache) {
	s := r.counting()
	if s.slow {
		c.counts.objects.Store(c.counts.objects.Load() + 1)
	}
	if now := c.now(); s.limited && r.due.reached(now) {
		r.due = now
		if mp.locks == 1 && getg() == mp.curg {
			r.due = s.check(now)
		}
	}
}

// restartSampling starts the countdown for the next sample of the heap profile,
// which is due in n bytes. It is not inlined, for the same reason as profiled.
//
//go:noinline
func (c *mcache) restartSampling(mp *m, n int64) {
	c.counts.sample = c.allocated() + n
	pp := mp.p.ptr()
	if pp == nil {
		c.initCountdown(n)
		return
	}
	c.restart(pp)
}

// restart starts the countdown for the event that is due first: the next
// sample, a check of limits, or the next allocation if objects are counted. If
// that event is due at the next allocation and nextSample is already negative,
// restart leaves nextSample unchanged.
func (c *mcache) restart(pp *p) {
	r := &pp.memscope
	now := c.allocated()
	n := c.counts.sample - now
	if s := r.counting(); s != nil {
		if s.slow {
			n = 0
		}
		n = min(n, r.due[memscopeBytes]-now)
	}
	if n <= 0 && c.nextSample < 0 {
		return
	}
	r.seq.Add(1)
	c.counts.start.Store(now + n)
	c.nextSample = n
	r.seq.Add(1)
}

// memscopeRun makes pp count for gp, which is about to run on it, and wakes
// memscopeWatch if a scope has crossed a limit. execute calls it if the program
// imports package runtime/memscope, and only checks this in other programs.
func memscopeRun(pp *p, gp *g) {
	memscopeSwitch(pp, gp)
	if memscopeWatcher.waiting() {
		memscopeWatcher.wake()
	}
}

// memscopeSwitch makes pp count for gp, which runs on pp, is about to run on
// it, or has changed its scope. The caller owns pp.
//
//go:nowritebarrierrec
func memscopeSwitch(pp *p, gp *g) {
	if s := gp.openMemscope(); pp.memscope.scope.Load() != uintptr(unsafe.Pointer(s)) {
		memscopeWork.countFor(pp, s)
	}
}

// memscopeAcquired is memscopeSwitch for a P that the M of a running goroutine
// has just acquired.
//
//go:nowritebarrierrec
func memscopeAcquired(pp *p) {
	if gp := getg().m.curg; gp != nil {
		memscopeSwitch(pp, gp)
	}
}

// memscopeStop makes pp stop counting. The caller owns pp, or the world is
// stopped.
//
//go:nowritebarrierrec
func memscopeStop(pp *p) {
	if pp.memscope.scope.Load() != 0 {
		memscopeWork.countFor(pp, nil)
	}
}

// memscopeStopAll makes all Ps stop counting, except the P of the running
// goroutine, so that no P refers to a scope that is freed. It is called while
// the world is stopped for mark termination.
func memscopeStopAll() {
	for _, pp := range allp {
		memscopeStop(pp)
	}
	mp := getg().m
	memscopeSwitch(mp.p.ptr(), mp.curg)
}

// countFor adds the counts of pp to its scope and the scopes around it, of which
// there are at most memscopeMaxDepth, and makes pp count for s.
//
//go:nowritebarrierrec
func (pp *p) countFor(s *memscope) {
	c, r := pp.mcache, &pp.memscope
	now := c.now()
	r.seq.Add(1)
	for old := r.counting(); old != nil; old = old.parent {
		shard := &old.counted[pp.id%memscopeShards]
		for k := range now {
			if n := now[k] - r.from[k].Load(); n != 0 {
				shard.n[k].Add(n)
			}
		}
	}
	for k := range now {
		r.from[k].Store(now[k])
	}
	r.due = memscopeNeverDue(now)
	if s != nil && s.limited {
		r.due = now
	}
	r.scope.Store(uintptr(unsafe.Pointer(s)))
	r.seq.Add(1)
	c.restart(pp)
}

// memscopeUserArena counts an arena chunk as an object of size bytes. To do so,
// it adds to start what newUserArenaChunk will not subtract from nextSample.
// newUserArenaChunk calls it first. If newUserArenaChunk then calls
// profilealloc for the chunk, or if the rate is 0, it subtracts nothing, and
// the whole size is added. Otherwise it subtracts userArenaChunkBytes, which is
// more than size, and the difference, which is negative, is added.
func memscopeUserArena(mp *m, size int64) {
	c, pp := getMCache(mp), mp.p.ptr()
	if pp == nil {
		return
	}
	if MemProfileRate > 1 && int64(userArenaChunkBytes) < c.nextSample {
		size -= int64(userArenaChunkBytes)
	}
	pp.memscope.seq.Add(1)
	c.counts.start.Store(c.counts.start.Load() + size)
	pp.memscope.seq.Add(1)
	if MemProfileRate == 0 && pp.memscope.scope.Load() != 0 {
		memscopeWork.allocating(&pp.memscope, mp, c)
		c.restart(pp)
	}
}

// memscopePause is called when the runtime is about to allocate for itself.
// Until memscopeResume is called, there is no preemption and allocations do not
// count. memscopeResume must be called with the result of memscopePause, which
// reports whether the call is the outermost of nested calls in a scope.
//
//go:nosplit
func memscopePause() (own bool) {
	mp := acquirem()
	pp := mp.p.ptr()
	if pp == nil || pp.memscope.counting() == nil || pp.memscope.own.Load() {
		return false
	}
	r := &pp.memscope
	r.seq.Add(1)
	for k, n := range pp.mcache.now() {
		r.until[k].Store(n)
	}
	r.own.Store(true)
	r.seq.Add(1)
	return true
}

// memscopeResume is called when the runtime has finished allocating for itself.
//
//go:nosplit
func memscopeResume(own bool) {
	mp := getg().m
	if own {
		pp := mp.p.ptr()
		r := &pp.memscope
		r.seq.Add(1)
		for k, n := range pp.mcache.now() {
			r.from[k].Store(r.from[k].Load() + n - r.until[k].Load())
		}
		r.own.Store(false)
		r.seq.Add(1)
	}
	releasem(mp)
}

// read returns the counts of s, and the number of Ps that now count for s or
// for a scope inside it. The caller must not be preempted.
//
//go:nowritebarrierrec
func (s *memscope) read() (counted memscopeCounts, ps int64) {
	for i := range s.counted {
		n, running := s.readShard(i)
		for k := range counted {
			counted[k] += n[k]
		}
		ps += running
	}
	return counted, ps
}

// readShard returns the counts for s of the Ps whose number is i modulo
// memscopeShards, and the number of these Ps that now count for s or for a
// scope inside it.
//
//go:nowritebarrierrec
func (s *memscope) readShard(i int) (counted memscopeCounts, ps int64) {
	for {
		seq := memscopeSeqs(i)
		for k := range counted {
			counted[k] = s.counted[i].n[k].Load()
		}
		ps = 0
		for p := i; p < len(allp); p += memscopeShards {
			if pp := allp[p]; s.around(pp.memscope.counting()) {
				ps++
				for k, n := range pp.uncounted() {
					counted[k] += n
				}
			}
		}
		if memscopeSeqs(i) == seq {
			return counted, ps
		}
	}
}

// memscopeSeqs returns the sum of seq of the Ps whose number is i modulo
// memscopeShards. It waits until each seq is even.
//
//go:nowritebarrierrec
func memscopeSeqs(i int) (sum uint32) {
	for p := i; p < len(allp); p += memscopeShards {
		seq := allp[p].memscope.seq.Load()
		for tries := 0; seq&1 != 0; tries++ {
			if tries > 100 {
				osyield()
			}
			seq = allp[p].memscope.seq.Load()
		}
		sum += seq
	}
	return sum
}

// around reports whether t is s or inside s.
//
//go:nowritebarrierrec
func (s *memscope) around(t *memscope) bool {
	for ; t != nil; t = t.parent {
		if t == s {
			return true
		}
	}
	return false
}

// uncounted returns the counts of pp that are not yet added to the scope. On
// 32-bit systems, nextSample may change between the loads of its two words.
// uncounted therefore computes the bytes from its low word alone.
//
//go:nowritebarrierrec
func (pp *p) uncounted() (n memscopeCounts) {
	c, r := pp.mcache, &pp.memscope
	if r.own.Load() {
		for k := range n {
			n[k] = r.until[k].Load() - r.from[k].Load()
		}
		return n
	}
	left := int64(atomic.Loaduintptr(lowWord(&c.nextSample)))
	tiny := int64(atomic.Loaduintptr(&c.tinyAllocs))
	n[memscopeBytes] = int64(uintptr(c.counts.start.Load() - left - r.from[memscopeBytes].Load()))
	n[memscopeObjects] = c.counts.objects.Load() - r.from[memscopeObjects].Load()
	n[memscopeCalls] = c.counts.objects.Load() + c.counts.tiny.Load() + tiny - r.from[memscopeCalls].Load()
	return n
}

// lowWord returns the address of the word of n that has its lowest bits.
func lowWord(n *int64) *uintptr {
	if goarch.BigEndian {
		return (*uintptr)(unsafe.Add(unsafe.Pointer(n), 8-goarch.PtrSize))
	}
	return (*uintptr)(unsafe.Pointer(n))
}
