// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Scanning the objects of a span of Green Tea.

//go:build goexperiment.greenteagc

package runtime

import (
	"internal/goarch"
	"internal/runtime/atomic"
	"internal/runtime/gc"
	"internal/runtime/refs"
	"internal/runtime/sys"
	"unsafe"
)

// refsScanSpan follows the references in the objects of a span that have been
// marked since the span was last scanned.
//
//go:nowritebarrier
func refsScanSpan(p objptr, gcw *gcWork) {
	base := p.spanBase()
	imb := spanInlineMarkBitsFromBase(base)
	s := refsSpanScan{
		refsScan: refsScan{rp: refsOf(gcw.id), gcw: gcw},
		base:     base,
		size:     uintptr(gc.SizeClassToSize[imb.class.sizeclass()]),
	}
	if page := refsPageOf(base); page != nil {
		s.words = page.words.Load()
	}
	hbits, _ := spanHeapBitsRange(base, gc.PageSize, s.size)
	s.hbits = (*byte)(unsafe.Pointer(hbits))
	if imb.release() == spanScanOneMark {
		i := uintptr(p.objIndex())
		if !refsSetMark(markBits{&imb.scans[i/8], 1 << (i % 8), i}) {
			s.object(i)
		}
	} else {
		(&refsObject{base: base}).markPage()
		for i := range (uintptr(spanOfUnchecked(base).nelems) + goarch.PtrSize*8 - 1) / (goarch.PtrSize * 8) {
			bits := refsTakeMarked(imb, i)
			s.prefetch(i, uint64(bits))
			for ; bits != 0; bits &= bits - 1 {
				s.object(i*goarch.PtrSize*8 + uintptr(sys.TrailingZeros64(uint64(bits))))
			}
		}
	}
	s.countScan()
}

// refsTakeMarked returns a bit for each object of word i that is marked and has
// not been scanned, and sets the scan bits of these objects. If several Ps scan
// the span, one of them gets the object, so that its scan work counts once.
//
//go:nowritebarrier
func refsTakeMarked(imb *spanInlineMarkBits, i uintptr) uintptr {
	mask := ^uintptr(0)
	if i == (unsafe.Sizeof(imb.marks)+1)/goarch.PtrSize-1 {
		mask = bswapIfBigEndian(mask >> 8) // the last byte has no mark bits
	}
	scans := &(*gc.ObjMask)(unsafe.Pointer(&imb.scans))[i]
	bits := atomic.Loaduintptr(&(*gc.ObjMask)(unsafe.Pointer(&imb.marks))[i]) &^ atomic.Loaduintptr(scans) & mask
	if bits != 0 {
		bits &^= atomic.Oruintptr(scans, bits)
	}
	return bswapIfBigEndian(bits)
}

// countScan counts the bytes that have been scanned at the node.
//
//go:nowritebarrier
func (s *refsSpanScan) countScan() {
	if s.scanned != 0 {
		refsCountScan(s.node, s.scanned)
		s.gcw.heapScanWork += s.scanned
		s.scanned = 0
	}
}

// refsSpanScan is the scan of a span's objects.
type refsSpanScan struct {
	refsScan
	base  uintptr // address of the span
	size  uintptr // of an object, in bytes
	words uint32  // as in refsPage: number of the first object's word, 0, or refsNoWords
	hbits *byte   // heap bitmap of the span

	scanned int64 // bytes that have been scanned at the node and are not counted yet
}

// prefetch prefetches the objects whose bits are set in bits, which is word i
// of a mask.
//
//go:nowritebarrier
func (s *refsSpanScan) prefetch(i uintptr, bits uint64) {
	first := s.base + i*goarch.PtrSize*8*s.size
	for ; bits != 0; bits &= bits - 1 {
		sys.Prefetch(first + uintptr(sys.TrailingZeros64(bits))*s.size)
	}
}

// object gathers the references in object i. One whose word is 0 has just been
// allocated, and is not scanned: it is marked a moment before it counts as
// scanned.
//
//go:nowritebarrier
func (s *refsSpanScan) object(i uintptr) {
	node := refs.NodeNoMemory | refs.Lost
	if s.words != 0 && s.words != refsNoWords {
		w := refsPages.at(s.words + uint32(i)).Load()
		if node = refsScanNode(w); node == 0 || w == 0 || w&refs.Alone != 0 {
			return
		}
	}
	if node != s.node {
		s.countScan()
		s.node, s.stride = node, refsPaths.Stride(node)
	}
	s.data = s.base + i*s.size
	bits := uint64(extractHeapBitsSmall(s.hbits, s.base, s.data, s.size))
	s.scanned += int64(sys.Len64(bits) * goarch.PtrSize)
	for ; bits != 0; bits &= bits - 1 {
		s.word(s.data + uintptr(sys.TrailingZeros64(bits))*goarch.PtrSize)
	}
}
