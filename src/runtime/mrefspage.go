// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Objects: from an address to the object there, and to the word that holds the
// number of the object's node.
//
// Each page of the heap has a refsPage, unless the page is in a user arena or
// there is no memory for its refsPage. The refsPages of an arena that is mapped
// while marking are made when the recorder first needs one of them. If a page
// has a refsPage, refsFind and lookUp (mrefsscan.go) fill it in when they find
// an object in the page, unless the object is large. A refsPage has the class
// of the page's span, the number of the span's objects, and the page's place in
// the span. Targets of later references are therefore found without reading the
// mspan. The refsPage of a span's first page also has the place of the words of
// the span's objects. A span that is in use while marking stays in use until
// marking ends, so a refsPage stays valid. A P takes words from a chunk of its
// own, and takes another chunk when too few words are left. Spans of objects
// with pointers get words when a reference reaches them, except spans of user
// arenas. A span of objects without pointers has words only if it has an object
// of one of four kinds: held back; partly used; allocated while marking, with
// refsMinNewNoscan bytes or more; or sampled by the heap profiler, in a
// recording with allocation sites.

package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/gc"
	"internal/runtime/refs"
	"internal/runtime/sys"
	"unsafe"
)

const (
	refsChunkShift = 12
	refsChunkWords = 1 << refsChunkShift
	refsMaxChunks  = 1 << (32 - refsChunkShift)

	// Chunks are parts of larger regions. The first regions have few
	// chunks, so that a recording of a small heap does not allocate many
	// more words than it needs. The system is asked to use huge pages for
	// regions of refsRegionChunks chunks.
	refsRegionChunks = 256
	refsRegionWords  = refsRegionChunks * refsChunkWords
	refsFirstChunks  = 8 // number of chunks of each of the first refsEqualRegions regions; the next refsEqualRegions have twice as many each, and so on, up to refsRegionChunks
	refsEqualRegions = 4

	refsNoWords = ^uint32(0) // in refsPage.words: there was no memory for words
)

// refsPages has the words of the recording.
var refsPages refsPageTable

// A refsPageTable has chunks of words. Any P adds chunks, and none is freed
// before the recording ends.
type refsPageTable struct {
	regions *[refsMaxChunks / refsRegionChunks]atomic.Uintptr
	nchunks atomic.Uint32 // number of the next chunk to give out; chunk 0 is not given out, because its word 0 stands for no word
}

// refsArena has a refsPage for each page of an arena.
type refsArena struct {
	_     sys.NotInHeap
	pages [pagesPerArena]refsPage
	held  [pagesPerArena / 8]uint8 // a bit for each page: set if the page is the first of a span with objects that refsObject.hold has held back, or with borrowers that wait or waited for refs.StageBorrowed
}

// refsPage says where a page lies in its span, and describes the span's
// objects.
type refsPage struct {
	_     sys.NotInHeap
	meta  atomic.Uint32 // a refsMeta
	words atomic.Uint32 // for a span's first page: number of the first object's word, 0 if the span has no words yet, or refsNoWords
	hulls atomic.Uint32 // for a span's first page: number of the first of two words for the first object's hull (mrefsunused.go), or 0 if the span has no hulls yet
}

// A refsMeta describes a page and its span:
//
//	number of objects in the span<<16 | page in the span<<8 | span class
//
// It is 0 if the refsPage is not filled in, as for large objects.
type refsMeta uint32

// class returns the class of the span.
//
//go:nowritebarrierrec
func (meta refsMeta) class() spanClass { return spanClass(meta) }

// page returns the index of the page in its span.
//
//go:nowritebarrierrec
func (meta refsMeta) page() uintptr { return uintptr(meta>>8) & 0xff }

// nelems returns the number of objects in the span.
//
//go:nowritebarrierrec
func (meta refsMeta) nelems() uint32 { return uint32(meta >> 16) }

// spanBase returns the address of the span. p is in the page.
//
//go:nowritebarrierrec
func (meta refsMeta) spanBase(p uintptr) uintptr {
	return alignDown(p, pageSize) - meta.page()*pageSize
}

// index returns the index of the object that contains the byte n bytes behind
// the beginning of the span. It is nelems or more if no object can be there.
//
//go:nowritebarrierrec
func (meta refsMeta) index(n uintptr) uint32 {
	return uint32(uint64(n) * uint64(gc.SizeClassToDivMagic[meta.class().sizeclass()]) >> 32)
}

