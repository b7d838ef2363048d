// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Opened is a library that prints the profile cmemory.
package main

import "C"

import (
	"fmt"
	"os"
	_ "runtime/cgo/mallocprofile"
	"runtime/pprof"
)

//export printProfile
func printProfile() {
	if err := pprof.Lookup("cmemory").WriteTo(os.Stdout, 1); err != nil {
		fmt.Println(err)
	}
}

func main() {}
