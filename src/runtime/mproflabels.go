// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Labels of memory profiles: the pprof labels of the goroutine that allocated a
// sampled object. See golang.org/issue/23458.
//
// A bucket counts all objects of a call stack and size, with or without labels.
// In addition, memLabelRecords count its objects that have labels, one record
// for each set of labels. They go through the same cycles as the bucket (see
// memRecord). The records of a bucket never count more than the bucket does.
// The objects that they do not count have no labels.
//
// Sets are interned, up to a maximum number. Beyond it, allocations with
// another set count with the set memLabelsTooMany. A set is kept while a
// sampled object that was allocated with it is alive, and then until memory
// profiles count that object as freed. After that, the set and its records are
// freed, and objects that were counted in these records count as objects
// without labels. While a set is kept, its records without live objects are
// kept too, for the allocs profile, unless there are more than memLabelsMaxIdle
// records.
//
// GODEBUG=memprofilelabels=1 switches labels in memory profiles on. They are
// off by default, because some programs have different labels for each request.
// Such labels are of no use here and have a cost, and the runtime cannot know
// whether a program has them. Goroutines without labels have almost no extra
// work. The name of the memory scope that a goroutine is in (memscopename.go)
// belongs to the set, and is recorded even if the setting is off.
//
// The specials of sampled objects (mprofsample.go) refer to records.
// setprofilebucket, freeSpecial, mProf_FlushLocked, memProfileInternal and
// runtime_setProfLabel call functions of this file. addMemscopeName does so
// through the variable memscopeNamed. runtime/pprof reads records through
// pprof_memProfileWithLabels, and recordings of references and memusage.go read
// the sets of live objects.

package runtime

import (
	"internal/profilerecord"
	"internal/runtime/atomic"
	"internal/runtime/pprof/label"
	"internal/runtime/sys"
	"unsafe"
)

const (
	memLabelsMaxSets = 4096
	memLabelsMaxIdle = 1 << 14 // if there are more records, those without live objects are freed
	memLabelsTable   = 1 << 12
)

// memLabelsTooMany is the set with which allocations count if there is no room
// for their own set.
var memLabelsTooMany = label.Set{List: []label.Label{{Key: "labels", Value: "(too many sets)"}}}

// memLabels is the state of this file. profMemActiveLock protects all of it
// except the atomics. The memory that it refers to is off the heap, in
// buckhash_sys, except the array of sets, because that refers to the labels of
// goroutines.
var memLabels struct {
	sets    atomic.UnsafePointer // *[memLabelsMaxSets]unsafe.Pointer, of *label.Set; nil before memLabelsPrepare
	mem     *memLabelsMem
	unused  uint32 // all sets with a lower number are in use
	alloc   fixalloc
	records atomic.Uint32
	pinned  atomic.Uint32 // sets are not freed while this is not 0
}

type memLabelsMem struct {
	_       sys.NotInHeap
	info    [memLabelsMaxSets]memLabelSet
	index   [2 * memLabelsMaxSets]uint16    // hash table of the numbers of sets; 0 is an empty slot
	table   [memLabelsTable]*memLabelRecord // by bucket and set
	buckets [memLabelsTable]*memLabelRecord // by bucket alone
}

// memLabelSet describes an interned set. The number of a set is its index in
// memLabelsMem.info and in the array of sets. Number 0 is memLabelsTooMany.
type memLabelSet struct {
	hash  uint64 // 0 if the number is free, and for number 0
	live  bool   // during a flush: an object with the set is alive or may be alive
	scope uint16 // the number of the memory scope's name
}

// memLabelRecord counts a bucket's objects with a set of labels.
type memLabelRecord struct {
	_      sys.NotInHeap
	next   *memLabelRecord // in table
	bucket *bucket
	set    uint32
	gone   bool // to be freed, in memLabelsForget

	bucketNext *memLabelRecord // in buckets

	active memRecordCycle // like the fields of memRecord, with the same locks
	future [3]memRecordCycle
	recent newSamples // profMemActiveLock protects it
}

// memLabelsReady prepares for labels if they are on. It is called when a
// goroutine gets labels, because allocations are allowed at that moment. If
// there is no memory, profiles have no labels until a later call succeeds.
func memLabelsReady() {
	if debug.memprofilelabels.Load() != 0 {
		memLabelsPrepare()
	}
}

