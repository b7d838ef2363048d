// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Timers as roots of a stage: what they run, and what that holds.
//
// Timers are in heaps of the Ps, which change while they are read. They are read
// under their lock, a batch at a time, and followed without it. A timer that is
// moved or added meanwhile may be missed, and is then found in the heap itself.

package runtime

import (
	"internal/abi"
	"internal/profilerecord"
	"unsafe"
)

const refsTimersPerJob = 1024

// refsTimerJobs returns the number of root jobs for timers, which is as many for each P.
func refsTimerJobs() uint32 {
	most := uint32(0)
	for _, pp := range allp {
		most = max(most, pp.timers.len.Load())
	}
	return (most + refsTimersPerJob - 1) / refsTimersPerJob * uint32(len(allp))
}

// refsMarkTimers follows the references to some of the timers that are waiting.
//
//go:nowritebarrier
func refsMarkTimers(rp *refsP, gcw *gcWork, job uint32) {
	nps := uint32(len(allp))
	ts := &allp[job%nps].timers
	from := int(job / nps * refsTimersPerJob)
	var batch [64]uintptr
	for end := from + refsTimersPerJob; from < end; from += len(batch) {
		n := ts.copyTimers(batch[:], from)
		for i := range n {
			refsMarkTimer(rp, gcw, (*timer)(unsafe.Pointer(batch[i])))
		}
		if n < len(batch) {
			break
		}
	}
}

// copyTimers copies the addresses of timers in ts, from the given one on, to dst.
//
//go:nowritebarrierrec
func (ts *timers) copyTimers(dst []uintptr, from int) (n int) {
	lock(&ts.mu)
	for from+n < len(ts.heap) && n < len(dst) {
		dst[n] = uintptr(unsafe.Pointer(ts.heap[from+n].timer))
		n++
	}
	unlock(&ts.mu)
	return n
}

// refsMarkTimer follows the reference to t.
//
//go:nowritebarrierrec
func refsMarkTimer(rp *refsP, gcw *gcWork, t *timer) {
	o := &rp.object
	if !refsFind(uintptr(unsafe.Pointer(t)), o) || !o.claimable() {
		return
	}
	key := refsKey{kind: profilerecord.RefsTimer, off: refsTimerFunc(t)}
	if typ := refsTimeTimer(); o.fits(typ.Size_) {
		key.typ = uintptr(unsafe.Pointer(typ))
	} else if typ := refsPointee((*timer)(nil)); o.fits(typ.Size_) { // a sleeping goroutine's
		key.typ = uintptr(unsafe.Pointer(typ))
	}
	rp.take(gcw, o, refs.nodes.find(&key), true)
}

// refsTimeTimer returns the type of timers of package time.
func refsTimeTimer() *_type {
	return refsPointee((*timeTimer)(nil))
}

// refsTimerFunc returns the program counter of the function that t runs, or 0 if t
// sends on a channel. t may change meanwhile.
//
//go:nowritebarrierrec
func refsTimerFunc(t *timer) uintptr {
	f := *(**funcval)(unsafe.Pointer(&t.f))
	if f == nil {
		return 0
	}
	switch funcname(findfunc(f.fn)) {
	case "time.sendTime":
		return 0
	case "time.goFunc":
		if arg := *(*eface)(unsafe.Pointer(&t.arg)); arg._type != nil && arg._type.Kind() == abi.Func && arg.data != nil {
			return (*funcval)(arg.data).fn
		}
	}
	return f.fn
}
