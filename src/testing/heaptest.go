// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Cleanup functions for testing/heaptest, which looks at what is left when a
// test and its other cleanup functions are done.

package testing

import (
	"runtime"
	"slices"
	_ "unsafe" // for linkname
)

// heaptestCleanup registers f to be called after all other cleanup functions of
// t. A TB that is none of this package's, and does not embed one, calls f in
// the order of its Cleanup method.
//
//go:linkname heaptestCleanup testing/heaptest.cleanup
func heaptestCleanup(t TB, f func()) {
	t.Helper()
	if c, ok := t.(interface{ cleanupLast(f func()) }); ok {
		c.cleanupLast(f)
		return
	}
	t.Cleanup(f)
}

// cleanupLast is Cleanup, but f is called after the functions that have been
// registered before, too. Of several such functions, the first one is called
// first.
func (c *common) cleanupLast(f func()) {
	c.checkFuzzFn("Cleanup")
	callers := make([]uintptr, maxStackLen)
	callers = callers[:runtime.Callers(3, callers)] // from the caller of heaptestCleanup on
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cleanups = slices.Insert(c.cleanups, 0, func() {
		c.setCleanup(callerName(0), callers)
		defer c.setCleanup("", nil)
		f()
	})
}

// setCleanup sets the position of errors: an error that the function with a
// name reports gets the position of callers. In a synctest bubble, the test
// outside the bubble reports it.
func (c *common) setCleanup(name string, callers []uintptr) {
	if c.isSynctest {
		c = c.parent
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cleanupName, c.cleanupPc = name, callers
}
