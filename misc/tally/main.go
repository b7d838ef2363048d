// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Tally reads what go test -json writes, of one or of many calls, and says in
// the end how many tests passed, failed and were skipped.
//
//	{ go test -json ./...; GOARCH=386 go test -json ./...; } | tally -known FILE
//
// It prints a line for each package, and what a failed test wrote. Tests of
// upstream's that are known to fail (known.go) are counted as skipped.
// Lines that are not events pass through, so that a script can run other
// commands in the same pipe; section.bash and section.go say how such a
// command's failure is counted. run.bash and all.bash end in a tally.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	known := flag.String("known", "", "read the tests that are known to fail from `file`")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: go test -json packages | tally [-known file]")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	ok, err := run(os.Stdin, os.Stdout, *known)
	if err != nil {
		fmt.Fprintln(os.Stderr, "tally:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// run tallies the stream in and reports whether all went well.
func run(in io.Reader, out io.Writer, knownFile string) (bool, error) {
	known, err := readKnown(knownFile)
	if err != nil {
		return false, err
	}
	t := newTally(out, known)
	if err := eachEvent(in, out, t.event); err != nil {
		return false, err
	}
	return t.finish(), nil
}
