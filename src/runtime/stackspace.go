// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Stack space measures what the goroutine profile shows as stack_space: the
// stack memory that functions use, and what is allocated and free. Its writer
// is runtime/pprof/stackspace.go.
//
// The profile visits each goroutine before it runs again (recordStackSpace,
// countSystemStack), and reads the total while the world is stopped, so that the
// parts add up. A frame's size depends on the PC alone: the writer asks for it
// once for each group of equal stacks (pprof_stackFrameSizes).
//
// The total less all parts is what no goroutine owns. It is too large if the
// garbage collector shrinks a stack between stop and visit.

package runtime

import (
	"internal/abi"
	"internal/goarch"
	"internal/profilerecord"
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// Functions that stand in profiles for stack memory without frames of the
// program. They are never called.
func _FreeStack()     { _FreeStack() }
func _SystemStack()   { _SystemStack() }
func _StackCache()    { _StackCache() }
func _DeepStack()     { _DeepStack() }
func _UnframedStack() { _UnframedStack() }

//go:linkname pprof_stackSpaceNames
func pprof_stackSpaceNames() profilerecord.StackSpaceNames {
	return profilerecord.StackSpaceNames{
		FreeStack:     abi.FuncPCABIInternal(_FreeStack) + sys.PCQuantum,
		SystemStack:   abi.FuncPCABIInternal(_SystemStack) + sys.PCQuantum,
		StackCache:    abi.FuncPCABIInternal(_StackCache) + sys.PCQuantum,
		DeepStack:     abi.FuncPCABIInternal(_DeepStack) + sys.PCQuantum,
		UnframedStack: abi.FuncPCABIInternal(_UnframedStack) + sys.PCQuantum,
	}
}

// pprof_goroutineProfileWithStackSpace takes a goroutine profile with the stack
// memory. If p is too short, it fails and leaves totals unchanged.
//
//go:linkname pprof_goroutineProfileWithStackSpace
func pprof_goroutineProfileWithStackSpace(p []profilerecord.StackRecord, labels []unsafe.Pointer, totals *profilerecord.StackTotals) (n int, ok bool) {
	return goroutineProfileWithLabelsConcurrent(p, labels, totals)
}

// beginStackTotals starts counting stack memory into t, which may be nil. The
// world is stopped, and goroutineProfile.sema held.
func beginStackTotals(t *profilerecord.StackTotals) {
	assertWorldStopped()
	goroutineProfile.stackTotals = t
	if t != nil {
		systemstack(func() {
			var stats heapStatsDelta
			memstats.heapStats.unsafeRead(&stats)
			t.Total = uintptr(stats.inStacks)
		})
	}
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

// countSystemStack counts the stack of gp, a system goroutine that cannot run at
// the moment. It may be on the system stack.
//
//go:nowritebarrierrec
func countSystemStack(gp *g) {
	if goroutineProfile.stackTotals != nil {
		stk := stackBounds(gp)
		addSystemStack(gp.startpc, stk.hi-stk.lo)
	}
}

// addSystemStack adds a stack of the runtime to the profile that is being taken.
// Several threads may do so at a time.
//
//go:nowritebarrierrec
func addSystemStack(pc, size uintptr) {
	t := goroutineProfile.stackTotals
	for i := range t.System {
		s := &t.System[i]
		if atomic.Casuintptr(&s.PC, 0, pc) || atomic.Loaduintptr(&s.PC) == pc {
			atomic.Xadduintptr(&s.Bytes, size)
			return
		}
	}
}

// recordStackSpace returns the stack memory of gp. sp is the stack pointer of
// the innermost frame that the profile shows. gp is the caller, or cannot run.
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

// makeRecordStack returns room for n PCs of a record, with space behind them.
func makeRecordStack(n int, space profilerecord.StackSpace) []uintptr {
	r := profilerecord.StackRecord{Stack: make([]uintptr, uintptr(n)+profilerecord.StackSpaceWords)[:n]}
	*r.Space() = space
	return r.Stack
}

// stackBounds returns gp.stack for a caller that does not own it. Meanwhile
// copystack may replace the bounds, one after the other. A mixture of two
// stacks is not read twice, and its size is rarely a power of two.
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

// pprof_stackFrameSizes sets sizes[i] to the bytes of the frame of pcs[i]. pcs
// is a stack trace, leaf first. A frame includes the return address and the
// arguments of calls. Inlined functions, C functions and goexit have size 0.
// complete reports whether the trace reaches the end of the stack.
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

// framePCs returns the number of leading pcs that belong to one frame of f: of
// f and of functions inlined into it. pcs may lack wrappers among them.
func framePCs(f funcInfo, pcs []uintptr) int {
	if !f.valid() {
		return 1 // C code
	}
	n := 0
	for iu, uf := newInlineUnwinder(f, pcs[0]-1); n < len(pcs) && uf.valid(); uf = iu.next(uf) {
		if pcs[n] == uf.pc+1 {
			n++
		}
	}
	return max(n, 1)
}

// frameSize returns the distance from the stack pointer at pc in f to that of
// f's caller. What a signal handler adds below an interrupted function on
// architectures with a link register is in no frame.
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
