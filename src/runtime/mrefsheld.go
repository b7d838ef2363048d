// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Lists of objects that are held back (mrefsclaim.go), in work buffers: a partial
// one a P, and full ones on a lock-free stack. Draining a list is one root job a
// buffer, in the stage that begins when the list is complete.

package runtime

import "internal/runtime/atomic"

// refsHeldList is the full buffers of a list. Any P may push and pop.
type refsHeldList struct {
	full lfstack
	n    atomic.Uint64 // buffers in full; of 64 bits so that full is aligned to that
}

// put puts the object at base into a P's buffer, which it makes or replaces.
//
//go:nowritebarrierrec
func (l *refsHeldList) put(buf **workbuf, base uintptr) {
	b := *buf
	if b == nil || b.nobj == len(b.obj) {
		l.flush(buf)
		b = getempty()
		*buf = b
	}
	b.obj[b.nobj] = base
	b.nobj++
}

// flush puts a P's buffer on the list.
//
//go:nowritebarrierrec
func (l *refsHeldList) flush(buf **workbuf) {
	b := *buf
	if b == nil {
		return
	}
	*buf = nil
	if b.nobj == 0 {
		putempty(b)
		return
	}
	l.full.push(&b.node)
	l.n.Add(1)
}

// drainOne takes a buffer and releases the objects in it that are still held.
//
//go:nowritebarrierrec
func (l *refsHeldList) drainOne(rp *refsP, gcw *gcWork) {
	b := (*workbuf)(l.full.pop())
	if b == nil {
		return
	}
	l.n.Add(-1)
	for _, base := range b.obj[:b.nobj] {
		rp.release(gcw, base)
	}
	b.nobj = 0
	putempty(b)
}
