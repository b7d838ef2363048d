// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Functions for testing/heaptest, which checks that objects are free when a
// test ends. testing/heaptest attaches a cleanup to each object that it
// watches. When the sweeper frees an object, it removes the special of the
// cleanup. After a collection, the special therefore shows whether the object
// still exists. A weak pointer would not show an object that its finalizer has
// made reachable again.

package runtime

import "unsafe"

// heaptest_object returns the address and size of the object that has the byte
// at p, or 0 if p does not point into the heap or is in a user arena. shared
// reports whether the object may be a block of several small ones.
//
//go:linkname heaptest_object
func heaptest_object(p unsafe.Pointer) (base, size uintptr, shared bool) {
	base, s, _ := findObject(uintptr(p), 0, 0)
	if base == 0 || inUserArenaChunk(uintptr(p)) {
		return 0, 0, false
	}
	size, shared = s.elemsize, s.spanclass == tinySpanClass
	KeepAlive(p)
	return base, size, shared
}

// heaptest_exists reports whether the object to which c is attached has not
// been freed. An object that became unreachable after the last collection still
// exists.
//
//go:linkname heaptest_exists
func heaptest_exists(c Cleanup) bool {
	s := spanOfHeap(c.ptr)
	if s == nil {
		return false
	}
	mp := acquirem()
	s.ensureSwept() // because the sweeper does not lock the list
	lock(&s.speciallock)
	sp := s.specials
	for sp != nil && (sp.kind != _KindSpecialCleanup || (*specialCleanup)(unsafe.Pointer(sp)).id != c.id) {
		sp = sp.next
	}
	unlock(&s.speciallock)
	releasem(mp)
	return sp != nil
}

// heaptest_dropTimers removes stopped timers from the Ps' heaps of timers.
// Without heaptest_dropTimers, a stopped timer can stay there, and hold the
// function that it would have called, until it would have fired or until the P
// has many stopped timers.
//
//go:linkname heaptest_dropTimers
func heaptest_dropTimers() {
	semacquire(&worldsema) // so that allp does not change
	for _, pp := range allp {
		pp.timers.dropStopped()
	}
	semrelease(&worldsema)
}

// dropStopped removes stopped timers.
func (ts *timers) dropStopped() {
	ts.lock()
	ts.adjust(0, true)
	ts.unlock()
}

// heaptest_outside removes stopped timers from the synctest bubble of the
// goroutine, if it is in one, and runs f outside this bubble.
//
//go:linkname heaptest_outside
func heaptest_outside(f func()) {
	if bubble := getg().bubble; bubble != nil {
		bubble.timers.dropStopped()
	}
	outsideBubble(f)
}

// heaptest_global returns the name of variable i of the table of globals, with
// the path of the package, and its type, which is nil if it is not known. A
// static temporary has the name of its owner. ok is false if there is no
// variable i.
//
//go:linkname heaptest_global
func heaptest_global(i int) (name string, typ unsafe.Pointer, ok bool) {
	if i >= refsGlobalCount() {
		return "", nil, false
	}
	g := refsGlobalAt(i)
	return g.pkg + g.name, unsafe.Pointer(g.typ), true
}
