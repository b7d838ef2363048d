// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The heap graph for runtime/pprof. It consists of a recording, of the log of
// its references, which is divided into chunks (mrefslog.go), and of a list of
// spans. By this list and the log, the reader finds the objects at the logged
// addresses.

package runtime

import (
	"internal/profilerecord"
	"internal/runtime/atomic"
	"internal/runtime/gc"
	"internal/runtime/refs"
	"unsafe"
)

// pprof_heapGraph records references in a garbage collection and logs them. The
// parameter most is a number of bytes. All references are logged as long as the
// log needs no more than that (see refsLogBegin). After that, fewer references
// are logged, until the log needs more than refsLogExtra times as many bytes.
// From then on, nothing is logged. If there is no result, failed is the reason.
// While pprof_heapGraph runs, another goroutine should take chunks of the log
// with pprof_heapGraphNext and return them with pprof_heapGraphDone, so that
// the log needs less memory. When pprof_heapGraph has returned, the remaining
// chunks of the log can be taken. When all chunks that were taken have been
// returned, the caller must call pprof_heapGraphEnd. Only one goroutine may
// make a heap graph at a time.
//
//go:linkname pprof_heapGraph
func pprof_heapGraph(most uint64) (h *profilerecord.RefsGraph, failed string) {
	semacquire(&refsSema)
	defer semrelease(&refsSema)
	refsLogBegin(most)
	defer func() { refsLog.wanted = false }()
	start := nanotime()
	if failed := refsRecord(false); failed != "" {
		return nil, failed
	}
	refsRaceAcquire()
	refsMemory.reserve.giveUp()
	h = &profilerecord.RefsGraph{Spans: refsSpans(), Hulls: refsHulls(), Refs: refsProfile(start), MainPath: refs.ModuleField(modinfo, "path\t")}
	for i := range h.Refs.Nodes {
		h.Objects += h.Refs.Nodes[i].Objects
	}
	h.AllocatedObjects, h.AllocatedBytes = h.Refs.Nodes[refs.NodeAllocated].Objects, h.Refs.Nodes[refs.NodeAllocated].Bytes
	h.Dropped, h.Lost = refsLog.dropped.Load(), refsLog.lost.Load()
	refsFree()
	return h, ""
}

// refsSpans returns the spans that are described in a refsPage (mrefspage.go),
// in no order. A span that extends into another arena may appear twice.
func refsSpans() (spans []profilerecord.RefsGraphSpan) {
	for _, ai := range refsArenas() {
		ra := mheap_.arenas[ai.l1()][ai.l2()].refsArena()
		if ra == nil {
			continue
		}
		for i := range ra.pages {
			meta := refsMeta(ra.pages[i].meta.Load())
			if meta == 0 {
				continue
			}
			base, class := meta.spanBase(arenaBase(ai)+uintptr(i)*pageSize), meta.class()
			span := profilerecord.RefsGraphSpan{Base: refsLogAddress(base), Slots: meta.nelems(), Size: uint64(gc.SizeClassToSize[class.sizeclass()])}
			if !heapBitsInSpan(uintptr(span.Size)) && !class.noscan() {
				span.Header = gc.MallocHeaderSize
			}
			if n := len(spans); n == 0 || spans[n-1].Base != span.Base {
				spans = append(spans, span)
			}
		}
	}
	return spans
}

// refsHulls returns the hulls of the objects that are used in part.
func refsHulls() []profilerecord.RefsGraphHull {
	n := 0
	refsEachHull(func(uintptr, refs.Bounds) { n++ })
	hulls := make([]profilerecord.RefsGraphHull, 0, n)
	refsEachHull(func(base uintptr, b refs.Bounds) {
		hulls = append(hulls, profilerecord.RefsGraphHull{Object: refsLogAddress(base), First: uint64(b.First), End: uint64(b.End)})
	})
	return hulls
}

