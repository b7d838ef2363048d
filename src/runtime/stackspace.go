// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Stack space: the runtime's half of the goroutine profile's sample type
// stack_space (golang.org/issue/66566). The other half, which makes samples of
// it, is runtime/pprof/stackspace.go.
//
// The goroutine profile visits each goroutine once, while it cannot run. At
// this visit, two subtractions give the size of its stack and the size of the
// part in use (recordStackSpace). makeRecordStack stores both sizes behind the
// stack trace. For a system goroutine, only the size of the stack is added up
// (addSystemStack). Sizes of frames are not recorded. A frame's size is the
// distance between its stack pointer and that of its caller, and depends on the
// PC alone. pprof therefore asks for it (pprof_stackFrameSizes) once for each
// group of goroutines whose stacks, labels and stack sizes are equal.
//
// All sizes are as of the stop of the world that begins the profile: a
// goroutine is visited before it runs again, and stackTotals.Total is read
// while the world is stopped. Goroutines and threads that start afterwards are
// left out. The stacks that the runtime has allocated for goroutines and
// threads, and the rest of Total, which none of them owns, therefore add up to
// /memory/classes/heap/stacks:bytes. Two events may change a stack between the
// stop and the visit, and thus make the computed rest too large: the garbage
// collector shrinks the stack, or a thread exits.
//
// goroutineProfile.sema protects goroutineProfile.stackTotals, which is set and
// cleared while the world is stopped. While it is set, goroutines add to System
// concurrently, with atomic operations.

package runtime

