// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime

import "unsafe"

// memPagesPresent sets one byte at present for each physical page of the n
// bytes at addr. It reports whether it has done so.
func memPagesPresent(addr, n uintptr, present *byte) bool {
	return mincore(unsafe.Pointer(addr), n, present) == 0
}
