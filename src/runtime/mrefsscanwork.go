// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The scan work of an object, without scanning it: the bytes that refs.Paths
// counts at its node when it is scanned. Allocation sites need it, because they
// are joined with nodes when all is scanned. A large object has the work of its
// oblets: of each, the bytes up to the last pointer.

package runtime

import (
	"internal/goarch"
	"internal/runtime/refs"
)

// refsFewBytes is how many bytes are searched for the last pointer at first,
// so that large arrays of pointers are not walked.
const refsFewBytes = 1 << 10

// scanWork returns the scan work of o, in bytes.
//
//go:nowritebarrierrec
func (o *refsObject) scanWork() (n uintptr) {
	if o.class.noscan() {
		return 0
	}
	for b := o.base; b < o.base+o.size; b += maxObletBytes {
		n += o.obletWork(b)
	}
	return n
}

// obletWork returns the scan work of the oblet of o at b, in bytes.
//
//go:nowritebarrierrec
func (o *refsObject) obletWork(b uintptr) uintptr {
	end := min(b+maxObletBytes, o.base+o.size)
	if end-b > refsFewBytes {
		if last := o.lastPointer(end-refsFewBytes, end); last != 0 {
			return last + goarch.PtrSize - b
		}
	}
	if last := o.lastPointer(b, end); last != 0 {
		return last + goarch.PtrSize - b
	}
	return 0
}

// lastPointer returns the address of the last word of o in [b, end) that may be
// a pointer, or 0 if there is none.
//
//go:nowritebarrierrec
func (o *refsObject) lastPointer(b, end uintptr) (last uintptr) {
	tp := o.mspan().typePointersOfUnchecked(o.base)
	if b > tp.addr {
		tp = tp.fastForward(b-tp.addr, end)
	}
	for {
		var addr uintptr
		if tp, addr = tp.nextFast(); addr == 0 {
			if tp, addr = tp.next(end); addr == 0 {
				return last
			}
		}
		last = addr
	}
}

// refsCountScan counts scan work of an object at node, from whose references it
// is scanned. An object without a word has counted its work when it was claimed
// (see countWork), because the node is not known any more.
//
//go:nowritebarrierrec
func refsCountScan(node uint32, bytes int64) {
	if node == refs.NodeNoMemory|refs.Lost {
		refsRecording.scanAgain.Add(bytes)
	} else {
		refsPaths.CountScan(node, bytes)
	}
}

// countWork counts the scan work of o, which has no word and has just been
// claimed at node n. The program may add objects to a user arena before it is
// scanned.
//
//go:nowritebarrierrec
func (o *refsObject) countWork(n uint32) {
	work := int64(o.scanWork())
	refsPaths.CountScan(n, work)
	refsRecording.scanAgain.Add(-work)
}

// refsNotMarkedWork counts the scan work of the object at base in span s, which
// has been scanned for its finalizer.
//
//go:nowritebarrierrec
func refsNotMarkedWork(s *mspan, base uintptr) {
	var o refsObject
	o.fromSpan(base, s, s.objIndex(base))
	refsRecording.scanAgain.Add(int64(o.obletWork(base)))
}
