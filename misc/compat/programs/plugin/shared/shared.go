// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Shared is a C library in Go. It collects garbage and takes a profile of
// goroutines on a thread that C made.
package main

import "C"

import (
	"io"
	"runtime"
	"runtime/pprof"
)

var lines []string

//export Add
func Add(text *C.char) C.int {
	lines = append(lines, C.GoString(text))
	runtime.GC()
	if err := pprof.Lookup("goroutine").WriteTo(io.Discard, 0); err != nil {
		return -1
	}
	return C.int(len(lines))
}

func main() {}
