// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Mark bits and work queue of the Green Tea collector: a span of small objects
// (see gcUsesSpanInlineMarkBits) contains their mark bits, and is queued in
// place of the objects.

//go:build goexperiment.greenteagc

package runtime

import (
	"internal/runtime/gc"
	"internal/runtime/sys"
	"unsafe"
)

// markBits returns the mark bit of o.
//
//go:nowritebarrierrec
func (o *refsObject) markBits() markBits {
	if !gcUsesSpanInlineMarkBits(o.size) {
		return o.mspan().markBitsForIndex(o.index)
	}
	return refsInlineMark(alignDown(o.base, gc.PageSize), o.index)
}

// refsInlineMark returns the mark bit of object i of the span at base, whose
// mark bits are in the span.
//
//go:nowritebarrierrec
func refsInlineMark(base, i uintptr) markBits {
	return markBits{&spanInlineMarkBitsFromBase(base).marks[i/8], 1 << (i % 8), i}
}

// queue queues o, which has just been claimed. It queues the span of o if the
// mark bits are in the span, and o alone otherwise.
//
//go:nowritebarrierrec
func (o *refsObject) queue(gcw *gcWork) {
	if !gcUsesSpanInlineMarkBits(o.size) {
		o.queueAgain(gcw)
		return
	}
	refsQueueSpan(gcw, alignDown(o.base, gc.PageSize), o.index)
}

// refsQueueSpan queues the span at base, whose mark bits are in the span, for
// its object i. It does not queue a span that is queued already.
//
//go:nowritebarrierrec
func refsQueueSpan(gcw *gcWork, base, i uintptr) {
	if !spanInlineMarkBitsFromBase(base).tryAcquire() {
		return
	}
	if gcw.spanq.put(makeObjPtr(base, uint16(i))) {
		if gcphase == _GCmark {
			work.spanqMask.set(gcw.id)
			gcw.mayNeedWorker = true
		}
		gcw.flushedWork = true
	}
}

// refsPrefetchMark prefetches the mark bits of the span at base, if they are in
// the span. size is the size in bytes of the span's objects.
//
//go:nowritebarrierrec
func refsPrefetchMark(base uintptr, size uint16) {
	if gcUsesSpanInlineMarkBits(uintptr(size)) {
		sys.Prefetch(uintptr(unsafe.Pointer(&spanInlineMarkBitsFromBase(base).marks)))
	}
}
