// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Panics of goroutines that have crossed a limit of a memory scope.
//
// An allocation may happen anywhere in the runtime, in a map that is being grown or
// with a channel locked, where a panic would leave a broken state. So the goroutine is
// made to panic instead of the next call that code of the program makes: newstack is
// entered by the function that is called when it has done nothing yet, and the
// goroutine goes on as if memscopePanic had been called in its place. Code of the
// program is what is not of the standard library (abi.FuncFlagProgram, by the linker),
// which may hold locks that nothing would release. Calls that would not be replaced by a
// panic but lost are left alone: of the runtime's own panics, of defer statements, of
// deferred functions, in these, and of package sync, which may unlock. A goroutine that is
// not at a suitable call when newstack is entered is asked again when it next allocates,
// when it is resumed after it was preempted, and by sysmon.
//
// g.memscopePanic has where a goroutine is with this. The goroutine changes it, or the
// scheduler on its M.

package runtime

import (
	"internal/abi"
	"internal/bytealg"
	"internal/goarch"
	"internal/runtime/atomic"
	"internal/stringslite"
)

// States of g.memscopePanic.
const (
	memscopeCalm       = iota
	memscopeWanted     // is to panic
	memscopeUnsuitable // is to panic, but not at this call
	memscopeDone       // did
)

// wantMemscopePanic makes the goroutine panic at the next suitable call, unless it did
// before.
func wantMemscopePanic() {
	gp := getg()
	if gp.memscopePanic == memscopeDone {
		return
	}
	gp.memscopePanic = memscopeWanted
	gp.preempt = true // for releasem, in malloc
}

// memscopeResumed is called when gp is about to run after it was preempted or blocked.
//
//go:nowritebarrierrec
func memscopeResumed(gp *g) {
	switch gp.memscopePanic {
	case memscopeWanted:
		gp.preempt = true
		gp.stackguard0 = stackPreempt
	case memscopeUnsuitable:
		gp.memscopePanic = memscopeWanted
	}
}

// memscopeStopped is called by newstack when gp has stopped in a function's prologue, to
// be preempted, with the PC that the function will return to. If gp is to panic and this is a
// suitable call, it makes gp go on with that once it has been preempted.
func memscopeStopped(gp *g, callerpc uintptr) {
	if gp.memscopePanic != memscopeWanted {
		return
	}
	if gp.overMemscopeLimit() == nil || gp._panic != nil || gp.m.ncgo > 0 || !mayPanicInstead(gp, callerpc) {
		gp.memscopePanic = memscopeUnsuitable
		memscopeAsk.Store(1)
		return
	}
	gp.memscopePanic = memscopeDone
	gp.sched.pc = abi.FuncPCABIInternal(memscopePanic)
}

// memscopePanic panics. It runs as if the program had called it.
func memscopePanic() {
	panic(memscopeWatcher.newError(getg().overMemscopeLimit().owner))
}

// overMemscopeLimit returns the innermost scope of gp that panics and is over a limit.
func (gp *g) overMemscopeLimit() *memscope {
	for s := gp.memscope; s != nil; s = s.parent {
		if s.panics && s.crossing != nil && s.crossing.state.Load() == memscopeNoted {
			return s
		}
	}
	return nil
}

// memscopeAsk is 1 if there may be goroutines that are to panic and run.
var memscopeAsk atomic.Uint32

// memscopeHurry is for how many rounds in a row sysmon stays at its shortest sleep to ask. A
// goroutine that has not been at a suitable call by then may never be, and is asked
// when sysmon comes round by itself.
const memscopeHurry = 50

// memscopeHurried is the rounds in a row in which goroutines were asked. Only sysmon uses it.
var memscopeHurried memscopeRounds

type memscopeRounds int

// hurry counts a round, and reports whether the next is to come soon.
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

// memscopeAskAgain asks goroutines that are to panic and run to stop at the next call. It is
// called by sysmon, and reports whether it is to be called again soon.
//
//go:nowritebarrierrec
func memscopeAskAgain() bool {
	return memscopeHurried.hurry(memscopeAskRunning())
}

// memscopeAskRunning asks goroutines that are to panic and run, and reports whether there
// were any.
//
//go:nowritebarrierrec
func memscopeAskRunning() (asked bool) {
	if memscopeAsk.Load() == 0 {
		return false
	}
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

// mayPanicInstead reports whether there may be a panic in place of the call of the function
// that gp is in, which has done nothing yet and will return to callerpc.
func mayPanicInstead(gp *g, callerpc uintptr) bool {
	callee, caller := findfunc(gp.sched.pc), findfunc(callerpc)
	if !callee.valid() || !caller.valid() || caller.flag&abi.FuncFlagProgram == 0 ||
		isPanicOrDefer(callee) || isSync(callee) || mayBeDeferred(callee, caller) || inDeferred(gp, callerpc) {
		return false
	}
	u, uf := newInlineUnwinder(caller, callerpc-1)
	if !u.isInlined(uf) {
		return true
	}
	return memscopePackage(u.srcFunc(uf).name()) == memscopePackage(funcname(caller))
}

// mayBeDeferred reports whether a call of callee by caller may be that of a deferred
// function. Those of open-coded defers are called where caller returns, when it has
// forgotten them. What is deferred with arguments is called by a wrapper.
func mayBeDeferred(callee, caller funcInfo) bool {
	return caller.funcID == abi.FuncIDWrapper ||
		callee.flag&abi.FuncFlagProgram != 0 && funcdata(caller, abi.FUNCDATA_OpenCodedDeferInfo) != nil
}

// inDeferred reports whether the function that has made the call behind callerpc may be
// called as a deferred one: it is called by the runtime's functions for that, or is a
// closure of its caller, which has open-coded defers.
func inDeferred(gp *g, callerpc uintptr) bool {
	sp := gp.sched.sp
	if !usesLR {
		sp += goarch.PtrSize // the return address
	}
	var u unwinder
	u.initAt(callerpc, sp, 0, gp, unwindSilentErrors)
	if !u.valid() {
		return true
	}
	callee := u.frame.fn
	u.next()
	if !u.valid() {
		return false
	}
	caller := u.frame.fn
	return isPanicOrDefer(caller) || mayBeDeferred(callee, caller) && isClosureOf(funcname(callee), funcname(caller))
}

// isClosureOf reports whether by its name a function is a closure of an outer one.
func isClosureOf(name, outer string) bool {
	return len(name) > len(outer) && name[len(outer)] == '.' && name[:len(outer)] == outer
}

// isSync reports whether f is of package sync: it may be about to unlock something.
func isSync(f funcInfo) bool {
	name := funcname(f)
	return stringslite.HasPrefix(name, "sync.") || stringslite.HasPrefix(name, "internal/sync.")
}

// isPanicOrDefer reports whether f is one of the runtime's functions that begin or end panics
// and defers.
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

// memscopePackage returns the package of the function with that name. It does not allocate,
// as funcpkgpath does.
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
