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
// panic but lost are left alone: of the runtime's own panics, of defer statements, and of
// deferred functions. A goroutine that is not at a suitable call when newstack is entered is
// asked again when it next allocates, or is resumed after it was preempted.
//
// g.memscopePanic has where a goroutine is with this. The goroutine changes it, or the
// scheduler on its M.

package runtime

import (
	"internal/abi"
	"internal/bytealg"
	"internal/goarch"
	"unsafe"
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
// suitable call, it makes gp go on with that: the request to preempt it is then served by
// the prologue of memscopePanic.
func memscopeStopped(gp *g, callerpc uintptr) {
	if gp.memscopePanic != memscopeWanted {
		return
	}
	if gp.overMemscopeLimit() == nil || gp._panic != nil || gp.m.ncgo > 0 || !mayPanicInstead(gp, callerpc) {
		gp.memscopePanic = memscopeUnsuitable
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

// mayPanicInstead reports whether there may be a panic in place of the call of the function
// that gp is in, which has done nothing yet and will return to callerpc.
func mayPanicInstead(gp *g, callerpc uintptr) bool {
	callee, caller := findfunc(gp.sched.pc), findfunc(callerpc)
	if !callee.valid() || !caller.valid() || caller.flag&abi.FuncFlagProgram == 0 ||
		isPanicOrDefer(callee) || isOpenDeferred(gp, callee, caller, callerpc) {
		return false
	}
	u, uf := newInlineUnwinder(caller, callerpc-1)
	if !u.isInlined(uf) {
		return true
	}
	return memscopePackage(u.srcFunc(uf).name()) == memscopePackage(funcname(caller))
}

// isOpenDeferred reports whether callee, which gp has entered, may be called by caller as a
// deferred function: those of open-coded defers are called where caller returns, when it
// has forgotten them.
func isOpenDeferred(gp *g, callee, caller funcInfo, callerpc uintptr) bool {
	fd := funcdata(caller, abi.FUNCDATA_OpenCodedDeferInfo)
	if fd == nil {
		return false
	}
	sp := gp.sched.sp
	if !usesLR {
		sp += goarch.PtrSize // the return address
	}
	var u unwinder
	u.initAt(callerpc, sp, 0, gp, unwindSilentErrors)
	if !u.valid() {
		return true
	}
	info := unsafe.Slice((*byte)(fd), 10)
	n, _ := readvarint(info) // where the bits are
	_, offset := readvarint(info[n:])
	for slot := u.frame.varp - uintptr(offset); slot < u.frame.varp; slot += goarch.PtrSize {
		fn := *(*uintptr)(unsafe.Pointer(slot))
		if gp.isReadable(fn) && *(*uintptr)(unsafe.Pointer(fn)) == callee.entry() {
			return true
		}
	}
	return false
}

// isReadable reports whether p is the address of a word in read-only data, the heap, or the
// stack of gp.
func (gp *g) isReadable(p uintptr) bool {
	if p%goarch.PtrSize != 0 {
		return false
	}
	if p >= gp.stack.lo && p < gp.stack.hi {
		return true
	}
	for md := &firstmoduledata; md != nil; md = md.next {
		if p >= md.types && p < md.epclntab || p >= md.noptrdata && p < md.enoptrbss {
			return true
		}
	}
	return spanOfHeap(p) != nil
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
		if len(name) >= len(prefix) && name[:len(prefix)] == prefix {
			return true
		}
	}
	return false
}

// memscopePackage returns the package of the function with that name.
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