import (
	"internal/abi"
	"internal/goarch"
	"internal/profilerecord"
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// Functions that stand in profiles for stack memory that is not shown at frames
// of the program. They are never called.
func _FreeStack()   { _FreeStack() }
func _SystemStack() { _SystemStack() }
func _g0()          { _g0() }
func _gsignal()     { _gsignal() }
func _gcrash()      { _gcrash() }
func _StackCache()  { _StackCache() }
func _DeepStack()   { _DeepStack() }

//go:linkname pprof_stackSpaceNames
func pprof_stackSpaceNames() profilerecord.StackSpaceNames {
	return profilerecord.StackSpaceNames{
		FreeStack:   abi.FuncPCABIInternal(_FreeStack) + sys.PCQuantum,
		SystemStack: abi.FuncPCABIInternal(_SystemStack) + sys.PCQuantum,
		G0:          abi.FuncPCABIInternal(_g0) + sys.PCQuantum,
		Gsignal:     abi.FuncPCABIInternal(_gsignal) + sys.PCQuantum,
		Gcrash:      abi.FuncPCABIInternal(_gcrash) + sys.PCQuantum,
		StackCache:  abi.FuncPCABIInternal(_StackCache) + sys.PCQuantum,
		DeepStack:   abi.FuncPCABIInternal(_DeepStack) + sys.PCQuantum,
		Goexit:      abi.FuncPCABI0(goexit) + sys.PCQuantum,
	}
}

// pprof_goroutineProfileWithStackSpace takes a goroutine profile with the stack
// memory. Like goroutineProfileWithLabels, it fails if p is too short. In that
// case it leaves totals unchanged.
//
//go:linkname pprof_goroutineProfileWithStackSpace
func pprof_goroutineProfileWithStackSpace(p []profilerecord.StackRecord, labels []unsafe.Pointer, totals *profilerecord.StackTotals) (n int, ok bool) {
	return goroutineProfileWithLabelsConcurrent(p, labels, totals)
}

// beginStackTotals starts counting stack memory into t, which may be nil. It
// returns the list of the threads to count. The world must be stopped and
// goroutineProfile.sema held.
//
// Because the world is stopped, every thread in the list is complete: allocm,
// which adds a thread before the thread has its g0, cannot be preempted in
// between.
func beginStackTotals(t *profilerecord.StackTotals) (threads *m) {
	assertWorldStopped()
	goroutineProfile.stackTotals = t
	if t == nil {
		return nil
	}
	systemstack(func() {
		var stats heapStatsDelta
		memstats.heapStats.unsafeRead(&stats)
		t.Total = uintptr(stats.inStacks)
	})
	return allm
}

// addThreadStacks adds the stacks of threads to t, which may be nil. It may
// miss threads that have exited since beginStackTotals.
func addThreadStacks(t *profilerecord.StackTotals, threads *m) {
	if t == nil {
		return
	}
	t.Gcrash = gcrash.stack.hi - gcrash.stack.lo
	for mp := threads; mp != nil; mp = mp.alllink {
		stk := gsignalBounds(mp)
		t.Gsignal += stk.hi - stk.lo
		if hasAllocatedG0(mp) {
			t.G0 += mp.g0.stack.hi - mp.g0.stack.lo
		}
	}
}

// hasAllocatedG0 reports whether allocm allocated mp's g0 stack, rather than
// the operating system or the C library.
func hasAllocatedG0(mp *m) bool {
	return mp != &m0 && !iscgo && !mStackIsSystemAllocated()
}

// omitSystemStack leaves gp, a new system goroutine, out of a profile that is
// being taken. newproc1 calls it on the system stack.
//
//go:nowritebarrierrec
func omitSystemStack(gp *g) {
	if goroutineProfile.active {
		gp.goroutineProfiled.Store(goroutineProfileSatisfied)
	}
}

// addSystemStack counts the stack of gp, a system goroutine that cannot run at
// the moment. It may be called by the scheduler, on the system stack.
//
//go:nowritebarrierrec
func addSystemStack(gp *g) {
	t := goroutineProfile.stackTotals
	if t == nil {
		return
	}
	stk := stackBounds(gp)
	size := stk.hi - stk.lo
	for i := range t.System {
		s := &t.System[i]
		pc := atomic.Loaduintptr(&s.PC)
		if pc == 0 && !atomic.Casuintptr(&s.PC, 0, gp.startpc) {
			pc = atomic.Loaduintptr(&s.PC)
		} else if pc == 0 {
			pc = gp.startpc
		}
		if pc == gp.startpc {
			atomic.Xadduintptr(&s.Bytes, size)
			return
		}
	}
	atomic.Xadduintptr(&t.SystemOther, size)
}

// recordStackSpace returns the stack memory of gp. sp is the stack pointer of
// gp's innermost frame that the profile shows. gp cannot run at the moment, or
// is the caller's goroutine.
//
//go:nowritebarrierrec
func recordStackSpace(gp *g, sp uintptr) profilerecord.StackSpace {
	stk := stackBounds(gp)
	if sp < stk.lo || stk.hi < sp {
		sp = gp.sched.sp // the garbage collector has just shrunk the stack
	}
	if sp < stk.lo || stk.hi < sp {
		sp = stk.lo // nothing is known to be free
	}
	return profilerecord.StackSpace{Start: gp.startpc, Used: stk.hi - sp, Allocated: stk.hi - stk.lo}
}

// makeRecordStack returns a stack of n PCs for the record of a goroutine, with
// the fields of space behind it. The PCs are not filled in. See
// profilerecord.StackTailWords.
func makeRecordStack(n int, space profilerecord.StackSpace) []uintptr {
	stk := make([]uintptr, n+profilerecord.StackTailWords)
	stk[n+profilerecord.StackTailStart] = space.Start
	stk[n+profilerecord.StackTailUsed] = space.Used
	stk[n+profilerecord.StackTailAllocated] = space.Allocated
	return stk[:n]
}

// stackBounds returns gp.stack for a caller that does not own it. copystack may
// be replacing it, one word after the other. stackBounds detects a mixture of
// two stacks in two ways. First, the size of a stack is a power of two, and the
// distance of the bounds of a mixture rarely is a power of two. Second, another
// read must find both bounds unchanged.
//
//go:nowritebarrierrec
func stackBounds(gp *g) stack {
	for {
		lo, hi := atomic.Loaduintptr(&gp.stack.lo), atomic.Loaduintptr(&gp.stack.hi)
		if n := hi - lo; n&(n-1) == 0 && lo == atomic.Loaduintptr(&gp.stack.lo) && hi == atomic.Loaduintptr(&gp.stack.hi) {
			return stack{lo, hi}
		}
		osyield()
	}
}

// pprof_stackFrameSizes sets sizes[i] to the size in bytes of the frame of
// pcs[i]. pcs is a stack trace as tracebackPCs records it, leaf first. A frame
// ends at the caller's stack pointer and includes the return address, the saved
// frame pointer and outgoing arguments. An inlined function has no frame and
// size 0; the function that it is inlined into has the frame. The sizes of C
// functions, and of goexit, which is the caller of every goroutine's first
// function, are 0.
//
// complete reports whether pcs reaches the end of the stack. It does not if the
// stack is deeper than the trace may be.
//
//go:linkname pprof_stackFrameSizes
func pprof_stackFrameSizes(pcs, sizes []uintptr) (complete bool) {
	for len(pcs) > 0 {
		pc := pcs[0] - 1
		f := findfunc(pc)
		n := framePCs(f, pcs)
		clear(sizes[:n])
		if f.valid() && f.funcID != abi.FuncID_goexit {
			sizes[n-1] = frameSize(f, pc)
		}
		complete = f.valid() && f.flag&abi.FuncFlagTopFrame != 0
		pcs, sizes = pcs[n:], sizes[n:]
	}
	return complete
}

// framePCs returns the number of leading pcs that belong to one physical frame
// of f: the PC of f and the PCs of functions inlined into it. Wrappers may be
// missing in pcs.
func framePCs(f funcInfo, pcs []uintptr) int {
	if !f.valid() {
		return 1 // C code, from a cgo traceback
	}
	n := 0
	for iu, uf := newInlineUnwinder(f, pcs[0]-1); n < len(pcs) && uf.valid(); uf = iu.next(uf) {
		if pcs[n] == uf.pc+1 {
			n++
		}
	}
	return max(n, 1)
}

// frameSize returns the distance in bytes from the stack pointer at pc in f to
// the stack pointer of f's caller. pc is the PC of a call, of an instruction at
// which a signal interrupted f, or of an inlining mark, where the stack pointer
// is the same as at f's calls. On architectures with a link register, a signal
// handler adds bytes below the frame of the function that it interrupts. These
// bytes are in no frame.
func frameSize(f funcInfo, pc uintptr) uintptr {
	if f.pcsp == 0 {
		return 0
	}
	size := uintptr(funcspdelta(f, pc))
	if !usesLR {
		size += goarch.PtrSize // the call pushed the return address
	}
	return size
}