// refsObject is an object that a reference reaches.
type refsObject struct {
	base  uintptr // address of the slot in the span
	data  uintptr // address of the value, which may be behind an allocation header
	size  uintptr // size of the slot, in bytes
	index uintptr // index of the slot in the span
	class spanClass
	page  *refsPage // refsPage of the span's first page, or nil if o is in a user arena or there was no memory
	span  *mspan    // nil if o was found by its refsPage and the span has not been needed yet

	part, whole refs.Bounds // what the reference to o refers to, and what references can refer to; both are set when o is to be claimed

	refs.Hint // on which further word it depends how the reference to o resolves
}

// alloc makes the table, with its first region, and reports whether there is
// memory for both. It also gives a refsArena to each arena for which there is
// memory.
func (ps *refsPageTable) alloc() bool {
	ps.regions = (*[refsMaxChunks / refsRegionChunks]atomic.Uintptr)(refsSysAlloc(unsafe.Sizeof(*ps.regions)))
	ps.nchunks.Store(1)
	if ps.regions == nil || !ps.region(0) {
		return false
	}
	ps.grow()
	return true
}

// refsRegionLen returns the number of chunks of region i.
//
//go:nowritebarrierrec
func refsRegionLen(i uint32) uint32 {
	return min(uint32(refsFirstChunks)<<min(i/refsEqualRegions, 16), refsRegionChunks)
}

// refsChunkPlace returns the region of chunk n, and the chunk's index in it.
//
//go:nowritebarrierrec
func refsChunkPlace(n uint32) (region, chunk uint32) {
	for {
		chunks := refsRegionLen(region)
		if chunks == refsRegionChunks {
			return region + n/refsRegionChunks, n % refsRegionChunks
		}
		if n < chunks {
			return region, n
		}
		n -= chunks
		region++
	}
}

// region makes region i unless there is one, and reports whether there is one
// now.
//
//go:nowritebarrierrec
func (ps *refsPageTable) region(i uint32) bool {
	if ps.regions[i].Load() != 0 {
		return true
	}
	bytes := uintptr(refsRegionLen(i)) * refsChunkWords * 4
	p := refsSysAlloc(bytes)
	if p == nil {
		return ps.regions[i].Load() != 0
	}
	if !ps.regions[i].CompareAndSwap(0, uintptr(p)) {
		refsSysFree(p, bytes)
	} else if bytes == refsRegionWords*4 {
		sysHugePage(p, bytes)
	}
	return true
}

// grow gives a refsArena to each arena that has none, except arenas of user
// arenas. An arena that is mapped while marking gets one when the recorder
// first needs it. If there is no memory for a refsArena, objects in the arena
// are counted, but the paths to the objects that they refer to are not known.
func (ps *refsPageTable) grow() {
	for _, ai := range refsArenas() {
		mheap_.arenas[ai.l1()][ai.l2()].makeRefs()
	}
}

// makeRefs returns the arena's refsArena, and makes it if there is none. It
// returns nil if there is no memory.
//
//go:nowritebarrierrec
func (ha *heapArena) makeRefs() *refsArena {
	if ra := ha.refsArena(); ra != nil {
		return ra
	}
	p := refsSysAlloc(unsafe.Sizeof(refsArena{}))
	if p != nil && !ha.refs.CompareAndSwapNoWB(nil, p) {
		refsSysFree(p, unsafe.Sizeof(refsArena{}))
	}
	return ha.refsArena()
}

// refsArena returns the arena's refsArena, or nil if it has none.
func (ha *heapArena) refsArena() *refsArena {
	return (*refsArena)(ha.refs.Load())
}

// refsArenas returns the heap's arenas, without those of user arenas. The
// caller may read the list without the lock, because the heap only appends to
// it, and frees no array that it has outgrown.
func refsArenas() (arenas []arenaIdx) {
	systemstack(func() {
		lock(&mheap_.lock)
		arenas = mheap_.heapArenas
		unlock(&mheap_.lock)
	})
	return arenas
}

