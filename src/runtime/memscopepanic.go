// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Panics of goroutines that have crossed a limit of a memory scope.
//
// The runtime may allocate while it grows a map or holds the lock of a channel,
// and a panic there would leave a broken state. Therefore the panic takes the
// place of a later call in the code of the program. The called function enters
// newstack before it has done anything, and the goroutine continues as if the
// caller had called memscopePanic instead.
//
// The code of the program is, with few exceptions, all code that is not of the
// standard library (abi.FuncFlagProgram, set by the linker: see
// cmd/link/internal/ld/programfuncs.go). The standard library may hold locks
// that nothing would release after a panic. If the library, apart from the
// runtime and package sync, calls a function of the program, the panic may take
// the place of that call, as if the called function had panicked.
//
// A panic does not take the place of calls that must not be lost: calls that go
// and defer statements need, calls of the runtime's functions for panics and
// defers, calls of deferred functions, calls that some deferred functions make
// (see isDeferring), and calls that may unlock something (see mayUnlock). Nor
// does it take the place of calls in code that was inlined from a package of
// the library that may hold locks (see mayPanicInlined). A panic does not begin
// while the goroutine is panicking or is in Goexit, or while it runs Go code
// that C code has called. If a goroutine is not at a suitable call when it
// enters newstack, it goes on, unless it is to be preempted for another reason.
// It is asked again to stop for the panic at its next allocation, when it
// resumes after it was preempted or blocked, and by sysmon.
//
// A program usually cannot recover a panic of a goroutine that the library has
// started for itself, and may not know that the goroutine is in the scope. Such
// a goroutine does not panic unless it calls memscope.Run itself.
//
// g.memscopePanic has the state of the goroutine's panic. newproc1 may set it
// for a new goroutine. After that, only the goroutine, and newstack and the
// scheduler on its M, change it.

package runtime

import (
	"internal/abi"
	"internal/bytealg"
	"internal/goarch"
	"internal/runtime/atomic"
	"internal/stringslite"
	"unsafe"
)

// States of g.memscopePanic.
const (
	memscopeNoPanic    = iota
	memscopeWanted     // is to panic
	memscopeUnsuitable // is to panic, but not at this call
	memscopeDone       // has panicked, or is not to panic
)

// memscopePanicAtStart returns the state of gp, a new goroutine. newproc1 calls
// it.
func (gp *g) memscopePanicAtStart() uint8 {
	if gp.memscope == nil {
		return memscopeNoPanic
	}
	return memscopeWork.atStart(gp)
}

// panicAtStart is memscopePanicAtStart for a goroutine in a scope. It returns
// memscopeDone if gp begins with a function of the standard library: the
// library is taken to have started gp for itself. There are two exceptions,
// because sync.WaitGroup.Go and iter.Pull call functions of the program.
func (gp *g) panicAtStart() uint8 {
	f := findfunc(gp.startpc)
	if f.valid() && f.flag&abi.FuncFlagProgram == 0 {
		if name := funcname(f); !stringslite.HasPrefix(name, "sync.(*WaitGroup).Go.") && name != "runtime.corostart" {
			return memscopeDone
		}
	}
	return memscopeNoPanic
}

// wantMemscopePanic makes the goroutine panic at the next suitable call, unless
// it has panicked since it entered its scope or is not to panic (memscopeDone).
func wantMemscopePanic() {
	gp := getg()
	if gp.memscopePanic == memscopeDone {
		return
	}
	gp.memscopePanic = memscopeWanted
	gp.preempt = true // makes releasem, which mallocgc calls, set the stack guard
}

// memscopeResumed is called when gp is about to run: when it is new, or was
// preempted, blocked or stopped at an unsuitable call. If gp is to panic,
// memscopeResumed makes gp stop at its next call. If gp has stopped at an
// unsuitable call, gp has not made that call yet, and would stop at the same
// call again. In this case memscopeResumed makes gp stop at a call after its
// next releasem.
//
//go:nowritebarrierrec
func memscopeResumed(gp *g) {
	switch gp.memscopePanic {
	case memscopeWanted:
		gp.preempt = true
		gp.stackguard0 = stackPreempt
	case memscopeUnsuitable:
		gp.memscopePanic = memscopeWanted
		gp.preempt = true
	}
}

// memscopeStopped is called by newstack when gp has stopped in a function's
// prologue to be preempted. callerpc is the PC to which the function will
// return. If gp is to panic and this is a suitable call, memscopeStopped makes
// gp go on with the panic after the preemption. If gp is to panic and the call
// is not suitable, memscopeStopped makes gp go on with the call at once, and
// returns only if gp is also to be preempted for another reason.
func memscopeStopped(gp *g, callerpc uintptr) {
	if gp.memscopePanic == memscopeWanted {
		memscopeWork.stopped(gp, callerpc)
	}
}

