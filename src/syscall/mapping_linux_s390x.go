// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package syscall

// These are no system calls: mmap's arguments are in memory here, and are not looked at, so
// that what becomes of its mappings is not either.
const (
	mmapTrap   = ^uintptr(0)
	munmapTrap = ^uintptr(0)
	mremapTrap = ^uintptr(0)
)
