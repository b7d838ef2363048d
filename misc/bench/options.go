// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"time"
)

// options are the options on the command line.
type options struct {
	goroot   string // the fork
	upstream string // if empty, the pinned release, through the go command
	out      string
	count    int
	pattern  *regexp.Regexp // if nil, all that are not slow
	list     bool
	markdown bool
}

// parseOptions returns the options in args. If a flag is wrong, it prints the
// usage, and the caller prints the error.
func parseOptions(args []string, stderr io.Writer) (*options, error) {
	o := new(options)
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.goroot, "goroot", "../../goroot", "the `folder` of the fork's toolchain")
	f.StringVar(&o.upstream, "upstream", "", "the `folder` of upstream's toolchain (default: the pinned release, through the go command)")
	f.StringVar(&o.out, "o", "", "the `folder` that keeps the raw measurements and the table (default: out/TIME)")
	f.IntVar(&o.count, "count", 6, "how often each benchmark runs on each side; 6 is the least that gives a 95% confidence interval")
	f.BoolVar(&o.list, "list", false, "list the benchmarks and run none")
	f.BoolVar(&o.markdown, "markdown", false, "print the table as Markdown")
	f.Func("run", "run the benchmarks that match this `regexp` (default: all that are not slow)", func(s string) (err error) {
		o.pattern, err = regexp.Compile(s)
		return err
	})
	if err := f.Parse(args); err != nil {
		f.SetOutput(stderr)
		f.Usage()
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q; benchmarks are chosen with -run", f.Arg(0))
	}
	if o.count < 1 {
		return nil, fmt.Errorf("-count %d: want at least 1", o.count)
	}
	if o.out == "" {
		o.out = filepath.Join("out", time.Now().Format("20060102-150405"))
	}
	return o, nil
}
