// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build linux && !android && (386 || amd64 || arm64 || loong64 || ppc64le || riscv64)

// The signals of page fault events, which interrupt a thread at some of its
// faults. sighandler and sigtrampgo call this code.

package runtime

import (
	"unsafe"
)

//go:nosplit
//go:nowritebarrierrec
func (p *pageFaultProfile) lockSignal() {
	for !p.signalLock.CompareAndSwap(0, 1) {
		osyield()
	}
}

//go:nosplit
//go:nowritebarrierrec
func (p *pageFaultProfile) unlockSignal() {
	p.signalLock.Store(0)
}

// take returns the number of faults of e since the last call of take for e. It
// returns false if there are none, if they cannot be read, or if the profile
// has ended. The caller holds signalLock.
//
//go:nosplit
//go:nowritebarrierrec
func (p *pageFaultProfile) take(e *pageFaultEvent) (faults uint64, ok bool) {
	if !p.on.Load() {
		return 0, false
	}
	count, ok := e.count()
	if !ok || count == e.seen {
		return 0, false
	}
	faults = count - e.seen
	e.seen = count
	return faults, true
}

// pageFaultSample reports whether a SIGPROF that has interrupted gp on mp is
// from an event. If so, it handles the signal.
//
//go:nowritebarrierrec
func pageFaultSample(c *sigctxt, gp *g, mp *m) bool {
	fd, ok := pageFaultSignal(c)
	if !ok {
		return false
	}
	kind := mp.pageFaults.kind(fd)
	if kind < 0 {
		return mp.pageFaults.isLastSignal(fd)
	}
	if pageFaults.on.Load() {
		pageFaultWork.sample(kind, c.sigpc(), c.sigsp(), c.siglr(), gp, mp)
	}
	return true
}

// pageFaultWriteSample writes a record of the faults that pageFaultProfile.take
// returns for mp's event of the given kind.
//
//go:nowritebarrierrec
func pageFaultWriteSample(kind int, pc, sp, lr uintptr, gp *g, mp *m) {
	p := &pageFaults
	mp.mallocing++ // allocating here throws, as in sigprof
	var stk [maxCPUProfStack]uintptr
	n := sigprofStack(stk[:], pc, sp, lr, gp, mp)
	var tag *unsafe.Pointer
	if gp != nil && gp.m != nil && gp.m.curg != nil {
		tag = &gp.m.curg.labels
	}
	p.lockSignal()
	if faults, ok := p.take(&mp.pageFaults[kind]); ok {
		hdr := [pageFaultRecordHeader]uint64{uint64(kind), faults}
		// tag must point to the labels field of the interrupted
		// goroutine: see profBuf.write.
		p.log.write(tag, 0, hdr[:], stk[:n])
	}
	p.unlockSignal()
	mp.mallocing--
}

// skipPageFaultsInC reports whether a SIGPROF on a thread that runs C code
// outside of a call from Go is from an event. If so, it handles the signal.
// Because there is no Go stack, the faults get no record; they are taken so
// that the event's next record does not count them. Without a g,
// skipPageFaultsInC reports false, even for the last signal of a closed event.
// That signal then counts for the CPU profile.
//
//go:nosplit
//go:nowritebarrierrec
func skipPageFaultsInC(c *sigctxt, gp *g) bool {
	fd, ok := pageFaultSignal(c)
	if !ok || gp == nil {
		return false
	}
	kind := gp.m.pageFaults.kind(fd)
	if kind < 0 {
		return gp.m.pageFaults.isLastSignal(fd)
	}
	if p := &pageFaults; p.on.Load() {
		p.lockSignal()
		p.take(&gp.m.pageFaults[kind])
		p.unlockSignal()
	}
	return true
}

// kind returns the kind of the thread's open event with the descriptor fd, or
// -1 if there is none.
//
//go:nosplit
//go:nowritebarrierrec
func (es *mPageFaults) kind(fd int32) int {
	for kind := range es {
		if es[kind].open.Load() && es[kind].fd == fd {
			return kind
		}
	}
	return -1
}

// isLastSignal reports whether a signal from the descriptor fd may be the last one
// of a closed event. It reports true only once for an event, because other code
// may later get the same descriptor and use it for signals, too.
//
//go:nosplit
//go:nowritebarrierrec
func (es *mPageFaults) isLastSignal(fd int32) bool {
	for kind := range es {
		if e := &es[kind]; e.fd == fd && !e.open.Load() && e.signalDue.Load() {
			e.signalDue.Store(false)
			return true
		}
	}
	return false
}
