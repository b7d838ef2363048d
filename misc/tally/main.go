// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Tally reads the output of go test -json, from one or many calls, and prints
// at the end how many tests passed, failed and were skipped.
//
//	{ go test -json ./...; GOARCH=386 go test -json ./...; } | tally -known FILE
//
// It prints a line for each package that has tests or fails, and the output of
// each failed test. It counts upstream tests that are known to fail (known.go)
// as skipped. Lines that are not events pass through, so that a script can run
// other commands in the same pipe. tally.bash and section.go explain how the
// failure of such a command is counted. run.bash, all.bash, misc/compat.bash
// and misc/stress.bash end with a tally.
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

// run tallies a stream of events, and reports whether tests ran and nothing
// failed.
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