// free frees the memory of all refsArenas and words.
func (ps *refsPageTable) free() {
	for _, ai := range refsArenas() {
		ha := mheap_.arenas[ai.l1()][ai.l2()]
		if p := ha.refs.Load(); p != nil {
			refsSysFree(p, unsafe.Sizeof(refsArena{}))
			ha.refs.StoreNoWB(nil)
		}
	}
	if ps.regions == nil {
		return
	}
	for i := range ps.regions {
		if r := ps.regions[i].Load(); r != 0 {
			refsSysFree(unsafe.Pointer(r), uintptr(refsRegionLen(uint32(i)))*refsChunkWords*4)
		}
	}
	refsSysFree(unsafe.Pointer(ps.regions), unsafe.Sizeof(*ps.regions))
	ps.regions = nil
}

// at returns word n.
func (ps *refsPageTable) at(n uint32) *atomic.Uint32 {
	return (*atomic.Uint32)(unsafe.Pointer(ps.regions[n/refsRegionWords].Load() + uintptr(n%refsRegionWords)*4))
}

// refsFind makes o the object at address p, and reports whether there is one,
// as findObject does.
//
//go:nowritebarrierrec
func refsFind(p uintptr, o *refsObject) bool {
	ha := heapArenaOf(p)
	if ha == nil {
		return false
	}
	ra := ha.refsArena()
	if ra == nil {
		return refsFindSlow(p, nil, o)
	}
	page := &ra.pages[(p/pageSize)%pagesPerArena]
	meta := refsMeta(page.meta.Load())
	if meta == 0 {
		return refsFindSlow(p, page, o)
	}
	base := meta.spanBase(p)
	index := meta.index(p - base)
	if index >= meta.nelems() {
		return false
	}
	if meta.page() != 0 {
		page = refsPageOf(base)
	}
	o.fromPage(meta, base, index, page)
	return true
}

// fromPage makes o the object with the index in the span at base. page is the
// refsPage of the span's first page, or nil. meta is that of any page of the
// span.
//
//go:nowritebarrierrec
func (o *refsObject) fromPage(meta refsMeta, base uintptr, index uint32, page *refsPage) {
	o.class = meta.class()
	o.size = uintptr(gc.SizeClassToSize[o.class.sizeclass()])
	o.index = uintptr(index)
	o.base = base + o.index*o.size
	o.data = o.base
	if !heapBitsInSpan(o.size) && !o.class.noscan() {
		o.data += gc.MallocHeaderSize
	}
	o.page = page
	o.span = nil
}

// refsFindSlow is refsFind for an address whose refsPage is not filled in. page
// is this refsPage, or nil if the arena has no refsArena. refsFindSlow fills
// page in unless the object is large or in a user arena.
//
//go:nowritebarrierrec
func refsFindSlow(p uintptr, page *refsPage, o *refsObject) bool {
	base, s, index := findObject(p, 0, 0)
	if base == 0 {
		return false
	}
	o.fromSpan(base, s, index)
	if page == nil || s.spanclass.sizeclass() == 0 || s.isUserArenaChunk {
		return true
	}
	n := (p - s.base()) / pageSize
	page.meta.Store(uint32(s.nelems)<<16 | uint32(n)<<8 | uint32(s.spanclass))
	return true
}

// fillPage fills in the refsPage of the first page of o's span, so that the
// heap graph knows the span. It reports whether a refsPage describes the span.
//
//go:nowritebarrierrec
func (o *refsObject) fillPage() bool {
	if o.page == nil || o.class.sizeclass() == 0 {
		return false
	}
	if o.page.meta.Load() == 0 {
		o.page.meta.Store(uint32(o.mspan().nelems)<<16 | uint32(o.class))
	}
	return true
}

// fromSpan makes o the object in the slot of span s that has the given index
// and is at base. Objects in user arenas get no refsPage, because the jobs that
// release objects do not go over user arenas.
func (o *refsObject) fromSpan(base uintptr, s *mspan, index uintptr) {
	o.base, o.data, o.size, o.index, o.class, o.span = base, base, s.elemsize, index, s.spanclass, s
	if !heapBitsInSpan(s.elemsize) && !s.spanclass.noscan() && s.spanclass.sizeclass() != 0 {
		o.data += gc.MallocHeaderSize
	}
	o.page = nil
	if !s.isUserArenaChunk {
		o.page = refsPageOf(s.base())
	}
}

// refsPageOf returns the refsPage of the page at an address in the heap, or nil
// if there is no memory for it.
//
//go:nowritebarrierrec
func refsPageOf(p uintptr) *refsPage {
	ra := heapArenaOf(p).makeRefs()
	if ra == nil {
		return nil
	}
	return &ra.pages[(p/pageSize)%pagesPerArena]
}

