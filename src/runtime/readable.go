// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// What the memory profiles and the recorder of references ask before they read
// memory that the program may have replaced by something else.

package runtime

import "unsafe"

// isReadable reports whether the n bytes at ptr may be read: they lie in a
// module's types or other read-only data, or in one object of the heap.
//
//go:nowritebarrierrec
func isReadable(ptr unsafe.Pointer, n uintptr) bool {
	p := uintptr(ptr)
	for md := &firstmoduledata; md != nil; md = md.next {
		if p >= md.types && p < md.etypes {
			return n <= md.etypes-p
		}
		if p >= md.rodata && p < md.epclntab {
			return n <= md.epclntab-p
		}
	}
	s := spanOfHeap(p)
	return s != nil && n <= s.base()+(s.objIndex(p)+1)*s.elemsize-p
}
