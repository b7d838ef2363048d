// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime

import "unsafe"

// sysAllocOrNil is sysAllocOS for memory that the process can do without: it
// returns nil whatever the error is. sysAllocOS ends the process if memory is to
// be locked and RLIMIT_MEMLOCK does not allow it, or if a security module denies
// access.
//
//go:systemstack
//go:nowritebarrierrec
func sysAllocOrNil(n uintptr, vmaName string) unsafe.Pointer {
	p, errno := mmap(nil, n, _PROT_READ|_PROT_WRITE, _MAP_ANON|_MAP_PRIVATE, -1, 0)
	if errno != 0 {
		return nil
	}
	setVMAName(p, n, vmaName)
	return p
}
