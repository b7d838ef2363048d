// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has the parts that all commands share: where they print, and their
// common flags.

package main

import (
	"bufio"
	"flag"
	"io"
	"os"

	"golang.org/x/term"
)

// A task is one run of a command.
type task struct {
	out      *bufio.Writer
	toFile   bool // out is not a terminal
	progress *progress

	byFunc bool
	bytes  bool
	memory int64 // megabytes
}

func newTask(stdout, stderr io.Writer) *task {
	return &task{
		out:      bufio.NewWriter(stdout),
		toFile:   !isTerminal(stdout),
		progress: &progress{w: stderr, terminal: isTerminal(stderr)},
	}
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// addFlags adds the flags that all commands have.
func (t *task) addFlags(fs *flag.FlagSet) {
	fs.BoolVar(&t.bytes, "bytes", false, "print sizes in bytes")
	fs.BoolVar(&t.byFunc, "byfunc", false, "treat all goroutines that began with the same function as one root")
	fs.Int64Var(&t.memory, "memory", 0, "read a snapshot that takes up to so many `megabytes` (default 512 and 256 times its size)")
	fs.BoolVar(&t.progress.verbose, "v", false, "report progress, even if standard error is no terminal")
}
