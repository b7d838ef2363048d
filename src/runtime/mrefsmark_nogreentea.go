// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Mark bits and work queue without the Green Tea collector.

//go:build !goexperiment.greenteagc

package runtime

// markBits returns the mark bit of o.
//
//go:nowritebarrierrec
func (o *refsObject) markBits() markBits {
	return o.mspan().markBitsForIndex(o.index)
}

// queue queues o, which has just been claimed.
//
//go:nowritebarrierrec
func (o *refsObject) queue(gcw *gcWork) {
	o.queueAgain(gcw)
}

func refsInlineMark(base, i uintptr) markBits {
	throw("runtime: no span has mark bits in itself")
	return markBits{}
}

func refsQueueSpan(gcw *gcWork, base, i uintptr) {
	throw("runtime: no span has mark bits in itself")
}

func refsPrefetchMark(base uintptr, size uint16) {}
