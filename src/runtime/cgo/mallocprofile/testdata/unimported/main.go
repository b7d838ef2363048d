// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Unimported calls C, and has profiles, but does not import mallocprofile.
package main

// #include <stdlib.h>
import "C"

import (
	"os"
	"runtime/pprof"
)

func main() {
	C.free(C.malloc(1))
	pprof.Lookup("heap").WriteTo(os.Stdout, 0)
}
