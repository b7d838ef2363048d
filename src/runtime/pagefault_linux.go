// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !android && (386 || amd64 || arm64 || loong64 || ppc64le || riscv64)

// A pageFaultEvent is a software event of perf_event_open(2) that counts the
// page faults of one kind on one thread. Through the event's descriptor, the
// kernel sends signals to the thread (fcntl(2), O_ASYNC). The event has no ring
// buffer, because the signal's context has all that a sample needs, and because
// the kernel would lock memory for each thread's buffer. pagefault.go uses
// these events.
//
// The excluded architectures emulate 64-bit atomics with locks, which a handler
// must not wait for (arm, mips), or have other numbers for the constants below
// (mips, mips64, ppc64, s390x).

package runtime

import (
	"internal/goarch"
	"internal/runtime/syscall/linux"
	"unsafe"
)

const (
	_PERF_TYPE_SOFTWARE            = 1
	_PERF_COUNT_SW_PAGE_FAULTS_MIN = 5
	_PERF_COUNT_SW_PAGE_FAULTS_MAJ = 6

	_PERF_ATTR_EXCLUDE_KERNEL = 1 << 5
	_PERF_ATTR_EXCLUDE_HV     = 1 << 6
	_PERF_ATTR_FREQ           = 1 << 10

	_PERF_FLAG_FD_CLOEXEC   = 8
	_PERF_EVENT_IOC_DISABLE = 0x2401 | goarch.IsPpc64le<<29

	_F_SETFL     = 4
	_F_SETSIG    = 10
	_F_SETOWN_EX = 15
	_F_OWNER_TID = 0
	_O_ASYNC     = 0x2000
	_POLL_IN     = 1

	_EPERM = 1
	_ESRCH = 3

	sysPerfEventOpen = goarch.Is386*336 + goarch.IsAmd64*298 + goarch.IsPpc64le*319 +
		(goarch.IsArm64+goarch.IsLoong64+goarch.IsRiscv64)*241
	sysIoctl = goarch.Is386*54 + goarch.IsAmd64*16 + goarch.IsPpc64le*54 +
		(goarch.IsArm64+goarch.IsLoong64+goarch.IsRiscv64)*29
)

const (
	pageFaultNoCPU = ^uintptr(0) // events follow their thread
	pageFaultAlone = ^uintptr(0) // events are in no group
)

// A pageFaultAttr is struct perf_event_attr in its first published size.
type pageFaultAttr struct {
	typ          uint32
	size         uint32
	config       uint64
	sample       uint64 // period, or, with _PERF_ATTR_FREQ, frequency
	sampleType   uint64
	readFormat   uint64
	flags        uint64
	wakeupEvents uint32
	bpType       uint32
	config1      uint64
}

// newPageFaultAttr returns the attributes of an event for faults of the given
// kind. period is the number of faults for each signal. If it is 0, the kernel
// adjusts the number, for about pageFaultHz signals a second. The events of
// minor and of major faults count only resolved faults. The kernel's event of
// both kinds is not used: it also counts faults that end as SIGSEGV or are
// tried again.
func newPageFaultAttr(kind int, period uint64) pageFaultAttr {
	attr := pageFaultAttr{
		typ:    _PERF_TYPE_SOFTWARE,
		config: _PERF_COUNT_SW_PAGE_FAULTS_MIN,
		sample: period,
		flags:  _PERF_ATTR_EXCLUDE_HV,
	}
	attr.size = uint32(unsafe.Sizeof(attr))
	if kind == pageFaultMajor {
		attr.config = _PERF_COUNT_SW_PAGE_FAULTS_MAJ
	}
	if period == 0 {
		attr.sample = pageFaultHz
		attr.flags |= _PERF_ATTR_FREQ
	}
	return attr
}

func (a *pageFaultAttr) excludeKernel() {
	a.flags |= _PERF_ATTR_EXCLUDE_KERNEL
}

