// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes snapshots in other formats. Messages go to standard error,
// because standard output is for the data.

package main

import (
	"flag"
	"fmt"
	"io"
)

var exportCommand = &command{
	name:  "export",
	args:  "pprof|heapsnapshot snapshot",
	nargs: 2,
	short: "write a profile for pprof, or a heap snapshot for Chrome",
	long: `Export pprof writes the dominator tree as a profile. Its frames are the names
that tree prints, and (not reached) for objects that no root reaches. Flat
values are the sizes of objects. Cumulative values are retained sizes, which the
flame graph of go tool pprof -http shows.
Export heapsnapshot writes all objects and references in the format of the
memory panel of Chrome's developer tools, which expects a file whose name ends
with .heapsnapshot.`,
	setup: func(fs *flag.FlagSet) func(*task, []string) error {
		c := new(export)
		fs.StringVar(&c.o, "o", "", "write to `file` in place of standard output")
		return c.run
	},
}

// export has the flags of the command.
type export struct{ o string }

// exports has the formats.
var exports = map[string]func(*snapshot, io.Writer) error{
	"pprof":        (*snapshot).writeProfile,
	"heapsnapshot": (*snapshot).writeHeapSnapshot,
}

func (c *export) run(t *task, args []string) error {
	write := exports[args[0]]
	switch {
	case write == nil:
		return usageError(fmt.Sprintf("%s is not a format: pprof and heapsnapshot are", args[0]))
	case isStdout(c.o) && !t.toFile:
		return usageError("standard output is a terminal: use -o file")
	}
	if err := checkOutput(c.o, args[1]); err != nil {
		return err
	}
	s, err := t.load(args[1])
	if err != nil {
		return err
	}
	for _, line := range s.header() {
		fmt.Fprintf(t.progress.w, "heapgraph: %s\n", printable(line))
	}
	defer t.progress.begin("writing")()
	if isStdout(c.o) {
		return write(s, t.out)
	}
	return writeFile(c.o, func(w io.Writer) error { return write(s, w) })
}
