// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Opened is a library that prints the profile cmemory, and calls Go while dlopen
// runs.
package main

// #include "opened.h"
import "C"

import (
	"fmt"
	"os"
	_ "runtime/cgo/mallocprofile"
	"runtime/pprof"
)

var early bool

//export beforeDlopenReturns
func beforeDlopenReturns() { early = true }

//export printProfile
func printProfile() {
	C.freeOfLibc()
	fmt.Println("early", early)
	if err := pprof.Lookup("cmemory").WriteTo(os.Stdout, 1); err != nil {
		fmt.Println(err)
	}
}

func main() {}
