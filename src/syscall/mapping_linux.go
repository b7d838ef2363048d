// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Mappings of memory by the program, which Syscall and Syscall6 tell the runtime of, for
// the growth profile. Nearly all pass there, for golang.org/x/sys/unix has assembly that
// jumps there, but not those of C code, of RawSyscall6, by shmat, or munmap by Syscall6.

package syscall

import _ "unsafe" // for linkname

// mmapTrap, the system call that maps memory, is noTrap where its arguments are in memory.
// They are not looked at, so that what becomes of these mappings is not either.
const (
	noTrap       = ^uintptr(0)
	seesMappings = mmapTrap != noTrap
)

// runtime_noteMapping is defined in runtime/growthmmap.go.
//
//go:linkname runtime_noteMapping runtime.noteMapping
func runtime_noteMapping(from, to uintptr, populated bool)

// mremapReplaces returns the length of the mapping that mremap has replaced, which it was
// told with these flags.
func mremapReplaces(length, flags uintptr) uintptr {
	const dontUnmap = 4 // MREMAP_DONTUNMAP
	if flags&dontUnmap != 0 {
		return 0
	}
	return length
}

// mmapPopulates reports whether a mapping with these flags gets memory at once.
func mmapPopulates(flags uintptr) bool {
	return flags&MAP_LOCKED != 0 || flags&(MAP_POPULATE|MAP_NONBLOCK) == MAP_POPULATE
}
