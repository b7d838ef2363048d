// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Mappings of memory by the program. Syscall and Syscall6 report them to the
// runtime, for the growth profile. These two functions see nearly all mappings,
// because the assembly of golang.org/x/sys/unix jumps to them. They do not see
// the mappings of C code, of RawSyscall6 and of shmat, nor an munmap by
// RawSyscall or Syscall6.

package syscall

import _ "unsafe" // for linkname

// mmapTrap is the number of the system call that maps memory. It is noTrap
// where that call takes its arguments in memory. Package syscall does not read
// those arguments. On such systems, the package does not report unmapping and
// remapping, either.
const (
	noTrap       = ^uintptr(0)
	seesMappings = mmapTrap != noTrap
)

// runtime_recordMapping is defined in runtime/growthevent.go.
//
//go:linkname runtime_recordMapping runtime.recordGrowthOfMapping
func runtime_recordMapping(old, from, new, to uintptr, populated bool)

// runtime_forgetMapping is defined in runtime/growthevent.go.
//
//go:linkname runtime_forgetMapping runtime.forgetMapping
func runtime_forgetMapping(addr, n uintptr)

// mremapReplaces returns the length of the mapping that a call of mremap has
// replaced. length and flags are arguments of that call.
//
//go:nosplit
func mremapReplaces(length, flags uintptr) uintptr {
	const dontUnmap = 4 // MREMAP_DONTUNMAP
	if flags&dontUnmap != 0 {
		return 0
	}
	return length
}

// mmapPopulates reports whether a mapping with these flags gets memory at once.
//
//go:nosplit
func mmapPopulates(flags uintptr) bool {
	return flags&MAP_LOCKED != 0 || flags&(MAP_POPULATE|MAP_NONBLOCK) == MAP_POPULATE
}

// mmapAnonymous returns the address of a new mapping with these flags if it is
// private memory without a file, and 0 if it is not.
//
//go:nosplit
func mmapAnonymous(addr, flags uintptr) uintptr {
	if flags&(MAP_ANONYMOUS|MAP_PRIVATE) != MAP_ANONYMOUS|MAP_PRIVATE {
		return 0
	}
	return addr
}
