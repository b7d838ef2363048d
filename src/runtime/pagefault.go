// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build linux && !android && (386 || amd64 || arm64 || loong64 || ppc64le || riscv64)

// The page fault profile: the code that touches memory that has no page yet.
//
// While a profile is on, each thread that runs Go has two events of the kernel,
// one for minor and one for major faults (pagefault_linux.go). The kernel
// counts the thread's faults. At some of them, at most about pageFaultHz a
// second for each event, it sends the thread a SIGPROF. The signal's handler
// reads the event's count and writes a record: the stack, the goroutine's
// labels, and the number of faults since a handler last read the count. Each
// fault is therefore in at most one record, no matter how many faults a signal
// stands for and whether signals were merged. When the profile stops, the
// faults that are in no record are reported separately: those after the last
// signal of an event, those of records that were lost, those for which there
// was no Go stack, and those that no event has counted
// (pagefault_linux.go).
//
// The CPU profile also uses SIGPROF. Its signals come from timers, and signals
// of events come from descriptors; si_code distinguishes them. A signal of a
// descriptor that is not one of ours is left to the CPU profile. An event's
// pending signal never makes the kernel drop a signal of the CPU profile:
// signals of a thread's timer are queued even if another SIGPROF is pending,
// and signals of the process's timer wait in another queue. The kernel drops an
// event's signal if another SIGPROF of the thread is pending. The event's next
// signal then also stands for the faults of the dropped one.
//
// runtime/pprof starts, reads and stops the profile. A thread opens its events
// in minit and closes them in unminit (os_linux.go). The goroutine that starts
// the profile opens the events of threads that exist already. The goroutine
// that stops the profile closes all events that are still open. sighandler
// calls pageFaultSample, and sigtrampgo calls skipPageFaultsInC.

package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// pageFaultHz is the number of signals that the kernel aims to send for each
// event of a thread, per second of the thread's time. On virtual machines, a
// signal costs far more in the kernel than in the handler, because the
// interrupt that sends it goes through the hypervisor (see doc/bench.md).
const pageFaultHz = 1000

// The kinds of faults. runtime/pprof relies on these numbers.
const (
	pageFaultMinor = iota // resolved in memory
	pageFaultMajor        // waited for a read from disk or swap
	pageFaultKinds
)

// pageFaultRecordHeader is the number of words in a record's header: the kind
// and the number of faults.
const pageFaultRecordHeader = 2

// A pageFaultProfile is the state of the one profile that can be on.
//
// MUST: an event is closed only by its own thread, or before it can send
// signals, or after on was set to false and signalLock was then acquired once.
// Without this, a handler might read a descriptor that has been closed and
// reused.
//
// MUST: code outside of a signal handler sets on to false before it takes
// signalLock. Without this, the handler of a fault on the same thread would
// wait for signalLock forever.
type pageFaultProfile struct {
	// lock protects the fields down to unobserved, and the opening and
	// closing of events. It is a leaf lock, is taken on system stacks, and
	// is held during some system calls for each thread.
	lock       mutex
	watching   bool   // threads that start are to open events
	userOnly   bool   // the kernel permits counting faults of user mode only
	period     uint64 // number of faults for each signal of an event, or 0 for pageFaultHz signals a second
	counted    [pageFaultKinds]uint64
	unobserved int // number of threads that have started without events

	before [pageFaultKinds]uintptr // processPageFaults when the profile began

	// on is set while log takes records. Handlers check it before they wait
	// for signalLock, and again when they hold it.
	on atomic.Bool
	// Handlers hold signalLock while they read the count of an event and
	// write to log.
	signalLock atomic.Uint32
	// pprof_startPageFaults sets log before it sets on.
	// pprof_readPageFaults clears log at the end, and pprof_startPageFaults
	// clears it on failure.
	log *profBuf

	// started is 1 from the first start of a profile on. A thread adds to it
	// after it has set or cleared its M's procid, and pprof_startPageFaults
	// swaps it before it reads procids. Therefore the thread sees that there
	// is something to do, or openSome sees the thread's procid.
	started atomic.Uint32
}

var pageFaults pageFaultProfile

