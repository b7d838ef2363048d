// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Cleanup functions for testing/heaptest, which looks for objects that are left
// after a test and all its other cleanup functions.

package testing

import (
	"runtime"
	"slices"
	_ "unsafe" // for linkname
)

// heaptestCleanup registers f to be called after all other cleanup functions of
// t. If t is not a *T, *B or *F, and does not embed one of these types,
// t.Cleanup determines when f is called.
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

// cleanupLast is Cleanup, except that f is called after all other functions,
// including those that are registered earlier. If cleanupLast has registered
// several functions, the first one is called first.
func (c *common) cleanupLast(f func()) {
	c.checkFuzzFn("Cleanup")
	callers := make([]uintptr, maxStackLen)
	callers = callers[:runtime.Callers(3, callers)] // without the frames of heaptestCleanup and its callees
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cleanups = slices.Insert(c.cleanups, 0, func() {
		c.setCleanup(callerName(0), callers)
		defer c.setCleanup("", nil)
		f()
	})
}

// heaptestCleanups returns the cleanup functions of t that have not been called.
//
//go:linkname heaptestCleanups testing/heaptest.cleanups
func heaptestCleanups(t TB) []func() {
	if c, ok := t.(interface{ waitingCleanups() []func() }); ok {
		return c.waitingCleanups()
	}
	return nil
}

// waitingCleanups returns the cleanup functions that have not been called.
func (c *common) waitingCleanups() []func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.cleanups)
}

// setCleanup sets the name of the cleanup function that runs, and callers, the
// call stack that registered it. Errors that the function reports have a
// position in this call stack. In a synctest bubble, the test outside the
// bubble reports them.
func (c *common) setCleanup(name string, callers []uintptr) {
	if c.isSynctest {
		c = c.parent
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cleanupName, c.cleanupPc = name, callers
}
