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
// which may hold locks that nothing would release. A goroutine that is not at such a
// call when newstack is entered is asked again when it next allocates, or is resumed
// after it was preempted.
//
// g.memscopePanic has where a goroutine is with this. The goroutine changes it, or the
// scheduler on its M.

package runtime

import (
	"internal/abi"
	"internal/bytealg"
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
// be preempted, with the PC that the function will return to. It does not return if gp
// has to panic and may.
func memscopeStopped(gp *g, callerpc uintptr) {
	if gp.memscopePanic != memscopeWanted {
		return
	}
	if gp.preemptStop || gp.overMemscopeLimit() == nil || !isProgramCall(callerpc) {
		gp.memscopePanic = memscopeUnsuitable
		return
	}
	gp.preempt = false
	gp.stackguard0 = gp.stack.lo + stackGuard
	gp.sched.pc = abi.FuncPCABIInternal(memscopePanic)
	gogo(&gp.sched)
}

// memscopePanic panics. It runs as if the program had called it.
func memscopePanic() {
	gp := getg()
	gp.memscopePanic = memscopeDone
	panic(memscopeWatcher.newError(gp.overMemscopeLimit().owner))
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

// isProgramCall reports whether pc is behind a call in code of the program.
func isProgramCall(pc uintptr) bool {
	f := findfunc(pc)
	if !f.valid() || f.flag&abi.FuncFlagProgram == 0 {
		return false
	}
	u, uf := newInlineUnwinder(f, pc-1)
	if !u.isInlined(uf) {
		return true
	}
	inlined := u.srcFunc(uf).name()
	return memscopePackage(inlined) == memscopePackage(funcname(f))
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
