// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The type of a cleanup's argument. AddCleanup copies the argument to memory
// that does not have the type. The function that calls the cleanup has captured
// its dictionary, and the only entry of the dictionary is the type of pointers
// to the argument. A cleanup therefore takes no memory for the type.

package runtime

import (
	"internal/abi"
	"internal/goarch"
	"unsafe"
)

// cleanupCall returns a function that calls fn(*arg). It uses no type but *S, so
// that the dictionary has no other entry. Inlined, the function would get the
// dictionary of AddCleanup.
//
//go:noinline
func cleanupCall[S any]() func(fn *funcval, arg unsafe.Pointer) {
	return func(fn *funcval, arg unsafe.Pointer) {
		if fn == nil {
			throwNoCleanup((*S)(nil))
		}
		cleanup := *(*func(S))(unsafe.Pointer(&fn))
		cleanup(*(*S)(arg))
	}
}

// throwNoCleanup throws because a cleanup whose argument is a pointer like arg
// has no function.
func throwNoCleanup(arg any) {
	println("runtime: argument", toRType(efaceOf(&arg)._type).string())
	throw("cleanup without function")
}

// refsCleanupType returns the type of the argument of a cleanup, or nil. call is
// the address of the function that calls the cleanup, or 0.
//
//go:nowritebarrierrec
func refsCleanupType(call uintptr) *_type {
	if call == 0 {
		return nil
	}
	dict := *(**[1]*_type)(unsafe.Pointer(call + goarch.PtrSize))
	if !isReadable(unsafe.Pointer(dict), goarch.PtrSize) {
		return nil
	}
	if t := dict[0]; refsTypeOK(t) && t.Kind() == abi.Pointer {
		return (*ptrtype)(unsafe.Pointer(t)).Elem
	}
	return nil
}