// stopForMemscope is memscopeStopped for a goroutine that is to panic.
//
//go:nowritebarrierrec
func (gp *g) stopForMemscope(callerpc uintptr) {
	if gp.overMemscopeLimit() == nil || gp._panic != nil || gp.m.ncgo > 0 || !mayPanicInstead(gp, callerpc) {
		gp.memscopePanic = memscopeUnsuitable
		memscopeAsk.Store(1)
		if isHeapTriggerTest(gp.sched.pc, callerpc) {
			gp.sched.pc = abi.FuncPCABIInternal(memscopeHeapTriggerTest)
		}
		gp.resumeUnlessPreempted()
		return
	}
	gp.memscopePanic = memscopeDone
	gp.sched.pc = abi.FuncPCABIInternal(memscopePanic)
}

// resumeUnlessPreempted makes gp, which has stopped in newstack, go on with the
// call at which it has stopped. If gp is also to be preempted for another
// reason than its panic, resumeUnlessPreempted returns instead. A goroutine
// that gave up its P at each unsuitable call would starve beside others that
// keep theirs for a time slice.
//
//go:nowritebarrierrec
func (gp *g) resumeUnlessPreempted() {
	gp.preempt = false
	gp.stackguard0 = gp.stack.lo + stackGuard
	// A preemption request that these lines have undone is seen below. A
	// request that is being made at this moment may be missed, but sysmon,
	// and code that waits for gp to stop, make their requests again.
	if gp.preemptStop || gp.m.p.ptr().preemptRequested() {
		return
	}
	memscopeResumed(gp)
	gogo(&gp.sched)
}

// preemptRequested reports whether the goroutine that runs on pp is to give up
// pp. If there is no asynchronous preemption, the runtime does not note which
// goroutines exceed their time slices, and preemptRequested reports true.
func (pp *p) preemptRequested() bool {
	return pp.preempt || pp.runSafePointFn != 0 || sched.gcwaiting.Load() || !preemptMSupported || debug.asyncpreemptoff != 0
}

// isHeapTriggerTest reports whether the function with pc is the method test of
// gcTrigger, called by a function whose name begins with mallocgc. All such
// calls test for gcTriggerHeap.
func isHeapTriggerTest(pc, callerpc uintptr) bool {
	return funcname(findfunc(pc)) == "runtime.gcTrigger.test" &&
		stringslite.HasPrefix(funcname(findfunc(callerpc)), "runtime.mallocgc")
}

// memscopeHeapTriggerTest runs as if the caller of gcTrigger.test had called it
// in place of test (see isHeapTriggerTest). When mallocgc has taken a span for
// an object, test is the first function that it calls after profilealloc has
// asked the goroutine to stop. The goroutine stops there, at a call that is not
// suitable, and might not stop again before its next allocation. Therefore
// memscopeHeapTriggerTest asks the goroutine again after test. The type of
// memscopeHeapTriggerTest is that of test, so that the result is where the
// caller expects it. The value of the argument is lost if it was in registers.
func memscopeHeapTriggerTest(gcTrigger) bool {
	start := gcTrigger{kind: gcTriggerHeap}.test()
	releasem(acquirem()) // stops the goroutine at its next call, because of memscopeResumed
	return start
}

// memscopePanic panics. It runs as if it had been called in place of the
// function in whose prologue the goroutine has stopped.
func memscopePanic() {
	panic(memscopeWatcher.newError(getg().overMemscopeLimit().owner))
}

// overMemscopeLimit returns the innermost scope of gp that panics and is over a
// limit, or nil if there is none.
func (gp *g) overMemscopeLimit() *memscope {
	for s := gp.memscope; s != nil; s = s.parent {
		if s.panics && s.crossing != nil && s.crossing.state.Load() == memscopeRecorded {
			return s
		}
	}
	return nil
}

// memscopeAsk is 1 if sysmon is to look for running goroutines that are to
// panic.
var memscopeAsk atomic.Uint32

// memscopeHurry is the number of successive rounds in which sysmon sleeps for
// its shortest time, in order to ask again. A goroutine that has had no
// suitable call by then may never have one. sysmon continues to ask it in later
// rounds, at their usual intervals.
const memscopeHurry = 50

// memscopeHurried is the number of rounds in a row in which goroutines were
// asked, up to memscopeHurry+1. Only sysmon uses it.
var memscopeHurried memscopeRounds

type memscopeRounds int

