// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Allocation sites: which objects of a node the heap profiler has sampled, and
// where they were allocated. The heap profiler gives a special to each object
// that it samples. The special refers to a bucket. A site is a bucket together
// with a node, labels, an age, and whether the objects are tiny blocks. It
// counts sampled objects.
//
// A stage before all others reads these specials. It gives spans of sampled
// objects without pointers the words for the numbers of nodes (mrefspage.go),
// so that these objects have nodes as others do. A stage after all others, when
// all live objects are marked, reads the specials again and counts each live
// sampled object at its site. Both stages run while the program runs, as root
// jobs of spans. No special of a sampled object is freed between the two,
// because nothing is swept while marking. An object that is allocated while
// marking is counted if its arena existed when marking began.
//
// The jobs run on the system stack, with a span's speciallock held, and take no
// other lock.

package runtime

import (
	"internal/profilerecord"
	"internal/runtime/atomic"
	"internal/runtime/refs"
	"internal/runtime/sys"
	"unsafe"
)

// refsMaxSites is the largest number of sites. So many sites take 1.25 GiB of
// address space on 32-bit systems.
const refsMaxSites = 1 << 24

// refsSites has the sites of the recording.
var refsSites refsSiteTable

// A refsSiteTable is a set of sites. wanted is set before the cycle. Sites are
// added while the cycle runs (refs.Array), and the key of a site never
// changes. There is no site 0.
type refsSiteTable struct {
	wanted bool
	before uint32 // cycle of the latest recording with sites, or 0
	refs.Array

	lostObjects atomic.Int64 // number of objects for whose sites there was no room
	lostBytes   atomic.Int64 // bytes of lostObjects
}

// refsSiteKey is the key of a site: where and with which labels objects were
// allocated, where they were reached, how old they are, and whether they are
// tiny blocks.
type refsSiteKey struct {
	bucket uintptr // *bucket
	node   uint32
	labels uint32 // memLabelRecord.id
	age    uint8  // 0, or 1 + the binary logarithm of the number of collections survived, rounded down
	older  bool   // the objects existed when the recording of refsSites.before began
	tiny   bool   // the objects are blocks of tiny objects
}

// refsSite is a site: the number of sampled objects with a key.
type refsSite struct {
	_     sys.NotInHeap
	links refs.Links
	refsSiteKey
	objects atomic.Int64
	scan    atomic.Int64 // bytes of the objects that the cycle scanned
	unused  atomic.Int64 // bytes of the objects to which no reference refers
}

// begin prepares for a recording. wanted is set if the recording is to join
// allocation sites with nodes.
func (ss *refsSiteTable) begin(wanted bool) {
	ss.wanted = wanted
	ss.lostObjects.Store(0)
	ss.lostBytes.Store(0)
}

// lastStage reports whether the recording is in its last stage.
func (ss *refsSiteTable) lastStage() bool {
	return refsMarking.stage == refs.Last(ss.wanted)
}

// alloc makes the table, without sites. If there is no memory, all sites are
// lost.
func (ss *refsSiteTable) alloc() {
	ss.Make((*refsOffHeap)(nil), unsafe.Sizeof(refsSite{}))
}

// free frees the memory of all sites.
func (ss *refsSiteTable) free() {
	if ss.IsMade() {
		ss.Free()
	}
}

// at returns site i.
//
//go:nowritebarrierrec
func (ss *refsSiteTable) at(i uint32) *refsSite {
	return (*refsSite)(unsafe.Pointer(ss.At(i)))
}

// refsDoSamples does a job of the stages of sampled objects, for a part of an
// arena.
//
//go:nowritebarrier
func refsDoSamples(row *refsWordRow, job uint32) {
	refsEachSpecials(job, func(s *mspan) {
		if refsMarking.stage == refs.StageSites {
			refsSites.join(s)
		} else {
			refsSites.prepare(row, s)
		}
	})
}

// prepare gives words to s if it has sampled objects without pointers.
//
//go:nowritebarrierrec
func (ss *refsSiteTable) prepare(row *refsWordRow, s *mspan) {
	if !s.spanclass.noscan() {
		return
	}
	for sp := s.specials; sp != nil; sp = sp.next {
		if sp.kind == _KindSpecialProfile {
			var o refsObject
			o.fromSpan(s.base(), s, 0)
			o.makeWord(row)
			return
		}
	}
}

