// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The caches of resolved references. To resolve a reference is to find the node
// of its target, the object to which it refers (mrefsresolve.go). Many
// references resolve alike, so each P keeps results in a cache of its own.
//
// An entry is for references that are at one offset in the objects of one node,
// and whose targets have one span class and one allocation header. This node
// can also be that of a variable, of frames, of finalizers or of cleanups. If
// the node of the target depends on one more word, the entry is for one value
// of this word, or for one result of a check of this word (see refs.Check). An
// entry has the node of the targets. It also counts objects that are claimed
// through it. This count is added to the node when another entry replaces the
// entry, and after marking.
//
// A frame or closure with very many variables needs many entries. When a P has
// made a table of variables (mrefsvarcache.go) that has refsManyVariables
// records or more, it makes a wider cache, and uses that in place of the first
// one.
//
// While marking, only the P uses its cache, and it cannot be preempted while it
// does. Before and after the cycle, only the goroutine that requests the
// recording uses the caches.

package runtime

import (
	"internal/goarch"
	"internal/runtime/gc"
	"internal/runtime/maps"
	"internal/runtime/refs"
	"internal/runtime/sys"
	"unsafe"
)

// refsCache has a P's resolved references. When there is a wider cache, it is
// used in place of entries.
type refsCache struct {
	entries [refsCacheSize]refsCached
	wide    *refsWideCache
	noWide  bool // there is no memory for wide
}

// refsCached is an entry. It is for references at offset off in objects of node
// from, to objects with this class and header, for which check has the result
// that is in the field word (see checked). These references lead to node child.
type refsCached struct {
	from    uint32  // node of the objects, variable, frames, finalizers or cleanups that have the references; 0 if the entry is empty
	child   uint32  // node of the objects that the references claim; it can have refs.Delayed
	off     uintptr // offset of the references in these, or their place (see refsPlaceLocal, refsPlaceFunction)
	word    uintptr // result of check, as checked returns it
	header  uintptr // allocation header of the objects that the references claim, or 0
	objects uint64  // number of objects claimed, and not yet counted at child
	unused  int64   // unused bytes of these, without those that follow from unit
	stride  uint32  // as in refs.Hint
	unit    uint32  // as in refs.Extent
	form    refs.ExtentForm
	class   spanClass // class of the objects that the references claim
	check   refs.Check
}

const (
	refsCacheBits     = 11
	refsCacheSize     = 1 << refsCacheBits
	refsWideCacheBits = 15
	refsManyVariables = refsCacheSize / 4 // the wider cache is made if a table of variables (mrefsvarcache.go) has this number of records or more
)

// refsWideCache is the wider cache.
type refsWideCache struct {
	_       sys.NotInHeap
	entries [1 << refsWideCacheBits]refsCached
}

// find returns the entry for references like e to objects like o, or nil if
// there is none.
//
//go:nowritebarrierrec
func (rc *refsCache) find(e *refsEdge, o *refsObject) *refsCached {
	c := rc.slot(e, o.class)
	if !c.isOf(e, o.class) || c.check == refs.CheckTypeless && c.stride != refsPaths.Infers() {
		return nil
	}
	if word := e.checked(c, o.base, o.data, o.size); word != c.word {
		check, stride := c.check, c.stride
		if c = rc.secondSlot(c, word); !c.isOf(e, o.class) || c.check != check || c.stride != stride || c.word != word {
			return nil
		}
	}
	if c.header != o.headerWord() {
		return nil
	}
	return c
}

// put adds an entry: references like e to objects like o resolve to child.
//
//go:nowritebarrierrec
func (rc *refsCache) put(e *refsEdge, o *refsObject, child uint32) {
	c := rc.slot(e, o.class)
	if c.isOf(e, o.class) && c.check == o.Check && c.stride == o.Stride && c.word != o.Seen {
		c = rc.secondSlot(c, o.Seen)
	}
	c.flush()
	*c = refsCached{from: e.from, child: child, off: e.off, header: o.headerWord(),
		class: o.class, check: o.Check, stride: o.Stride, word: o.Seen, form: o.Extent.Form, unit: uint32(min(o.Extent.Unit, 1<<31))}
}

// slot returns the place of the entry for references like e to objects of a
// class. References in adjacent words have adjacent places, which the processor
// prefetches.
//
//go:nowritebarrierrec
func (rc *refsCache) slot(e *refsEdge, class spanClass) *refsCached {
	return rc.at(e.from*0x9e3779b1^uint32(class)*0xc2b2ae35, e.off/goarch.PtrSize)
}

