// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Minimal prints the profile cmemory.
package main

import (
	"log"
	"os"
	_ "runtime/cgo/mallocprofile"
	"runtime/pprof"
)

func main() {
	if err := pprof.Lookup("cmemory").WriteTo(os.Stdout, 1); err != nil {
		log.Fatal(err)
	}
}
