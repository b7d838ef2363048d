// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build darwin || freebsd || linux

package main

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFIFO checks that no command waits for a pipe that it should read.
func TestFIFO(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o666); err != nil {
		t.Skip(err)
	}
	text := writeTemp(t, []byte("no ELF file"))
	for _, args := range [][]string{
		{"top", fifo}, {"diff", fifo, fifo}, {"export", "pprof", fifo}, {"-http=:", fifo},
		{"core", fifo, text}, {"core", text, fifo}, {"core", "-o", text, fifo, fifo},
	} {
		if status, _, stderr := start(args...); status != 1 || !strings.Contains(stderr, "regular file") && !strings.Contains(stderr, "no ELF file") {
			t.Errorf("%v: status %d, %s", args, status, stderr)
		}
	}
}
