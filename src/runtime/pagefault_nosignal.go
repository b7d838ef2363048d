// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build unix && (!linux || android || arm || mips || mipsle || mips64 || mips64le || ppc64 || s390x)

package runtime

// Systems without the page fault profile (pagefault_other.go) have no signals
// from page faults.

//go:nosplit
func pageFaultSample(c *sigctxt, gp *g, mp *m) bool { return false }

//go:nosplit
func skipPageFaultsInC(c *sigctxt, gp *g) bool { return false }
