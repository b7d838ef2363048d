// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Library cshared writes the profile memory of a C program.
package main

import "C"

import (
	"os"
	"runtime/pprof"
)

//export WriteMemory
func WriteMemory() { pprof.Lookup("memory").WriteTo(os.Stdout, 0) }

func main() {}
