// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Resolved references, which a P keeps because many references resolve alike.
//
// An entry has the node of the objects that hold the reference, the offset of
// the reference, the class of its target, and the word that the result depends
// on beside these. It also counts the objects that such references have
// claimed. An entry's counts are added to its node when another entry replaces
// it, and after marking.
//
// A frame or closure of very many variables needs more entries than a P has.
// When one is met, a wider cache takes over.
//
// The P alone uses its cache, and cannot be preempted meanwhile.

package runtime

import (
	"internal/goarch"
	"internal/runtime/gc"
	"internal/runtime/maps"
	"internal/runtime/sys"
	"unsafe"
)

// refsCache is what is known of references. The wider cache replaces entries
// once it is there.
type refsCache struct {
	entries [refsCacheSize]refsCached
	wide    *refsWideCache
	noWide  bool // there is no memory for wide
}

// refsCached is what resolve has told of references from a node at an offset to
// objects of a class, what it depended on, and how many objects these
// references have claimed since.
type refsCached struct {
	from    uint32
	child   uint32
	off     uintptr
	word    uintptr // what check compares
	header  uintptr // allocation header of the objects
	objects uint64
	stride  uint32
	class   spanClass
	check   refsCheck
}

const (
	refsCacheBits     = 11
	refsCacheSize     = 1 << refsCacheBits
	refsWideCacheBits = 15
	refsManyVariables = refsCacheSize / 4
)

type refsWideCache struct {
	_       sys.NotInHeap
	entries [1 << refsWideCacheBits]refsCached
}

// find returns what is known of references like e to objects like o, or nil.
//
//go:nowritebarrierrec
func (rc *refsCache) find(e *refsEdge, o *refsObject) *refsCached {
	c := rc.slot(e, o.class)
	if !c.isOf(e, o.class) {
		return nil
	}
	if word := e.checked(c, o); word != c.word {
		check := c.check
		if c = rc.secondSlot(c, word); !c.isOf(e, o.class) || c.check != check || c.word != word {
			return nil
		}
	}
	if c.header != o.headerWord() {
		return nil
	}
	return c
}

// put notes that references like e to objects like o resolve to child.
//
//go:nowritebarrierrec
func (rc *refsCache) put(e *refsEdge, o *refsObject, child uint32) {
	c := rc.slot(e, o.class)
	if c.isOf(e, o.class) && c.check == o.check && c.word != o.seen {
		c = rc.secondSlot(c, o.seen)
	}
	c.flush()
	*c = refsCached{from: e.from, child: child, off: e.off, header: o.headerWord(),
		class: o.class, check: o.check, stride: o.stride, word: o.seen}
}

// slot returns the place for references like e to objects of a class. Those
// from words that follow one another are in places that do, so that the
// processor fetches them ahead.
//
//go:nowritebarrierrec
func (rc *refsCache) slot(e *refsEdge, class spanClass) *refsCached {
	return rc.at(e.from*0x9e3779b1^uint32(class)*0xc2b2ae35, e.off/goarch.PtrSize)
}

// secondSlot returns the place for references that differ from those of c in
// the word that decides. Interfaces and functions in one place often have
// several types.
//
//go:nowritebarrierrec
func (rc *refsCache) secondSlot(c *refsCached, word uintptr) *refsCached {
	if c.check != refsCheckIface && c.check != refsCheckFunc {
		return c
	}
	return rc.at(c.from*0x9e3779b1^uint32(word>>4)*0xc2b2ae35, c.off/goarch.PtrSize)
}

// at returns the place that is n behind that of a hash.
//
//go:nowritebarrierrec
func (rc *refsCache) at(h uint32, n uintptr) *refsCached {
	if rc.wide != nil {
		return &rc.wide.entries[(uintptr(h>>(32-refsWideCacheBits))+n)%(1<<refsWideCacheBits)]
	}
	return &rc.entries[(uintptr(h>>(32-refsCacheBits))+n)%refsCacheSize]
}

// widen makes the wider cache if there is a table of so many variables that
// needs it, and memory.
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

// free returns the memory of the wider cache.
func (rc *refsCache) free() {
	if rc.wide != nil {
		refsSysFree(unsafe.Pointer(rc.wide), unsafe.Sizeof(*rc.wide))
		rc.wide = nil
	}
}

// isOf reports whether c is about references like e to objects of a class.
//
//go:nowritebarrierrec
func (c *refsCached) isOf(e *refsEdge, class spanClass) bool {
	return c.from == e.from && c.off == e.off && c.class == class && c.from != 0
}

// checked returns the word that the check of c is about, for e and o.
//
//go:nowritebarrierrec
func (e *refsEdge) checked(c *refsCached, o *refsObject) uintptr {
	switch c.check {
	case refsCheckIface:
		return refsWord(e.slot-goarch.PtrSize, e.slot)
	case refsCheckFunc:
		if e.val != o.data { // in a tiny block
			return 0
		}
		return *(*uintptr)(unsafe.Pointer(o.data))
	case refsCheckSlice:
		return uintptr(bool2int(o.fits(refsWord(e.slot+2*goarch.PtrSize, e.slot) * uintptr(c.stride))))
	case refsCheckDirLen:
		return uintptr(bool2int(refsWord(e.slot-maps.RefsMapDirPtr+maps.RefsMapDirLen, e.slot) == 0))
	}
	return 0
}

// holds reports whether what c says of references depends on is so for e.
//
//go:nowritebarrierrec
func (c *refsCached) holds(e *refsEdge, size uintptr) bool {
	switch c.check {
	case refsCheckIface:
		return refsWord(e.slot-goarch.PtrSize, e.slot) == c.word
	case refsCheckSlice:
		n := refsWord(e.slot+2*goarch.PtrSize, e.slot) * uintptr(c.stride)
		return c.word == 1 && n <= size && n > uintptr(gc.SizeClassToSize[c.class.sizeclass()-1])
	case refsCheckDirLen:
		return uintptr(bool2int(refsWord(e.slot-maps.RefsMapDirPtr+maps.RefsMapDirLen, e.slot) == 0)) == c.word
	}
	return false
}

// flush adds the counts of c to its node.
//
//go:nowritebarrierrec
func (c *refsCached) flush() {
	if c.objects != 0 {
		n := int64(c.objects)
		refsNodes.count(c.child, n, n*int64(gc.SizeClassToSize[c.class.sizeclass()]))
		c.objects = 0
	}
}
