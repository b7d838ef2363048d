// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Call stacks of growth events. Following frame pointers is several times as fast
// as unwinding, and leaves out frames that profiles do not show, so that there
// are fewer different stacks.

package runtime

import (
	"internal/abi"
	"internal/goarch"
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"internal/stringslite"
	"unsafe"
)

// growthCallers puts the call stack of the goroutine that runs on this M into
// stk, or the call stack of the M if there is no goroutine. The call stack has
// the form that traceStack uses, for fpunwindExpand. Following frame pointers
// is several times as fast as unwinding.
//
//go:systemstack
//go:nowritebarrierrec
func growthCallers(stk []uintptr) int {
	mp := getg().m
	gp := mp.curg
	if gp == nil {
		stk[0] = logicalStackSentinel
		return 1 + callers(3, stk[1:])
	}
	if !tracefpunwindoff() && !mp.hasCgoOnStack() {
		if n, ok := growthFramePointers(gp, stk); ok {
			return n
		}
	}
	stk[0] = logicalStackSentinel
	return 1 + gcallers(gp, 0, stk[1:])
}

// growthFramePointers is growthCallers by frame pointers. It checks each frame
// pointer before it follows it. A frame pointer is invalid if assembly code
// keeps another value in the frame pointer register and then faults and panics:
// the functions that the panic calls save this value as if it were a frame
// pointer. growthFramePointers leaves out frames that profiles do not show:
// goexit, and the leading frames of the runtime. With these frames, there would
// be more different call stacks, and they would take more memory. It reports
// whether all frame pointers were valid and some frame is left.
//
//go:systemstack
//go:nowritebarrierrec
func growthFramePointers(gp *g, stk []uintptr) (n int, ok bool) {
	stk[0] = 0 // frames to skip
	pc, bp := gp.sched.pc, gp.sched.bp
	if gp.syscallsp != 0 {
		pc, bp = gp.syscallpc, gp.syscallbp
	}
	n = growthKeep(stk, 1, pc)
	if readgstatus(gp)&^_Gscan == _Gcopystack {
		// The goroutine is in morestack. The function that called
		// morestack has no frame yet, so its return address is not
		// stored next to a frame pointer.
		pc = gp.sched.lr
		if !usesLR {
			pc = *(*uintptr)(unsafe.Pointer(gp.sched.sp))
		}
		n = growthKeep(stk, n, pc)
	}
	low, high := gp.stack.lo, gp.stack.hi-2*goarch.PtrSize
	for bp != 0 && n < len(stk) {
		if bp < low || bp > high || bp%goarch.PtrSize != 0 {
			return 0, false
		}
		low = bp + 1
		n = growthKeep(stk, n, *(*uintptr)(unsafe.Pointer(bp + goarch.PtrSize)))
		bp = *(*uintptr)(unsafe.Pointer(bp))
	}
	if n > 2 && stk[n-1] == abi.FuncPCABI0(goexit)+sys.PCQuantum {
		n--
	}
	return n, n > 1
}

// growthKeep adds the return address pc to the n words in stk, if there is room
// and it is not in a leading frame of the runtime. It returns the number of
// words.
//
//go:systemstack
//go:nowritebarrierrec
func growthKeep(stk []uintptr, n int, pc uintptr) int {
	if n == len(stk) || n == 1 && growthIsRuntime(pc) {
		return n
	}
	stk[n] = pc
	return n + 1
}

// growthKnownPCs has return addresses, each shifted left by one bit. The lowest
// bit is 1 if the address is in a function of the runtime.
var growthKnownPCs [128]atomic.Uintptr

// isRuntime reports whether the function with that name is of the runtime.
func isRuntime(name string) bool {
	return stringslite.HasPrefix(name, "runtime.") || stringslite.HasPrefix(name, "internal/runtime/")
}

// growthIsRuntime reports whether the function with the return address pc is of
// the runtime. It is called only where there are frame pointers: on 64-bit
// systems. Their addresses do not use the highest bit, which growthKnownPCs
// does not keep.
//
//go:systemstack
//go:nowritebarrierrec
func growthIsRuntime(pc uintptr) bool {
	entry := &growthKnownPCs[uint64(pc)*0x9e3779b97f4a7c15>>57]
	known := entry.Load()
	if known>>1 != pc {
		known = pc << 1
		if isRuntime(funcname(findfunc(pc - 1))) {
			known |= 1
		}
		entry.Store(known)
	}
	return known&1 != 0
}