// memLabelsWork has the functions that the memory profile calls if there are
// labels. memLabelsPrepare sets it, so that the linker leaves these functions
// out of programs that can neither give labels to goroutines nor use memory
// scopes.
var memLabelsWork struct {
	sampled func(*specialprofile, *g)
	freed   func(*specialprofile)
	flush   func(index uint32)
}

// memLabelsPrepare prepares for labels. It may allocate.
func memLabelsPrepare() {
	if memLabels.sets.Load() != nil {
		return
	}
	memLabelsWork.sampled = (*specialprofile).recordLabelsOf
	memLabelsWork.freed = (*specialprofile).labelsFreed
	memLabelsWork.flush = flushMemLabels
	sets := new([memLabelsMaxSets]unsafe.Pointer)
	sets[0] = unsafe.Pointer(&memLabelsTooMany)
	systemstack(func() {
		lock(&profMemActiveLock)
		if memLabels.mem == nil {
			memLabels.mem = (*memLabelsMem)(persistentalloc(unsafe.Sizeof(memLabelsMem{}), 0, &memstats.buckhash_sys))
			memLabels.unused = 1
			memLabels.alloc.init(unsafe.Sizeof(memLabelRecord{}), nil, nil, &memstats.buckhash_sys)
		}
		if memLabels.mem != nil && memLabels.sets.Load() == nil {
			atomicstorep(unsafe.Pointer(&memLabels.sets), unsafe.Pointer(sets))
		}
		unlock(&profMemActiveLock)
	})
}

// recordLabels counts the object of s, which is being allocated, with the labels
// of the goroutine that allocates it, if any. It runs on the system stack, after
// mProf_Malloc has counted the object and before any preemption, and thus in the
// same cycle.
func (s *specialprofile) recordLabels() {
	if gp := getg().m.curg; gp != nil && memLabels.sets.Load() != nil {
		memLabelsWork.sampled(s, gp)
	}
}

// countLabelsFreed counts the object of s as freed, if it had labels.
// freeSpecial calls it together with mProf_Free.
//
//go:nowritebarrierrec
func (s *specialprofile) countLabelsFreed() {
	if s.labelled != nil {
		memLabelsWork.freed(s)
	}
}

// recordLabelsOf is recordLabels for an object that gp allocates.
func (s *specialprofile) recordLabelsOf(gp *g) {
	var set memLabelSet
	var labels unsafe.Pointer
	if debug.memprofilelabels.Load() != 0 && areLabels((*label.Set)(gp.labels)) {
		labels = gp.labels
		set.hash = hashLabels((*label.Set)(labels))
	}
	if scope := gp.memscopeName(); scope != 0 && !gp.m.allocatingOwn() {
		set.scope = scope
		set.hash += uint64(scope) * 0x9e3779b97f4a7c15
	}
	if set.hash == 0 {
		return
	}
	lock(&profMemActiveLock)
	s.labelled = memLabelsRecord(s.b, memLabelsSet(set, labels))
	index := (mProfCycle.read() + 2) % uint32(len(memRecord{}.future))
	lock(&profMemFutureLock[index])
	s.labelled.future[index].allocs++
	unlock(&profMemFutureLock[index])
	s.labelled.recent.count()
	unlock(&profMemActiveLock)
}

// labelsFreed is countLabelsFreed for an object that had labels. It need not
// hold profMemActiveLock, because the object's record is not freed before the
// object is counted as freed.
//
//go:nowritebarrierrec
func (s *specialprofile) labelsFreed() {
	index := (mProfCycle.read() + 1) % uint32(len(memRecord{}.future))
	lock(&profMemFutureLock[index])
	s.labelled.future[index].frees++
	unlock(&profMemFutureLock[index])
}

// memLabelsSet returns the number of the set with these labels. If there is no
// such set, it adds the set or, if there is no room, returns 0. The caller
// holds profMemActiveLock.
func memLabelsSet(set memLabelSet, labels unsafe.Pointer) uint32 {
	slot := memLabelsSlot(set.hash)
	if *slot != 0 {
		return uint32(*slot)
	}
	for ; memLabels.unused < memLabelsMaxSets; memLabels.unused++ {
		if n := memLabels.unused; memLabels.mem.info[n].hash == 0 {
			memLabels.mem.info[n] = set
			memLabelsSets()[n] = labels
			*slot = uint16(n)
			return n
		}
	}
	return 0
}