// pageFaultWork has the functions that threads call if they start while a
// profile is on or if they have events. Only pprof_startPageFaults sets it.
// Therefore the linker leaves these functions out of programs that cannot
// request a profile.
var pageFaultWork struct {
	open   func(*pageFaultProfile, *m) (what string, errno uintptr)
	close  func(*pageFaultProfile, *m)
	sample func(kind int, pc, sp, lr uintptr, gp *g, mp *m)
}

// mPageFaults has the events of a thread. Their fields are written under
// pageFaults.lock. The thread's signal handler also writes seen, under
// signalLock, and signalDue, without a lock.
type mPageFaults [pageFaultKinds]pageFaultEvent

type pageFaultEvent struct {
	open      atomic.Bool
	signalDue atomic.Bool // the event is closed, and one more signal of it may come
	fd        int32
	seen      uint64 // number of faults that take has returned so far
}

// pprof_startPageFaults starts a profile. The kernel sends a signal each time
// that one event has counted period more faults. If period is 0, it sends at
// most about pageFaultHz signals a second for each event. If
// pprof_startPageFaults fails, it returns either the name and the error of the
// system call that failed, or a reason and 0.
//
//go:linkname pprof_startPageFaults runtime/pprof.runtime_startPageFaults
func pprof_startPageFaults(period uint64) (what string, errno uintptr) {
	if isarchive || islibrary {
		// SIGPROF belongs to the C program.
		return "not supported with -buildmode=c-archive or c-shared", 0
	}
	pageFaultWork.open = (*pageFaultProfile).open
	pageFaultWork.close = (*pageFaultProfile).close
	pageFaultWork.sample = pageFaultWriteSample
	p := &pageFaults
	p.started.Swap(1)
	p.log = newProfBuf(pageFaultRecordHeader, profBufWordCount, profBufTagCount)
	// Touch the buffers now, because a handler's faults would count for the
	// code that it interrupts.
	clear(p.log.data)
	clear(p.log.tags)
	p.before = processPageFaults()
	p.on.Store(true)
	systemstack(func() {
		lock(&p.lock)
		p.watching = true
		p.userOnly = false
		p.period = period
		p.counted = [pageFaultKinds]uint64{}
		p.unobserved = 0
		unlock(&p.lock)
	})
	for more := true; more; {
		systemstack(func() {
			lock(&p.lock)
			what, errno, more = p.openSome()
			unlock(&p.lock)
		})
		Gosched()
	}
	if errno != 0 {
		p.stop()
		p.log = nil
	}
	return what, errno
}

// pprof_stopPageFaults stops the profile. It returns the number of faults of
// each kind that the kernel has counted for the process, the number of threads
// that were not observed, and whether the kernel did not permit events to count
// faults of kernel mode.
//
//go:linkname pprof_stopPageFaults runtime/pprof.runtime_stopPageFaults
func pprof_stopPageFaults() (counted [pageFaultKinds]uint64, unobserved int, userOnly bool) {
	p := &pageFaults
	p.stop()
	p.countOthers()
	p.log.close()
	return p.counted, p.unobserved, p.userOnly
}

// pprof_readPageFaults returns the next records, as runtime_pprof_readProfile
// does.
//
//go:linkname pprof_readPageFaults runtime/pprof.runtime_readPageFaults
func pprof_readPageFaults() ([]uint64, []unsafe.Pointer, bool) {
	p := &pageFaults
	data, tags, eof := p.log.read(profBufBlocking)
	if len(data) == 0 && eof {
		p.log = nil
	}
	return data, tags, eof
}

// pageFaultBatch is the number of threads whose events are opened or closed at
// a time. While a batch is opened or closed, the goroutine keeps its P, so the
// world cannot be stopped, and threads that start or exit wait.
const pageFaultBatch = 16

// openSome opens events for some threads and reports whether there may be more
// such threads. The caller holds p.lock. A thread whose procid is 0 has left,
// or has not yet come to minit, where it opens its events itself.
func (p *pageFaultProfile) openSome() (what string, errno uintptr, more bool) {
	n := 0
	for mp := firstM(); mp != nil; mp = mp.alllink {
		if mp.procid == 0 || mp.pageFaults.allOpen() {
			continue
		}
		if n == pageFaultBatch {
			return "", 0, true
		}
		what, errno = p.open(mp)
		if errno == _ESRCH {
			continue
		}
		if errno != 0 {
			return what, errno, false
		}
		n++
	}
	return "", 0, false
}

