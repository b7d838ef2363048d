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
	key := refsKey{kind: profilerecord.RefsTimer, off: rp.timers.function(t)}
	if typ := refsTimeTimer(); o.fits(typ.Size_) {
		key.typ = uintptr(unsafe.Pointer(typ))
	} else if typ := refsPointee((*timer)(nil)); o.fits(typ.Size_) { // a sleeping goroutine's
		key.typ = uintptr(unsafe.Pointer(typ))
	}
	rp.take(gcw, o, rp.timers.find(&key), true)
}

// refsTimeTimer returns the type of timers of package time.
func refsTimeTimer() *_type {
	return refsPointee((*timeTimer)(nil))
}

// refsTimers remembers of the timer that its P has met last what is the same for most.
type refsTimers struct {
	run   uintptr // program counter of the function that the timer runs
	calls refsTimerCalls
	key   refsKey
	node  uint32 // for key
}

// refsTimerCalls is what the function that a timer runs does.
type refsTimerCalls uint8

const (
	refsTimerCallsItself   refsTimerCalls = iota // what it shall
	refsTimerCallsArgument                       // time.AfterFunc's
	refsTimerSends
)

// find returns the node of a timer's key.
//
//go:nowritebarrierrec
func (ts *refsTimers) find(key *refsKey) uint32 {
	if ts.node == 0 || ts.key != *key {
		ts.key, ts.node = *key, refs.nodes.find(key)
	}
	return ts.node
}

// function returns the program counter of the function that t is for, or 0 if t sends on
// a channel. t may change meanwhile.
//
//go:nowritebarrierrec
func (ts *refsTimers) function(t *timer) uintptr {
	f := *(**funcval)(unsafe.Pointer(&t.f))
	if f == nil {
		return 0
	}
	if f.fn != ts.run {
		ts.run, ts.calls = f.fn, refsTimerCallsOf(f.fn)
	}
	switch ts.calls {
	case refsTimerSends:
		return 0
	case refsTimerCallsArgument:
		if arg := *(*eface)(unsafe.Pointer(&t.arg)); arg._type != nil && arg._type.Kind() == abi.Func && arg.data != nil {
			return (*funcval)(arg.data).fn
		}
	}
	return f.fn
}

// refsTimerCallsOf returns what the function at pc does, which is package time's if it is
// one of the other two.
//
//go:nowritebarrierrec
func refsTimerCallsOf(pc uintptr) refsTimerCalls {
	switch funcname(findfunc(pc)) {
	case "time.sendTime":
		return refsTimerSends
	case "time.goFunc":
		return refsTimerCallsArgument
	}
	return refsTimerCallsItself
}
