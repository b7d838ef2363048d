// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The frame at which the page fault profile shows faults that are in no sample.
// It is on all systems, because runtime/pprof refers to it on all.

package runtime

import (
	"internal/abi"
	"internal/runtime/sys"
	_ "unsafe" // for linkname
)

// _UnsampledPageFaults is the function at which the page fault profile shows
// faults that are in no sample.
func _UnsampledPageFaults() { _UnsampledPageFaults() }

// pprof_unsampledPageFaults returns the program counter of
// _UnsampledPageFaults, in the form of a return address.
//
//go:linkname pprof_unsampledPageFaults
func pprof_unsampledPageFaults() uintptr {
	return abi.FuncPCABIInternal(_UnsampledPageFaults) + sys.PCQuantum
}
