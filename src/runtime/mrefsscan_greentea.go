// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Mark bits and span queue of Green Tea, while recording.

//go:build goexperiment.greenteagc

package runtime

import (
	"internal/goarch"
	"internal/runtime/atomic"
	"internal/runtime/gc"
	"internal/runtime/sys"
	"unsafe"
)

// markBits returns o's mark bit.
//
//go:nowritebarrierrec
func (o *refsObject) markBits() markBits {
	if !gcUsesSpanInlineMarkBits(o.size) {
		return o.mspan().markBitsForIndex(o.index)
	}
	imb := spanInlineMarkBitsFromBase(alignDown(o.base, gc.PageSize))
	return markBits{&imb.marks[o.index/8], 1 << (o.index % 8), o.index}
}

// queue queues o, which has just been claimed, with its span if the span has the
// mark bits in itself.
//
//go:nowritebarrierrec
func (o *refsObject) queue(gcw *gcWork) {
	if !gcUsesSpanInlineMarkBits(o.size) {
		o.queueAgain(gcw)
		return
	}
	span := alignDown(o.base, gc.PageSize)
	if !spanInlineMarkBitsFromBase(span).tryAcquire() {
		return
	}
	if gcw.spanq.put(makeObjPtr(span, uint16(o.index))) {
		if gcphase == _GCmark {
			work.spanqMask.set(gcw.id)
			gcw.mayNeedWorker = true
		}
		gcw.flushedWork = true
	}
}

// refsScanSpan follows the references in the objects of a span that have been
// marked since it was scanned last.
//
//go:nowritebarrier
func refsScanSpan(p objptr, gcw *gcWork) {
	base := p.spanBase()
	imb := spanInlineMarkBitsFromBase(base)
	size := uintptr(gc.SizeClassToSize[imb.class.sizeclass()])
	one := imb.release() == spanScanOneMark
	if one {
		i := p.objIndex()
		mask := uint8(1) << (i % 8)
		if atomic.Load8(&imb.scans[i/8])&mask == 0 {
			atomic.Or8(&imb.scans[i/8], mask)
			refsScanSmall(base, uintptr(i), size, gcw)
		}
		return
	}
	var scan gc.ObjMask
	if spanSetScans(base, spanOfUnchecked(base).nelems, imb, &scan) == 0 {
		return
	}
	for i, bits := range scan {
		for ; bits != 0; bits &= bits - 1 {
			refsScanSmall(base, uintptr(i*goarch.PtrSize*8+sys.TrailingZeros64(uint64(bits))), size, gcw)
		}
	}
}

// refsScanSmall follows the references in object i of the span at base.
//
//go:nowritebarrier
func refsScanSmall(base, i, size uintptr, gcw *gcWork) {
	o := refsObject{base: base + i*size, data: base + i*size, size: size, index: i, page: refsPageOf(base)}
	node, ok := o.node()
	if !ok {
		return
	}
	hbits, _ := spanHeapBitsRange(base, gc.PageSize, size)
	bits := uint64(extractHeapBitsSmall((*byte)(unsafe.Pointer(hbits)), base, o.base, size))
	gcw.heapScanWork += int64(sys.Len64(bits) * goarch.PtrSize)
	scan := refsScan{rp: refsOf(gcw.id), gcw: gcw, node: node, stride: refs.nodes.at(node).stride, data: o.data}
	for ; bits != 0; bits &= bits - 1 {
		scan.word(o.base + uintptr(sys.TrailingZeros64(bits))*goarch.PtrSize)
	}
}