// closeSome closes the events of some threads and reports whether there may be
// more such threads. The caller holds p.lock.
func (p *pageFaultProfile) closeSome() (more bool) {
	n := 0
	for mp := firstM(); mp != nil; mp = mp.alllink {
		if !mp.pageFaults.anyOpen() {
			continue
		}
		if n == pageFaultBatch {
			return true
		}
		p.close(mp)
		n++
	}
	return false
}

// firstM returns the head of the list of all Ms, for walks without sched.lock.
// An exiting thread waits for pageFaults.lock before its M is taken off the
// list. Therefore a walk under that lock finds every M that has open events.
func firstM() *m {
	return (*m)(atomic.Loadp(unsafe.Pointer(&allm)))
}

// stop prevents threads from opening events and handlers from writing records.
// It waits for a handler that is writing a record, and closes all events.
func (p *pageFaultProfile) stop() {
	systemstack(func() {
		lock(&p.lock)
		p.watching = false
		unlock(&p.lock)
	})
	p.on.Store(false)
	p.lockSignal()
	p.unlockSignal()
	for more := true; more; {
		systemstack(func() {
			lock(&p.lock)
			more = p.closeSome()
			unlock(&p.lock)
		})
		Gosched()
	}
}

// open opens the events of mp's thread that are not open. The caller holds
// p.lock.
//
//go:nowritebarrierrec
func (p *pageFaultProfile) open(mp *m) (what string, errno uintptr) {
	for kind := range mp.pageFaults {
		e := &mp.pageFaults[kind]
		if e.open.Load() {
			continue
		}
		attr := newPageFaultAttr(kind, p.period)
		if p.userOnly {
			attr.excludeKernel()
		}
		what, errno = e.start(&attr, mp.procid)
		if (errno == _EACCES || errno == _EPERM) && !p.userOnly {
			attr.excludeKernel()
			what, errno = e.start(&attr, mp.procid)
			p.userOnly = errno == 0
		}
		if errno != 0 {
			return what, errno
		}
	}
	return "", 0
}

// close closes the open events of mp and adds up their counts. The caller holds
// p.lock.
//
//go:nowritebarrierrec
func (p *pageFaultProfile) close(mp *m) {
	for kind := range mp.pageFaults {
		e := &mp.pageFaults[kind]
		if e.open.Load() {
			p.counted[kind] += e.finish()
		}
	}
}

// openPageFaultEvents opens the events of mp if a profile is on. A thread calls
// it when it has acquired mp.
//
//go:nowritebarrierrec
func openPageFaultEvents(mp *m) {
	p := &pageFaults
	if p.started.Add(0) == 0 {
		return
	}
	lock(&p.lock)
	if p.watching {
		if _, errno := pageFaultWork.open(p, mp); errno != 0 {
			pageFaultWork.close(p, mp) // the first of the two events may be open
			p.unobserved++
		}
	}
	unlock(&p.lock)
}

// closePageFaultEvents closes the events of mp. A thread calls it before it
// leaves mp, with signals blocked, and with mp.procid 0, so that openSome does
// not open the events again. In dropm, the bounds of g0's stack may be those of
// another stack on which the thread called Go. dropm discards them afterwards.
//
//go:nosplit
//go:nowritebarrierrec
func closePageFaultEvents(mp *m) {
	if pageFaults.started.Add(0) == 0 {
		return
	}
	callbackUpdateSystemStack(mp, sys.GetCallerSP(), true)
	pageFaults.closeLeaving(mp)
}

// closeLeaving closes the events of mp, which its thread leaves. The bounds of
// the stack are right.
//
//go:nowritebarrierrec
func (p *pageFaultProfile) closeLeaving(mp *m) {
	lock(&p.lock)
	if mp.pageFaults.anyOpen() {
		pageFaultWork.close(p, mp)
	}
	unlock(&p.lock)
}

// allOpen reports whether both events of a thread are open. anyOpen reports
// whether at least one of them is.
func (es *mPageFaults) allOpen() bool {
	return es[pageFaultMinor].open.Load() && es[pageFaultMajor].open.Load()
}

func (es *mPageFaults) anyOpen() bool {
	return es[pageFaultMinor].open.Load() || es[pageFaultMajor].open.Load()
}
