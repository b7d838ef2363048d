// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Lists of objects that are held back (mrefsclaim.go).
//
// A list is blocks of addresses on a lock-free stack, and a partial block a P.
// When a list is complete, a stage drains it in two steps, each one root job a
// block. The first claims the objects that are still held, each at its node, so
// that none of them claims another. The second scans them. It needs no work
// buffers for them, of which there may be millions.
//
// Blocks are parts of regions of the recording's own memory. Where that cannot be
// had, put reports it and the caller claims the object at once.
//
// All runs while marking, without write barriers or locks, on the system stack;
// put and flush also in forEachP, where the M may have no P.

package runtime

import (
	"internal/goarch"
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

const (
	refsHeldBlockBytes  = 2 << 10
	refsHeldRegionBytes = 64 << 10
)

// refsHeldBlock is addresses of objects.
type refsHeldBlock struct {
	_       sys.NotInHeap
	node    lfnode
	n       int
	objects [(refsHeldBlockBytes - unsafe.Sizeof(lfnode{}) - goarch.PtrSize) / goarch.PtrSize]uintptr
}

// refsHeldRegion is memory for blocks.
type refsHeldRegion struct {
	_      sys.NotInHeap
	blocks [refsHeldRegionBytes/refsHeldBlockBytes - 1]refsHeldBlock // first, to be aligned to 8 bytes
	node   lfnode
}

// refsHeldBlocks is all blocks of a recording. Any P may get and put.
type refsHeldBlocks struct {
	empty   lfstack
	regions lfstack
}

// get returns an empty block, or nil if there is no memory.
//
//go:nowritebarrierrec
func (bs *refsHeldBlocks) get() *refsHeldBlock {
	if b := bs.empty.pop(); b != nil {
		return (*refsHeldBlock)(b)
	}
	r := (*refsHeldRegion)(refsSysAlloc(unsafe.Sizeof(refsHeldRegion{})))
	if r == nil {
		return nil
	}
	bs.regions.push(&r.node)
	for i := 1; i < len(r.blocks); i++ {
		bs.empty.push(&r.blocks[i].node)
	}
	return &r.blocks[0]
}

// put makes b empty.
//
//go:nowritebarrierrec
func (bs *refsHeldBlocks) put(b *refsHeldBlock) {
	b.n = 0
	bs.empty.push(&b.node)
}

// free returns the memory of all blocks, which nobody uses any more.
func (bs *refsHeldBlocks) free() {
	bs.empty = 0
	for p := bs.regions.pop(); p != nil; p = bs.regions.pop() {
		r := uintptr(p) - unsafe.Offsetof(refsHeldRegion{}.node)
		refsSysFree(unsafe.Pointer(r), unsafe.Sizeof(refsHeldRegion{}))
	}
}

// refsHeldList is the full blocks of a list. Any P may push and pop.
type refsHeldList struct {
	full lfstack
	n    atomic.Uint64 // blocks in full; of 64 bits so that full is aligned to that
}

// put puts the object at base into a P's block, which it makes or replaces. It
// reports false if there is no memory for a block.
//
//go:nowritebarrierrec
func (l *refsHeldList) put(block **refsHeldBlock, base uintptr) bool {
	b := *block
	if b == nil || b.n == len(b.objects) {
		l.flush(block)
		if b = refs.blocks.get(); b == nil {
			return false
		}
		*block = b
	}
	b.objects[b.n] = base
	b.n++
	return true
}

// flush puts a P's block on the list.
//
//go:nowritebarrierrec
func (l *refsHeldList) flush(block **refsHeldBlock) {
	if b := *block; b != nil {
		*block = nil
		l.push(b)
	}
}

// push puts b on the list.
//
//go:nowritebarrierrec
func (l *refsHeldList) push(b *refsHeldBlock) {
	l.full.push(&b.node)
	l.n.Add(1)
}

// pop takes a block from the list, or returns nil if that is empty.
//
//go:nowritebarrierrec
func (l *refsHeldList) pop() *refsHeldBlock {
	b := (*refsHeldBlock)(l.full.pop())
	if b != nil {
		l.n.Add(-1)
	}
	return b
}

// releaseOne takes a block and claims the objects in it that are still held. Those
// that have pointers are to be scanned.
//
//go:nowritebarrierrec
func (l *refsHeldList) releaseOne(gcw *gcWork) {
	b := l.pop()
	if b == nil {
		return
	}
	n := 0
	for _, base := range b.objects[:b.n] {
		if refsRelease(gcw, base) {
			b.objects[n] = base
			n++
		}
	}
	if b.n = n; n > 0 {
		refs.released.push(b)
	} else {
		refs.blocks.put(b)
	}
}

// scanOne takes a block and scans the objects in it.
//
//go:nowritebarrier
func (l *refsHeldList) scanOne(gcw *gcWork) {
	b := l.pop()
	if b == nil {
		return
	}
	for _, base := range b.objects[:b.n] {
		refsScanObject(base, gcw)
	}
	refs.blocks.put(b)
}
