// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime

import (
	"internal/goarch"
	"unsafe"
)

// refsItabOK reports whether p may be read as an itab: it is in a module's
// itabs, or in memory in which the runtime makes itabs.
//
//go:nowritebarrierrec
func refsItabOK(p uintptr) bool {
	if p%goarch.PtrSize != 0 {
		return false
	}
	for md := &firstmoduledata; md != nil; md = md.next {
		if itabs := md.types + md.itaboffset; p >= itabs && p < itabs+md.itabsize {
			return true
		}
	}
	return inPersistentAlloc(p) && inPersistentAlloc(p+unsafe.Sizeof(itab{})-1)
}
