// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !linux || android || arm || mips || mipsle || mips64 || mips64le || ppc64 || s390x

// These systems have no page fault profile. They have no events for it, or none
// that pagefault.go can use.

package runtime

import "unsafe"

type mPageFaults struct{}

func openPageFaultEvents(mp *m) {}

//go:nosplit
func closePageFaultEvents(mp *m) {}

//go:linkname pprof_startPageFaults runtime/pprof.runtime_startPageFaults
func pprof_startPageFaults(period uint64) (what string, errno uintptr) {
	return "not supported on " + GOOS + "/" + GOARCH, 0
}

// pprof_stopPageFaults is not called, because no profile starts.
//
//go:linkname pprof_stopPageFaults runtime/pprof.runtime_stopPageFaults
func pprof_stopPageFaults() (counted [2]uint64, unobserved int, userOnly bool) {
	return counted, 0, false
}

// pprof_readPageFaults is not called, because no profile starts.
//
//go:linkname pprof_readPageFaults runtime/pprof.runtime_readPageFaults
func pprof_readPageFaults() ([]uint64, []unsafe.Pointer, bool) {
	return nil, nil, true
}