// start opens e for the thread tid. If it fails, it returns the name and the
// error of the system call that failed.
func (e *pageFaultEvent) start(attr *pageFaultAttr, tid uint64) (what string, errno uintptr) {
	fd, _, errno := linux.Syscall6(sysPerfEventOpen, uintptr(unsafe.Pointer(attr)), uintptr(tid),
		pageFaultNoCPU, pageFaultAlone, _PERF_FLAG_FD_CLOEXEC, 0)
	if errno != 0 {
		return "perf_event_open", errno
	}
	e.fd = int32(fd)
	e.seen = 0
	e.signalDue.Store(false)
	e.open.Store(true) // must be set before the first signal
	owner := struct{ typ, tid int32 }{_F_OWNER_TID, int32(tid)}
	if errno = e.fcntl(_F_SETOWN_EX, uintptr(unsafe.Pointer(&owner))); errno == 0 {
		errno = e.fcntl(_F_SETSIG, _SIGPROF)
	}
	if errno == 0 {
		errno = e.fcntl(_F_SETFL, _O_ASYNC)
	}
	if errno != 0 {
		e.finish()
		return "fcntl", errno
	}
	return "", 0
}

func (e *pageFaultEvent) fcntl(cmd, arg uintptr) (errno uintptr) {
	_, _, errno = linux.Syscall6(linux.SYS_FCNTL, uintptr(e.fd), cmd, arg, 0, 0, 0)
	return errno
}

// disable ends counting if e is open. Closing the descriptor is not enough,
// because a child that C code has forked may still have it.
func (e *pageFaultEvent) disable() {
	if e.open.Load() {
		linux.Syscall6(sysIoctl, uintptr(e.fd), _PERF_EVENT_IOC_DISABLE, 0, 0, 0, 0)
	}
}

// finish closes e and returns the number of faults that it has counted.
func (e *pageFaultEvent) finish() uint64 {
	e.disable()
	count, _ := e.count()
	e.signalDue.Store(true)
	e.open.Store(false)
	linux.Close(int(e.fd))
	return count
}

// count returns the number of faults that e has counted so far, and whether it
// could be read.
//
//go:nosplit
//go:nowritebarrierrec
func (e *pageFaultEvent) count() (count uint64, ok bool) {
	n, _, errno := linux.Syscall6(linux.SYS_READ, uintptr(e.fd), uintptr(unsafe.Pointer(&count)), unsafe.Sizeof(count), 0, 0, 0)
	return count, errno == 0 && n == unsafe.Sizeof(count)
}

// pageFaultSignal returns the descriptor from which a SIGPROF comes. It returns
// false if the signal is from a timer or was sent by a program.
//
//go:nosplit
//go:nowritebarrierrec
func pageFaultSignal(c *sigctxt) (fd int32, ok bool) {
	if int32(c.sigcode()) != _POLL_IN {
		return 0, false
	}
	// For this si_code, si_band, a long, is in place of si_addr, and si_fd
	// follows it.
	return *(*int32)(add(unsafe.Pointer(&c.info.si_addr), goarch.PtrSize)), true
}

const (
	sysGetrusage = goarch.Is386*77 + goarch.IsAmd64*98 + goarch.IsPpc64le*77 +
		(goarch.IsArm64+goarch.IsLoong64+goarch.IsRiscv64)*165

	// Indexes in struct rusage, as an array of uintptr.
	rusageMinflt = 8
	rusageMajflt = 9
	rusageFields = 18
)

// processPageFaults returns the number of faults of each kind that all threads
// of the process have had, as getrusage(2) counts them: never fewer than the
// events, and also those of threads of C that never call Go. The numbers wrap
// around.
func processPageFaults() [pageFaultKinds]uintptr {
	var usage [rusageFields]uintptr
	linux.Syscall6(sysGetrusage, 0, uintptr(unsafe.Pointer(&usage)), 0, 0, 0, 0)
	return [pageFaultKinds]uintptr{pageFaultMinor: usage[rusageMinflt], pageFaultMajor: usage[rusageMajflt]}
}

// countOthers adds the faults that no event has counted since p.before.
func (p *pageFaultProfile) countOthers() {
	for kind, faults := range processPageFaults() {
		p.counted[kind] = max(p.counted[kind], uint64(faults-p.before[kind]))
	}
}