// memLabelsSlot returns the slot of the index that has the set with that
// hash, or in which it is to be put.
func memLabelsSlot(hash uint64) *uint16 {
	for i := uint32(hash); ; i++ {
		slot := &memLabels.mem.index[i%uint32(len(memLabels.mem.index))]
		if n := *slot; n == 0 || memLabels.mem.info[n].hash == hash {
			return slot
		}
	}
}

func memLabelsSets() *[memLabelsMaxSets]unsafe.Pointer {
	return (*[memLabelsMaxSets]unsafe.Pointer)(memLabels.sets.Load())
}

// memLabelsOfBucket returns the list, by bucketNext, that has the records of b.
// It may have records of other buckets, too.
func memLabelsOfBucket(b *bucket) **memLabelRecord {
	return &memLabels.mem.buckets[uintptr(unsafe.Pointer(b))/unsafe.Sizeof(*b)%memLabelsTable]
}

// memLabelsRecord returns the record of b for set. It adds the record if there
// is none. The caller holds profMemActiveLock.
func memLabelsRecord(b *bucket, set uint32) *memLabelRecord {
	h := uintptr(unsafe.Pointer(b))/unsafe.Sizeof(*b) ^ uintptr(set)*0x9e3779b1
	chain := &memLabels.mem.table[(h>>12^h)%memLabelsTable]
	for r := *chain; r != nil; r = r.next {
		if r.bucket == b && r.set == set {
			return r
		}
	}
	r := (*memLabelRecord)(memLabels.alloc.alloc())
	siblings := memLabelsOfBucket(b)
	*r = memLabelRecord{next: *chain, bucketNext: *siblings, bucket: b, set: set}
	*chain, *siblings = r, r
	memLabels.records.Add(1)
	return r
}

// memLabelsFlush adds the counts of the cycle with that index to the active
// counts of all records, as mProf_FlushLocked does for buckets. After that,
// unless sets are pinned, it frees records and sets that are no longer needed.
// mProf_FlushLocked calls it with profMemActiveLock and
// profMemFutureLock[index] held.
func memLabelsFlush(index uint32) {
	if memLabels.records.Load() != 0 {
		memLabelsWork.flush(index)
	}
}

// flushMemLabels is memLabelsFlush if there are records.
func flushMemLabels(index uint32) {
	for _, r := range &memLabels.mem.table {
		for ; r != nil; r = r.next {
			r.active.add(&r.future[index])
			r.future[index] = memRecordCycle{}
			if r.live() {
				memLabels.mem.info[r.set].live = true
			}
		}
	}
	if memLabels.pinned.Load() == 0 {
		memLabelsForget()
	}
	for n := range &memLabels.mem.info {
		memLabels.mem.info[n].live = false
	}
}

// memLabelsFlushAll flushes all cycles, of buckets and of records.
// memProfileInternal calls it with profMemActiveLock held, because the code of
// memProfileInternal that flushes all cycles flushes only those of buckets.
func memLabelsFlushAll() {
	for c := range profMemFutureLock {
		lock(&profMemFutureLock[c])
		mProf_FlushLocked(uint32(c))
		unlock(&profMemFutureLock[c])
	}
}

// live reports whether r counts an object that is alive or may be alive.
func (r *memLabelRecord) live() bool {
	if r.active.allocs != r.active.frees {
		return true
	}
	for i := range r.future {
		if r.future[i] != (memRecordCycle{}) {
			return true
		}
	}
	return false
}

// allocated returns the number of r's objects that are not freed at this moment.
// The caller holds profMemActiveLock.
func (r *memLabelRecord) allocated() int64 {
	n := r.active.allocs - r.active.frees
	for i := range r.future {
		lock(&profMemFutureLock[i])
		n += r.future[i].allocs - r.future[i].frees
		unlock(&profMemFutureLock[i])
	}
	return int64(n)
}

// memLabelsForget frees the sets that the flush has found without live objects,
// and their records. If there are more than memLabelsMaxIdle records, it frees
// all records without live objects.
func memLabelsForget() {
	idle := memLabels.records.Load() > memLabelsMaxIdle
	for i := range &memLabels.mem.buckets {
		for p := &memLabels.mem.buckets[i]; *p != nil; {
			r := *p
			r.gone = !r.live() && (idle || !memLabels.mem.info[r.set].live)
			if r.gone {
				*p = r.bucketNext
			} else {
				p = &r.bucketNext
			}
		}
	}
	for i := range &memLabels.mem.table {
		for p := &memLabels.mem.table[i]; *p != nil; {
			r := *p
			if !r.gone {
				p = &r.next
				continue
			}
			*p = r.next
			memLabels.alloc.free(unsafe.Pointer(r))
			memLabels.records.Add(-1)
		}
	}
	clear(memLabels.mem.index[:])
	memLabels.unused = 1
	for n := 1; n < memLabelsMaxSets; n++ {
		switch info := &memLabels.mem.info[n]; {
		case info.live:
			*memLabelsSlot(info.hash) = uint16(n)
		case info.hash != 0:
			info.hash = 0
			memLabelsSets()[n] = nil
		}
	}
}