// refsEachHull calls do with the objects that are used in part.
func refsEachHull(do func(base uintptr, b refs.Bounds)) {
	for _, ai := range refsArenas() {
		ra := mheap_.arenas[ai.l1()][ai.l2()].refsArena()
		if ra == nil {
			continue
		}
		for i := range ra.pages {
			if page := &ra.pages[i]; page.hulls.Load() != 0 {
				page.eachHull(arenaBase(ai)+uintptr(i)*pageSize, do)
			}
		}
	}
}

// eachHull is refsEachHull for the objects of the span at base, whose hulls page
// has.
func (page *refsPage) eachHull(base uintptr, do func(base uintptr, b refs.Bounds)) {
	meta := refsMeta(page.meta.Load())
	n, size := meta.nelems(), uintptr(gc.SizeClassToSize[meta.class().sizeclass()])
	if meta == 0 {
		// A large object, which may have been freed since, and another one may
		// be in its place. Bounds in less than 2 GiB do not depend on the size.
		s := spanOf(base)
		if s == nil || s.base() != base {
			return
		}
		n, size = 1, max(s.elemsize, 1<<31-1)
	}
	words, hulls := page.words.Load(), page.hulls.Load()
	if words == 0 || words == refsNoWords {
		return
	}
	for i := range n {
		h := refs.Hull((*atomic.Uint64)(unsafe.Pointer(refsPages.at(hulls + 2*i))).Load())
		if refsPages.at(words+i).Load()&(refs.Held|refs.Partly) == refs.Partly && h != 0 {
			do(base+uintptr(i)*size, h.Bounds(size))
		}
	}
}

// pprof_heapGraphNext returns the kind and the records of a chunk of the log,
// and the chunk, which the caller must pass to pprof_heapGraphDone. chunk is
// nil if there is no chunk to be read at present.
//
//go:linkname pprof_heapGraphNext
func pprof_heapGraphNext() (kind profilerecord.RefsLogKind, records []uint64, chunk unsafe.Pointer) {
	c := (*refsLogChunk)(refsLog.full.pop())
	if c == nil {
		return 0, nil, nil
	}
	return c.kind, c.words[:c.n], unsafe.Pointer(c)
}

// pprof_heapGraphDone lets a chunk of the log be filled again.
//
//go:linkname pprof_heapGraphDone
func pprof_heapGraphDone(chunk unsafe.Pointer) {
	refsLog.free.push(&(*refsLogChunk)(chunk).node)
}

// pprof_heapGraphEnd frees the memory of the log.
//
//go:linkname pprof_heapGraphEnd
func pprof_heapGraphEnd() { refsLogEnd() }

// pprof_waitReason returns the text of a reason for which goroutines wait, as
// stack traces print it. It returns "" if there is no such reason.
//
//go:linkname pprof_waitReason
func pprof_waitReason(reason uint64) string {
	if reason >= uint64(len(waitReasonStrings)) {
		return ""
	}
	return waitReasonStrings[reason]
}

// pprof_heapGraphLimit returns the default limit of memory for writing a heap
// graph, in bytes: 64 MiB or a quarter of gcController.heapLive, whichever is
// larger.
//
//go:linkname pprof_heapGraphLimit
func pprof_heapGraphLimit() uint64 { return max(64<<20, gcController.heapLive.Load()/4) }

// pprof_heapGraphAlloc returns n bytes of memory off the heap, or nil if the
// recording gets no more memory. The bytes count as memory of the recording.
//
//go:linkname pprof_heapGraphAlloc
func pprof_heapGraphAlloc(n uintptr) unsafe.Pointer { return refsSysAlloc(n) }

// pprof_heapGraphFree frees n bytes that pprof_heapGraphAlloc has returned.
//
//go:linkname pprof_heapGraphFree
func pprof_heapGraphFree(p unsafe.Pointer, n uintptr) { refsSysFree(p, n) }
