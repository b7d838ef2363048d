// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !linux

package runtime

import "unsafe"

// sysAllocOrNil is sysAllocOS, which returns nil whatever the error is, but on
// AIX, where it ends the process if the system denies memory.
//
//go:systemstack
//go:nowritebarrierrec
func sysAllocOrNil(n uintptr, vmaName string) unsafe.Pointer { return sysAllocOS(n, vmaName) }
