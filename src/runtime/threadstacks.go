// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Thread stacks adds to stack_space the stacks that the runtime allocated for
// threads, so that _StackCache, the rest of the total, has only memory that
// nothing owns.

package runtime

import "internal/abi"

// Functions that stand in profiles for stacks of threads. They are never called.
func _g0()      { _g0() }
func _gsignal() { _gsignal() }
func _gcrash()  { _gcrash() }

// addThreadStacks adds the stacks of threads to the goroutine profile that is
// being taken, if it shows stack space. threads is what allm was while the world
// was stopped: all of them are complete, because allocm cannot be stopped half
// way. One that has exited since is missing.
func addThreadStacks(threads *m) {
	if goroutineProfile.stackTotals == nil {
		return
	}
	addSystemStack(abi.FuncPCABIInternal(_gcrash), gcrash.stack.hi-gcrash.stack.lo)
	for mp := threads; mp != nil; mp = mp.alllink {
		stk := gsignalBounds(mp)
		addSystemStack(abi.FuncPCABIInternal(_gsignal), stk.hi-stk.lo)
		if hasAllocatedG0(mp) {
			addSystemStack(abi.FuncPCABIInternal(_g0), mp.g0.stack.hi-mp.g0.stack.lo)
		}
	}
}

// hasAllocatedG0 reports whether allocm allocated mp's g0 stack, rather than
// the operating system or the C library.
func hasAllocatedG0(mp *m) bool {
	return mp != &m0 && !iscgo && !mStackIsSystemAllocated()
}
