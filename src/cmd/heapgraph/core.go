// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file makes a snapshot from a core file.

package main

import (
	"cmd/heapgraph/internal/core"
	"cmd/internal/filetool"
	"flag"
	"fmt"
	"io"
)

var coreCommand = &command{
	name:  "core",
	args:  "executable core",
	nargs: 2,
	short: "make a snapshot from a core file",
	long: `Core writes a snapshot of the heap of a process that ended with a core file, or
of which gcore made one. The executable is the one that was running. It may be
stripped. If a program of another language has loaded Go as a shared library,
name the library in place of the executable. The program must have been built
with gorefs, for linux/amd64. Objects that no root reaches are not in the
snapshot, even if no collection has freed them yet. A program that could not
write a snapshot itself has no table of variables. Then few types are known, and
global variables have names only if the program is not stripped. Programs that
import net/http/pprof or use pprof.Lookup have a table.`,
	setup: func(fs *flag.FlagSet) func(*task, []string) error {
		c := new(coreFile)
		fs.StringVar(&c.o, "o", "", "write to `file` in place of standard output")
		fs.BoolVar(&c.labels, "labels", false, "write the labels of goroutines")
		return c.run
	},
}

// coreFile has the flags of the command.
type coreFile struct {
	o      string
	labels bool
}

func (c *coreFile) run(t *task, args []string) error {
	if isStdout(c.o) && !t.toFile {
		return usageError("standard output is a terminal: use -o file")
	}
	if err := checkOutput(c.o, args...); err != nil {
		return err
	}
	if err := filetool.CheckCore("go tool heapgraph core", args[0], args[1]); err != nil {
		return err
	}
	var stats core.Stats
	write := func(w io.Writer) (err error) {
		stats, err = core.Write(w, args[0], args[1], c.labels)
		return err
	}
	end := t.progress.begin("reading " + args[1])
	var err error
	if isStdout(c.o) {
		err = write(t.out)
	} else {
		err = writeFile(c.o, write)
	}
	end()
	if err != nil {
		return err
	}
	if !stats.Variables {
		fmt.Fprintln(t.progress.w, "heapgraph: the program has no table of its variables, because it cannot write a snapshot itself, or is linked dynamically: few types are known")
	}
	if stats.Damaged > 0 {
		fmt.Fprintf(t.progress.w, "heapgraph: %s could not be read, because the core file does not have the memory or was made while the heap changed\n", count(stats.Damaged, "span"))
	}
	for _, line := range stackWarnings(stats) {
		fmt.Fprintf(t.progress.w, "heapgraph: %s\n", line)
	}
	return nil
}