// hurry counts a round, and reports whether the next round is to follow soon.
// asked is set if the round has asked a goroutine.
//
//go:nowritebarrierrec
func (n *memscopeRounds) hurry(asked bool) bool {
	if !asked {
		*n = 0
		return false
	}
	*n = min(*n+1, memscopeHurry+1)
	return *n <= memscopeHurry
}

// memscopeAskAgain asks running goroutines that are to panic to stop at their
// next call. sysmon calls it. It reports whether it is to be called again soon.
//
//go:nowritebarrierrec
func memscopeAskAgain() bool {
	return memscopeHurried.hurry(memscopeAsk.Load() != 0 && memscopeWork.askRunning())
}

// askMemscopePanics asks running goroutines that are to panic, and reports
// whether there were any.
//
//go:nowritebarrierrec
func askMemscopePanics() (asked bool) {
	memscopeAsk.Store(0)
	lock(&allpLock)
	for _, pp := range allp {
		mp := pp.m.ptr()
		if mp == nil || pp.status != _Prunning {
			continue
		}
		if gp := mp.curg; gp != nil && gp != mp.g0 && gp.memscopePanic == memscopeWanted {
			gp.preempt = true
			gp.stackguard0 = stackPreempt
			asked = true
		}
	}
	unlock(&allpLock)
	if asked {
		memscopeAsk.Store(1)
	}
	return asked
}

// mayPanicInstead reports whether a panic may take the place of the call of the
// function that gp is in. That function has done nothing yet and will return to
// callerpc.
func mayPanicInstead(gp *g, callerpc uintptr) bool {
	callee, caller := findfunc(gp.sched.pc), findfunc(callerpc)
	if !callee.valid() || !caller.valid() {
		return false
	}
	name := funcname(caller)
	if caller.flag&abi.FuncFlagProgram == 0 {
		// The runtime calls deferred functions, and compares keys of a
		// map while it writes to the map. Package sync unlocks Lockers.
		if callee.flag&abi.FuncFlagProgram == 0 || isRuntime(name) || isSync(name) {
			return false
		}
	} else {
		// An unsafe point may belong to a go or defer statement, which
		// must not be lost: see cmd/compile/internal/ssagen/statementcalls.go.
		if isPanicOrDefer(callee) || mayUnlock(funcname(callee)) ||
			pcdatavalue(caller, abi.PCDATA_UnsafePoint, callerpc-1) == abi.UnsafePointUnsafe {
			return false
		}
		u, uf := newInlineUnwinder(caller, callerpc-1)
		for ; u.isInlined(uf); uf = u.next(uf) {
			if !mayPanicInlined(u.srcFunc(uf).name(), memscopePackage(name)) {
				return false
			}
		}
	}
	return !isDeferring(gp, callee, callerpc)
}

// isRuntime reports whether the function with that name is of the runtime.
func isRuntime(name string) bool {
	return stringslite.HasPrefix(name, "runtime.") || stringslite.HasPrefix(name, "internal/runtime/")
}

// isSync reports whether the function with that name is of package sync or
// internal/sync.
func isSync(name string) bool {
	return stringslite.HasPrefix(name, "sync.") || stringslite.HasPrefix(name, "internal/sync.")
}

// isConcurrentMap reports whether the function with that name is a method of
// sync.Map or of the type that implements it.
func isConcurrentMap(name string) bool {
	return stringslite.HasPrefix(name, "sync.(*Map).") || stringslite.HasPrefix(name, "internal/sync.(*HashTrieMap[")
}

// mayUnlock reports whether a call of the function with that name may unlock
// something or end the wait of a goroutine.
func mayUnlock(name string) bool { return isSync(name) && !isConcurrentMap(name) }

// mayPanicInlined reports whether a panic may take the place of a call by the
// function with that name. The function was inlined into a function of the
// program, of package pkg. If it is of the standard library, it must be a
// method of sync.Map, or its package must be known to hold no locks during the
// calls that inlined functions make.
func mayPanicInlined(name, pkg string) bool {
	switch inlined := memscopePackage(name); inlined {
	case pkg, "bufio", "bytes", "encoding/base64", "encoding/hex", "encoding/json", "errors", "fmt", "io", "maps",
		"path", "path/filepath", "regexp", "slices", "sort", "strconv", "strings":
		return true
	default:
		return !mayBeStd(inlined) || stringslite.HasPrefix(name, "sync.(*Map).")
	}
}