// id returns 0 if r is nil, and otherwise 1 plus the number of r's set.
//
//go:nowritebarrierrec
func (r *memLabelRecord) id() uint32 {
	if r == nil {
		return 0
	}
	return 1 + r.set
}

// memLabelsOf returns the labels of records with that id. Sets must be pinned,
// or the caller must hold profMemActiveLock.
func memLabelsOf(id uint32) unsafe.Pointer {
	if id == 0 {
		return nil
	}
	return memLabelsSets()[id-1]
}

// memLabelsScopeOf returns the label of the memory scope of records with that
// id. The condition of memLabelsOf applies.
func memLabelsScopeOf(id uint32) unsafe.Pointer {
	if id == 0 {
		return nil
	}
	return memscopeLabelOf(memLabels.mem.info[id-1].scope)
}

// pprof_memProfileWithLabels is pprof_memProfileInternal with inuseZero, and
// with separate records for allocations with labels.
//
//go:linkname pprof_memProfileWithLabels
func pprof_memProfileWithLabels(p []profilerecord.LabelledMemRecord) (n int, ok bool) {
	return memProfileParts(len(p), func(n int, r profilerecord.MemProfileRecord) int {
		return memLabelsSplit(r, func(part int, r profilerecord.LabelledMemRecord) {
			if n+part < len(p) {
				p[n+part] = r
			}
		})
	})
}

// memProfileParts calls split for the record of each bucket, with the number of
// parts that earlier records have given. split returns the number of parts of
// its record; it is called with profMemActiveLock held. If there may be more
// than size parts, memProfileParts does not call split. In this case, and if
// there were more than size parts, it returns false and a size with which to
// try again.
func memProfileParts(size int, split func(n int, r profilerecord.MemProfileRecord) (parts int)) (n int, ok bool) {
	if raceenabled {
		raceacquire(unsafe.Pointer(&labelSync))
	}
	more := int(memLabels.records.Load())
	total, ok := memProfileInternal(max(size-more, 0), true, func(r profilerecord.MemProfileRecord) {
		n += split(n, r)
	})
	if !ok || n > size {
		return max(total+more, n), false
	}
	return n, true
}

// memLabelsSplit calls put for each part of r, the record of a bucket: one part
// for each set of labels, and then one for objects without labels, if there are
// any or if there is no other part. It numbers the parts from 0, and returns
// their number. The caller holds profMemActiveLock.
func memLabelsSplit(r profilerecord.MemProfileRecord, put func(part int, r profilerecord.LabelledMemRecord)) (parts int) {
	rest := profilerecord.LabelledMemRecord{MemProfileRecord: r}
	if memLabels.records.Load() != 0 {
		b := bucketOfStack(r.Stack)
		for l := *memLabelsOfBucket(b); l != nil; l = l.bucketNext {
			if l.bucket != b || l.active.allocs == 0 {
				continue
			}
			labelled := rest
			labelled.AllocObjects, labelled.FreeObjects = int64(l.active.allocs), int64(l.active.frees)
			labelled.Labels, labelled.Scope = memLabelsOf(l.id()), memLabelsScopeOf(l.id())
			rest.AllocObjects -= labelled.AllocObjects
			rest.FreeObjects -= labelled.FreeObjects
			put(parts, labelled)
			parts++
		}
	}
	if parts == 0 || rest.AllocObjects != 0 || rest.FreeObjects != 0 {
		put(parts, rest)
		parts++
	}
	return parts
}

// bucketOfStack returns the bucket whose stack is stk, which bucket.stk has
// returned.
func bucketOfStack(stk []uintptr) *bucket {
	return (*bucket)(unsafe.Pointer(uintptr(unsafe.Pointer(unsafe.SliceData(stk))) - unsafe.Sizeof(bucket{})))
}
