// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package mallocprofile samples the memory that C and C++ code allocates, by
// the Go call stack that called C.
//
// A program imports it for its effect:
//
//	import _ "runtime/cgo/mallocprofile"
//
// [runtime/pprof.Lookup]("cmemory") then is a profile, which
// [net/http/pprof] serves at /debug/pprof/cmemory. Its values are those of the
// heap profile: alloc_objects, alloc_space, inuse_objects and inuse_space. The
// size of a block is its usable size. [runtime.MemProfileRate] is the average
// number of bytes between two samples; with GODEBUG=memprofilerate=N it is N
// from the first allocation of the process on. With GODEBUG=memprofilelabels=1
// samples have the labels of the goroutine.
//
// A call stack has the functions of C as far as frame pointers lead, and then
// those of the goroutine. Stacks without Go begin with a frame of this package:
// _CThread for threads that C made, _Runtime for threads at work for the
// runtime, _BeforeGo before this package was initialized, and _Lost for what
// found no room.
//
// The profile growth has what malloc maps as samples of the kind malloc, and in
// the profile memory the blocks that have mappings of their own are a class.
//
// The package defines malloc, calloc, realloc, free, posix_memalign,
// aligned_alloc, memalign, valloc and pvalloc in the executable, where they take
// the place of C's for all libraries. They call those of a preloaded library,
// such as jemalloc, or of the C library.
//
// It works on linux/amd64 and linux/arm64 with cgo and dynamic linking, and
// without the race detector and sanitizers. Elsewhere WriteTo of the profile
// returns an error that says why not.
package mallocprofile
