// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file trims the call stacks of memory profiles: it removes the functions
// of the runtime that were called last, as the heap profile does.

package pprof

import (
	"runtime"
	"slices"
	"strings"
)

// appendCallers appends the locations of callersOfRuntime(stk) to locs. If
// there are none, it appends the locations of stk.
func (b *profileBuilder) appendCallers(locs []uint64, stk []uintptr) []uint64 {
	n := len(locs)
	locs = b.appendLocsForStack(locs, callersOfRuntime(stk))
	if len(locs) == n {
		locs = b.appendLocsForStack(locs, stk)
	}
	return locs
}

// callersOfRuntime returns stk without the runtime's functions that were called
// last, or all of stk if it has no other functions. The heap profile hides the
// same functions.
func callersOfRuntime(stk []uintptr) []uintptr {
	first := slices.IndexFunc(stk, func(pc uintptr) bool {
		f := runtime.FuncForPC(pc)
		return f == nil || !strings.HasPrefix(f.Name(), "runtime.") && !strings.HasPrefix(f.Name(), "internal/runtime/")
	})
	return stk[max(first, 0):]
}
