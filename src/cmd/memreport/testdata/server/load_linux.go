// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"log"
	"syscall"
)

// load maps a file's worth of memory, and never unmaps it.
func load() {
	if _, err := syscall.Mmap(-1, 0, 1<<20, syscall.PROT_READ, syscall.MAP_ANON|syscall.MAP_PRIVATE); err != nil {
		log.Fatal(err)
	}
}
