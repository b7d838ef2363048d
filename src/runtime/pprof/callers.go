// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The call stacks of profiles of memory: without the runtime's functions that were called
// last, as in the heap profile.

package pprof

import (
	"runtime"
	"slices"
	"strings"
)

// appendCallers appends the locations of callersOfRuntime(stk) to locs, or those of stk if
// there are none.
func (b *profileBuilder) appendCallers(locs []uint64, stk []uintptr) []uint64 {
	n := len(locs)
	locs = b.appendLocsForStack(locs, callersOfRuntime(stk))
	if len(locs) == n {
		locs = b.appendLocsForStack(locs, stk)
	}
	return locs
}

// callersOfRuntime returns stk without the runtime's functions that were called last, or
// all of it if there are no others. The heap profile hides the same.
func callersOfRuntime(stk []uintptr) []uintptr {
	first := slices.IndexFunc(stk, func(pc uintptr) bool {
		f := runtime.FuncForPC(pc)
		return f == nil || !strings.HasPrefix(f.Name(), "runtime.") && !strings.HasPrefix(f.Name(), "internal/runtime/")
	})
	return stk[max(first, 0):]
}
