// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !unix

package core

import (
	"io"
	"os"
)

// readFile returns the content of a file.
func readFile(f *os.File, size int64) ([]byte, func() error, error) {
	b := make([]byte, size)
	_, err := io.ReadFull(f, b)
	return b, func() error { return nil }, err
}
