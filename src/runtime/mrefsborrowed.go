// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Borrowers: closures that objects or global variables refer to, and contexts.
//
// A callback captures what it works on, and a context has the values of a request and the
// contexts below it. Both are handed to others, often to a registry in a global variable,
// and neither owns what it refers to. If they were scanned when they are reached, a metric
// that is computed by a method would hold the database.
//
// So the first reference claims a borrower, as any object, but it is scanned in
// refsStageBorrowed, when globals and the oldest goroutines have been followed. What it
// refers to and nobody else holds is below it then. Closures that a frame refers to are no
// callbacks but the function's own.
//
// The node's number in a borrower's word has the flag refsDelayed till the stage takes it
// off, and so has the number that resolving a reference gives and the cache keeps.

package runtime

import (
	"internal/abi"
	"internal/profilerecord"
	"unsafe"
)

// refsDelayed in a node's number, or an object's word, says of objects claimed at the node
// that they are scanned from refsStageBorrowed on.
const refsDelayed = 1 << 27

// delays returns n, the node for the key, with refsDelayed if objects there are borrowers.
// inFrame is whether the reference is in a frame.
//
//go:nowritebarrierrec
func (k *refsKey) delays(n uint32, inFrame bool) uint32 {
	if refs.stage >= refsStageBorrowed || n&refsLost != 0 {
		return n
	}
	if k.role == profilerecord.RefsClosure && !inFrame || k.role == profilerecord.RefsObject && refsIsContext(k.typ) {
		return n | refsDelayed
	}
	return n
}

// refsDelaysNow returns n without refsDelayed if borrowers are not delayed any longer.
//
//go:nowritebarrierrec
func refsDelaysNow(n uint32) uint32 {
	if refs.stage >= refsStageBorrowed {
		n &^= refsDelayed
	}
	return n
}

// refsIsContext reports whether the type at p is one of package context that contexts have.
//
//go:nowritebarrierrec
func refsIsContext(p uintptr) bool {
	t := (*_type)(unsafe.Pointer(p))
	if t == nil || t.Kind() == abi.Interface || t.TFlag&(abi.TFlagNamed|abi.TFlagUncommon) != abi.TFlagNamed|abi.TFlagUncommon || !refsModuleType(p) {
		return false
	}
	return toRType(t).nameOff(t.Uncommon().PkgPath).Name() == "context"
}

// noteDelayed notes that o, whose span has words, is to be scanned in refsStageBorrowed.
//
//go:nowritebarrierrec
func (o *refsObject) noteDelayed() {
	refs.delayed.Store(true)
	o.noteInWords()
}

// refsBorrowedJobs begins to scan borrowers, and returns the number of root jobs. They are
// claimed already, so that this is the second step of releasing what is held back.
func refsBorrowedJobs() uint32 {
	if !refs.delayed.Load() {
		return 0
	}
	jobs := refsReleaseJobs()
	refs.release = refsReleaseScan
	return jobs
}
