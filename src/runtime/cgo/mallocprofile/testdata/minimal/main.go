// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Minimal allocates in ways in which a C library may call its own functions, and
// prints the profile cmemory.
package main

/*
#include <malloc.h>
#include <stdlib.h>

static void viaCalloc(void) { for (int i = 0; i < 100000; i++) { void *volatile p = calloc(1, 100); } }
static void viaMemalign(void) { for (int i = 0; i < 100000; i++) { void *volatile p = memalign(16, 100); } }
static void viaPosix(void) { for (int i = 0; i < 100000; i++) { void *p; if (posix_memalign(&p, 16, 100)) abort(); } }
*/
import "C"

import (
	"log"
	"os"
	_ "runtime/cgo/mallocprofile"
	"runtime/pprof"
)

func main() {
	if len(os.Args) > 1 {
		C.viaCalloc()
		C.viaMemalign()
		C.viaPosix()
	}
	if err := pprof.Lookup("cmemory").WriteTo(os.Stdout, 1); err != nil {
		log.Fatal(err)
	}
}