// secondSlot returns the place of the entry for references that are like those
// of c, except that the result of their check is word. If the check reads a
// word of an interface or a closure, or the pointers of an object, the result
// often differs between references at one offset. Therefore such references have
// a place that depends on the result. In all other cases the place is that of c.
//
//go:nowritebarrierrec
func (rc *refsCache) secondSlot(c *refsCached, word uintptr) *refsCached {
	switch c.check {
	case refs.CheckIface, refs.CheckFunc, refs.CheckBits, refs.CheckTypeless:
		return rc.at(c.from*0x9e3779b1^uint32(word>>4^word)*0xc2b2ae35, c.off/goarch.PtrSize)
	}
	return c
}

// at returns the place that is n places behind the place of hash h.
//
//go:nowritebarrierrec
func (rc *refsCache) at(h uint32, n uintptr) *refsCached {
	if rc.wide != nil {
		return &rc.wide.entries[(uintptr(h>>(32-refsWideCacheBits))+n)%(1<<refsWideCacheBits)]
	}
	return &rc.entries[(uintptr(h>>(32-refsCacheBits))+n)%refsCacheSize]
}

// widen makes the wider cache if the P's largest table of variables, which has
// the given number of records, needs it and there is memory for it.
//
//go:nowritebarrierrec
func (rc *refsCache) widen(variables uint32) {
	if variables < refsManyVariables || rc.wide != nil || rc.noWide {
		return
	}
	rc.wide = (*refsWideCache)(refsSysAlloc(unsafe.Sizeof(refsWideCache{})))
	rc.noWide = rc.wide == nil
}

// flush adds the counts of all entries to their nodes.
func (rc *refsCache) flush() {
	for i := range rc.entries {
		rc.entries[i].flush()
	}
	if rc.wide != nil {
		for i := range rc.wide.entries {
			rc.wide.entries[i].flush()
		}
	}
}

// free frees the memory of the wider cache.
func (rc *refsCache) free() {
	if rc.wide != nil {
		refsSysFree(unsafe.Pointer(rc.wide), unsafe.Sizeof(*rc.wide))
		rc.wide = nil
	}
}

// isOf reports whether c is the entry for references like e to objects of a
// class, apart from the check, its result, and the allocation header of the
// objects.
//
//go:nowritebarrierrec
func (c *refsCached) isOf(e *refsEdge, class spanClass) bool {
	return c.from == e.from && c.off == e.off && c.class == class && c.from != 0
}

// isTypeless reports whether the type of the targets is not known.
//
//go:nowritebarrierrec
func (c *refsCached) isTypeless() bool {
	return c.check == refs.CheckTypeless && (c.word == 0 || c.child&refs.Lost != 0 || refsPaths.At(c.child).Type == 0)
}

// extent returns which bytes of their targets the references refer to.
//
//go:nowritebarrierrec
func (c *refsCached) extent() refs.Extent { return refs.Extent{Form: c.form, Unit: uintptr(c.unit)} }

// checked returns the result of c's check for e: the value of the word that the
// check names, or 0 or 1 if the check only asks a question about a word. If c
// needs no check, the result is 0. The target of e is an object of c's class:
// base, data and size are as in refsObject.
//
//go:nowritebarrierrec
func (e *refsEdge) checked(c *refsCached, base, data, size uintptr) uintptr {
	switch c.check {
	case refs.CheckIface:
		return refsWord(e.slot-goarch.PtrSize, e.slot)
	case refs.CheckFunc:
		if e.val != data { // in a tiny block
			return 0
		}
		return *(*uintptr)(unsafe.Pointer(data))
	case refs.CheckSlice:
		n := refsWord(e.slot+2*goarch.PtrSize, e.slot) * uintptr(c.stride)
		return uintptr(bool2int(refsFits(n, data-base, size, c.class)))
	case refs.CheckDirLen:
		return uintptr(bool2int(refsWord(e.slot-maps.RefsMapDirPtr+maps.RefsMapDirLen, e.slot) == 0))
	case refs.CheckTypeless:
		if c.stride != refsPaths.Infers() {
			return ^c.word // c is from another stage
		}
		if c.stride == 0 || c.class.noscan() || !heapBitsInSpan(size) {
			return 0
		}
		return uintptr((*refsProcess)(nil).PointerBits(base))
	case refs.CheckBits:
		return uintptr((*refsProcess)(nil).PointerBits(base))
	}
	return 0
}

// flush adds the count of c to its node.
//
//go:nowritebarrierrec
func (c *refsCached) flush() {
	if c.objects != 0 {
		n := int64(c.objects)
		size := int64(gc.SizeClassToSize[c.class.sizeclass()])
		refsPaths.Count(c.child, n, n*size)
		if size <= refs.MinHull && c.form == refs.ExtentOne {
			c.unused += n * max(size-int64(c.unit), 0)
		}
		if c.unused != 0 {
			refsPaths.CountUnused(c.child, c.unused)
		}
		c.objects, c.unused = 0, 0
	}
}
