// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds types by the addresses of their descriptors, which are in
// recordings.

package refpath

import (
	"reflect"
	"unsafe"
)

// TypeAt returns the type whose descriptor t points to, or nil if t is nil.
func TypeAt(t unsafe.Pointer) reflect.Type {
	if t == nil {
		return nil
	}
	// TypeOf does not read the value of an interface to find its type.
	eface := struct{ typ, data unsafe.Pointer }{typ: t}
	return reflect.TypeOf(*(*any)(unsafe.Pointer(&eface)))
}

// descriptor returns the address of the descriptor of t, or nil.
func descriptor(t reflect.Type) unsafe.Pointer {
	return (*struct{ itab, data unsafe.Pointer })(unsafe.Pointer(&t)).data
}
