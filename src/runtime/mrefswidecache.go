// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// A wider cache of resolved references (mrefsclaim.go), for frames and closures of more
// variables than the cache of every P can have at the same time.
//
// It is made when such a frame or closure turns up, and takes the other's place. What the
// other has counted is added up with it when marking has ended. Its P alone uses it, and
// cannot be preempted meanwhile.

package runtime

import (
	"internal/runtime/sys"
	"unsafe"
)

const (
	refsWideCacheBits = 15
	refsManyVariables = refsCacheSize / 4
)

type refsWideCache struct {
	_       sys.NotInHeap
	entries [1 << refsWideCacheBits]refsCached
}

// widenCache makes the wider cache if there is a table that needs it, and memory.
//
//go:nowritebarrierrec
func (st *refsStack) widenCache() {
	if st.vars.largest < refsManyVariables || st.wide != nil || st.noWide {
		return
	}
	st.wide = (*refsWideCache)(refsSysAlloc(unsafe.Sizeof(refsWideCache{})))
	st.noWide = st.wide == nil
}

// flush adds the counts of all entries to their nodes.
func (w *refsWideCache) flush() {
	if w == nil {
		return
	}
	for i := range w.entries {
		w.entries[i].flush()
	}
}

func (w *refsWideCache) free() {
	if w != nil {
		refsSysFree(unsafe.Pointer(w), unsafe.Sizeof(*w))
	}
}
