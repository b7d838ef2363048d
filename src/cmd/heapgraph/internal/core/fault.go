// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file turns a fault in memory that is mapped from the files into an
// error. If a file becomes shorter while it is read, or its disk fails, the
// system sends a signal to the process that reads it.

package core

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"unsafe"
)

// writeGuarded is write, but returns an error if reading the mapped files
// causes a fault. It also returns an error after any other runtime error,
// because only damaged files cause one.
func writeGuarded(w io.Writer, exe, core *file, labels bool) (stats Stats, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		fault, ok := r.(runtime.Error)
		if !ok {
			panic(r)
		}
		stats = Stats{}
		err = fmt.Errorf("%s or %s is damaged: %v", core.name, exe.name, fault)
		if at, ok := fault.(interface{ Addr() uintptr }); ok {
			for _, f := range []*file{core, exe} {
				if f.has(at.Addr()) {
					err = fmt.Errorf("%s cannot be read, or has become shorter while it was read", f.name)
				}
			}
		}
	}()
	return write(w, exe, core, labels)
}

// has reports whether an address of this process is in the memory into which f
// is mapped.
func (f *file) has(addr uintptr) bool {
	return addr-uintptr(unsafe.Pointer(unsafe.SliceData(f.data))) < uintptr(len(f.data))
}