// mayBeStd reports whether the path of package pkg has the same first element
// as the path of a package of the standard library.
func mayBeStd(pkg string) bool {
	if slash := bytealg.IndexByteString(pkg, '/'); slash >= 0 {
		pkg = pkg[:slash]
	}
	switch pkg {
	case "archive", "arena", "bufio", "builtin", "bytes", "cmp", "compress", "container", "context", "crypto", "database", "debug", "embed",
		"encoding", "errors", "expvar", "flag", "fmt", "go", "hash", "html", "image", "index", "internal", "io", "iter", "log",
		"maps", "math", "mime", "net", "os", "path", "plugin", "reflect", "regexp", "runtime", "simd", "slices", "sort", "strconv",
		"strings", "structs", "sync", "syscall", "testing", "text", "time", "unicode", "unique", "unsafe", "uuid", "vendor", "weak":
		return true
	}
	return false
}

// isDeferring reports whether the call of callee that returns to callerpc may
// be the call of a deferred function, or may be made by a deferred function.
// For the call of callee itself, mayBeDeferred decides. The function F that
// calls callee is taken for a deferred function in three cases: one of the
// functions of isPanicOrDefer has called F; F is a closure of its caller, and
// mayBeDeferred holds for the call of F; or the wrapper of a defer statement
// has called F, and F is a closure of the function with that statement.
// isDeferring also reports true if the frame that calls callee cannot be found.
func isDeferring(gp *g, callee funcInfo, callerpc uintptr) bool {
	sp := gp.sched.sp
	if !usesLR {
		sp += goarch.PtrSize // the return address
	}
	var u unwinder
	u.initAt(callerpc, sp, 0, gp, unwindSilentErrors)
	if !u.valid() || mayBeDeferred(callee, &u.frame) {
		return true
	}
	caller := u.frame.fn
	u.next()
	if !u.valid() {
		return false
	}
	if isPanicOrDefer(u.frame.fn) {
		return true
	}
	outer := funcname(u.frame.fn)
	if i := stringslite.Index(outer, ".deferwrap"); i >= 0 { // the wrapper of a defer statement in outer
		outer = outer[:i]
	}
	return isClosureOf(funcname(caller), outer) && mayBeDeferred(caller, &u.frame)
}

// mayBeDeferred reports whether a call of callee by the function of frame may
// be the call of a deferred function. A function with open-coded defers calls
// deferred functions where it returns. These are functions of the program,
// closures included, or functions without parameters. If a function is deferred
// with arguments, a wrapper calls it.
func mayBeDeferred(callee funcInfo, frame *stkframe) bool {
	return frame.fn.funcID == abi.FuncIDWrapper ||
		(callee.flag&abi.FuncFlagProgram != 0 || callee.args <= 0) && frame.mayRunOpenDefers()
}

// mayRunOpenDefers reports whether the function of the frame has open-coded
// defers and may be returning. Where it returns, it clears the bit of each
// defer statement before it calls the deferred function, beginning with the
// last statement. So it is not returning if the last statement's bit is set.
func (frame *stkframe) mayRunOpenDefers() bool {
	fd := funcdata(frame.fn, abi.FUNCDATA_OpenCodedDeferInfo)
	if fd == nil {
		return false
	}
	info := (*[3 * 5]byte)(fd)[:] // three varints of 32 bits
	n, bitsOffset := readvarint(info)
	info = info[n:]
	n, _ = readvarint(info) // offset of the closure slots
	_, statements := readvarint(info[n:])
	bits := *(*uint8)(unsafe.Pointer(frame.varp - uintptr(bitsOffset)))
	return bits>>(statements-1)&1 == 0
}

// isClosureOf reports whether a function with that name is a closure of the
// function named outer.
func isClosureOf(name, outer string) bool {
	return len(name) > len(outer) && name[len(outer)] == '.' && name[:len(outer)] == outer
}

// isPanicOrDefer reports whether f is Goexit or one of the runtime's functions
// for panics and defers.
func isPanicOrDefer(f funcInfo) bool {
	switch f.funcID {
	case abi.FuncID_gopanic, abi.FuncID_panicwrap, abi.FuncID_sigpanic:
		return true
	}
	name := funcname(f)
	for _, prefix := range []string{"runtime.panic", "runtime.goPanic", "runtime.defer", "runtime.gorecover", "runtime.Goexit"} {
		if stringslite.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// memscopePackage returns the package of the function with that name. Unlike
// funcpkgpath, it does not allocate.
func memscopePackage(name string) string {
	slash := 0
	for i := 0; i < len(name) && name[i] != '['; i++ {
		if name[i] == '/' {
			slash = i
		}
	}
	if dot := bytealg.IndexByteString(name[slash:], '.'); dot >= 0 {
		return name[:slash+dot]
	}
	return name
}