// word returns the word for the number of o's node, or nil if the span has no
// words.
func (o *refsObject) word() *atomic.Uint32 {
	if o.page == nil {
		return nil
	}
	n := o.page.words.Load()
	if n == 0 || n == refsNoWords {
		return nil
	}
	return refsPages.at(n + uint32(o.index))
}

// makeWord is word, but gives words to the span if it has none. It returns nil
// if there is no memory, or if o is in a user arena.
func (o *refsObject) makeWord(row *refsWordRow) *atomic.Uint32 {
	if o.page == nil {
		return nil
	}
	n := o.page.words.Load()
	if n == 0 {
		n = o.page.give(row, uint32(o.mspan().nelems))
	}
	if n == refsNoWords {
		return nil
	}
	return refsPages.at(n + uint32(o.index))
}

// give gives words to a span of nelems objects, unless another P has done so.
// page is the refsPage of the span's first page. give returns the number of the
// first object's word, or refsNoWords.
func (page *refsPage) give(row *refsWordRow, nelems uint32) uint32 {
	n := row.take(nelems)
	if n == 0 {
		page.words.CompareAndSwap(0, refsNoWords)
	} else if !page.words.CompareAndSwap(0, n) {
		row.next = n // these words can be given to another span, because no other P has seen them
	}
	return page.words.Load()
}

// mspan returns the span of o.
func (o *refsObject) mspan() *mspan {
	if o.span == nil {
		o.span = spanOfUnchecked(o.base)
	}
	return o.span
}

// A refsWordRow has the words that a P gives out next. The field next is the
// number of the first one, and end is one more than that of the last one.
type refsWordRow struct{ next, end uint32 }

// take returns the number of the first of n zeroed words in a row, or 0 if
// there is no memory.
func (row *refsWordRow) take(n uint32) uint32 {
	if row.end-row.next < n {
		region, chunk, ok := refsPages.takeChunk()
		if !ok {
			return 0
		}
		row.next = region*refsRegionWords + chunk*refsChunkWords
		row.end = row.next + refsChunkWords
	}
	first := row.next
	row.next += n
	return first
}

// takeChunk takes a chunk for one P. It returns the chunk's region and its
// index there. ok is false if there is no memory, or if the chunks of all
// regions are taken.
//
//go:nowritebarrierrec
func (ps *refsPageTable) takeChunk() (region, chunk uint32, ok bool) {
	for {
		n := ps.nchunks.Load()
		region, chunk = refsChunkPlace(n)
		if region >= refsMaxChunks/refsRegionChunks || !ps.region(region) {
			return 0, 0, false
		}
		if ps.nchunks.CompareAndSwap(n, n+1) {
			ps.touch(region*refsRegionWords + chunk*refsChunkWords)
			return region, chunk, true
		}
	}
}

// touch writes to each page of the chunk whose first word is word n. Marking
// reads a word before it writes to it. If a page were read first, the system
// would map its shared page of zeroes there. To replace that page at the first
// write, it would have to interrupt the other processors that run the process.
//
//go:nowritebarrierrec
func (ps *refsPageTable) touch(n uint32) {
	for i := uintptr(0); i < refsChunkWords; i += physPageSize / 4 {
		ps.at(n + uint32(i)).Store(0)
	}
}

// setInWords makes refs.StageBorrowed and the stages that release objects look
// at the words of o's span.
//
//go:nowritebarrierrec
func (o *refsObject) setInWords() {
	base := o.mspan().base()
	page := base / pageSize % pagesPerArena
	held := &heapArenaOf(base).refsArena().held[page/8]
	if bit := uint8(1) << (page % 8); atomic.Load8(held)&bit == 0 {
		atomic.Or8(held, bit)
	}
}

// queueAgain queues o alone, and not with its span. Objects that were held
// back, or were allocated while marking, have to be queued alone, because their
// scan bits may already be set. A scan of their span would then skip them.
//
//go:nowritebarrierrec
func (o *refsObject) queueAgain(gcw *gcWork) {
	refsQueueObject(gcw, o.base)
}

// refsQueueObject queues the object at base alone.
//
//go:nowritebarrierrec
func refsQueueObject(gcw *gcWork, base uintptr) {
	if !gcw.putObjFast(base) {
		gcw.putObj(base)
	}
}
