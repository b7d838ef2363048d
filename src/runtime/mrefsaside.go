// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Write barrier buffers of Ps that run no code.
//
// gcMarkDone flushes the buffers of all Ps. Those of idle Ps, and of Ps that
// are handed off, are flushed with sched.lock held. To follow their pointers, a
// recording may map memory, and the whole scheduler would wait for the system.
// Therefore the pointers are set aside, and gcMarkDone follows them when all
// buffers are flushed, before it decides whether marking has ended.

package runtime

import (
	"internal/goarch"
	"unsafe"
)

// refsSetAside empties pp's write barrier buffer if pp is not the M's P and
// references are recorded. gcMarkDone calls it through forEachP, before it
// flushes the buffer.
//
//go:nowritebarrierrec
//go:systemstack
func refsSetAside(pp *p) {
	if !refsRecording.on || getg().m.p.ptr() == pp {
		return
	}
	aside := &refsOf(pp.id).aside
	aside.n = (pp.wbBuf.next - uintptr(unsafe.Pointer(&pp.wbBuf.buf))) / goarch.PtrSize
	copy(aside.ptrs[:], pp.wbBuf.buf[:aside.n])
	pp.wbBuf.reset()
}

// refsFollowAside follows the pointers that refsSetAside has set aside.
// gcMarkDone calls it after forEachP. If objects are queued, refsFollowAside
// counts this P in gcMarkDoneFlushed, as gcMarkDone does.
func refsFollowAside() {
	if !refsRecording.on {
		return
	}
	was := getg().setRecording(true)
	systemstack(func() {
		gcw := &getg().m.p.ptr().gcw
		for id := range refsPs.n {
			aside := &refsOf(id).aside
			for _, ptr := range aside.ptrs[:aside.n] {
				refsFlush(ptr, gcw)
			}
			aside.n = 0
		}
		gcw.dispose()
		if gcw.flushedWork {
			gcMarkDoneFlushed++
			gcw.flushedWork = false
		}
	})
	getg().setRecording(was)
}