// join counts the sampled objects of s that are alive. An object that is not
// marked but has a finalizer is alive, because sweeping keeps it for the
// finalizer. The specials of s are sorted by offset, and those at one offset by
// kind. The specials of one object may have different offsets.
//
//go:nowritebarrierrec
func (ss *refsSiteTable) join(s *mspan) {
	var finalizer *specialfinalizer // the last one met
	for sp := s.specials; sp != nil; sp = sp.next {
		switch sp.kind {
		case _KindSpecialFinalizer:
			finalizer = (*specialfinalizer)(unsafe.Pointer(sp))
		case _KindSpecialProfile:
			var o refsObject
			o.fromSpan(s.base()+sp.offset/s.elemsize*s.elemsize, s, sp.offset/s.elemsize)
			if o.marked() {
				ss.count((*specialprofile)(unsafe.Pointer(sp)), o.countedAt(), &o)
				continue
			}
			for next := sp.next; next != nil && next.offset/s.elemsize == o.index; next = next.next {
				if next.kind == _KindSpecialFinalizer {
					finalizer = (*specialfinalizer)(unsafe.Pointer(next))
				}
			}
			if finalizer != nil && finalizer.special.offset/s.elemsize == o.index {
				ss.count((*specialprofile)(unsafe.Pointer(sp)), finalizer.refsNode(), &o)
			}
		}
	}
}

// countedAt returns the node at which o, which is marked, is counted.
//
//go:nowritebarrierrec
func (o *refsObject) countedAt() uint32 {
	if o.page == nil || o.page.words.Load() == refsNoWords {
		return refs.NodeNoMemory | refs.Lost
	}
	if w := o.word(); w != nil {
		if n := w.Load() &^ refs.ObjectFlags; n != 0 {
			return n
		}
	}
	return refs.NodeAllocated
}

// count counts o, the object of sp, at its site. node is the object's node. An
// object that stays at refs.NodeAllocated has not been scanned.
//
//go:nowritebarrierrec
func (ss *refsSiteTable) count(sp *specialprofile, node uint32, o *refsObject) {
	key := refsSiteKey{bucket: uintptr(unsafe.Pointer(sp.b)), node: node, labels: sp.labelled.id(), tiny: sp.special.tiny}
	survived := sp.survived(refsMarking.cycle)
	key.age, key.older = uint8(sys.Len64(uint64(survived))), survived > refsMarking.cycle-ss.before
	if site := ss.find(&key); site != nil {
		site.objects.Add(1)
		if node != refs.NodeAllocated {
			site.scan.Add(int64(o.scanWork()))
			site.unused.Add(int64(o.unusedSpace()))
		}
		return
	}
	ss.lostObjects.Add(1)
	ss.lostBytes.Add(int64(o.size))
}

// find returns the site with the key, and adds it if there is none. It returns
// nil if there is no room.
//
//go:nowritebarrierrec
func (ss *refsSiteTable) find(key *refsSiteKey) *refsSite {
	if !ss.IsMade() {
		return nil
	}
	mine := uint32(0)
	w := ss.Walk(key.hash())
	for {
		n := w.Link().Load()
		if n == 0 {
			if mine == 0 {
				var ok bool
				if mine, ok = ss.Add(refsMaxSites); !ok || mine == 0 {
					return nil
				}
				ss.at(mine).refsSiteKey = *key
			}
			if w.Link().CompareAndSwap(0, mine) {
				return ss.at(mine)
			}
			n = w.Link().Load()
		}
		site := ss.at(n)
		if site.refsSiteKey == *key {
			return site
		}
		w = w.Down(&site.links)
	}
}

// hash returns a hash of k.
//
//go:nowritebarrierrec
func (k *refsSiteKey) hash() uint64 {
	h := uint64(k.bucket>>3)*0x9e3779b97f4a7c15 ^ uint64(k.node)*0xbf58476d1ce4e5b9 ^ uint64(k.age)<<16 ^ uint64(k.labels)<<24
	h ^= h >> 32
	h *= 0x94d049bb133111eb
	return h ^ h>>32
}

// age returns the age of the objects of sites with a key (see
// profilerecord.RefsSite.Age).
func (ss *refsSiteTable) age(key *refsSiteKey) uint32 {
	age := uint32(uint64(1) << key.age >> 1)
	if key.older {
		age = max(age, refsMarking.cycle-ss.before+1)
	}
	return age
}

// records returns the sites for runtime/pprof. It runs after the recording
// cycle.
func (ss *refsSiteTable) records() []profilerecord.RefsSite {
	var records []profilerecord.RefsSite
	for i := uint32(1); i < ss.Len(); i++ {
		site := ss.at(i)
		if objects := site.objects.Load(); objects != 0 {
			b := (*bucket)(unsafe.Pointer(site.bucket))
			records = append(records, profilerecord.RefsSite{
				Stack:   b.stk(),
				Size:    int64(b.size),
				Node:    int32(site.node % refs.MaxNodes),
				Lost:    site.node&refs.Lost != 0,
				Age:     ss.age(&site.refsSiteKey),
				Tiny:    site.tiny,
				Objects: objects,
				Scan:    site.scan.Load(),
				Unused:  site.unused.Load(),
				Labels:  memLabelsOf(site.labels),
				Scope:   memLabelsScopeOf(site.labels),
			})
		}
	}
	return records
}
