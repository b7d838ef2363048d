// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build unix

package core

import (
	"os"
	"syscall"
)

// readFile returns the content of a file. It maps the file, so that the system
// reads the content only when it is used.
func readFile(f *os.File, size int64) ([]byte, func() error, error) {
	if size == 0 {
		return nil, func() error { return nil }, nil
	}
	b, err := syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		return nil, nil, os.NewSyscallError("mmap", err)
	}
	return b, func() error { return syscall.Munmap(b) }, nil
}
