// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"flag"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"
)

type options struct {
	run      string
	pattern  *regexp.Regexp // if nil, all
	subset   bool
	both     bool
	json     bool
	markdown bool
	list     bool
	keep     bool
	limit    time.Duration // of one check with one toolchain
	root     string
	save     string
	load     string
}

func parseOptions(args []string, stderr io.Writer) (*options, error) {
	o := new(options)
	f := flag.NewFlagSet("compat", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.run, "run", "", "only the entries whose names match `regexp`")
	f.BoolVar(&o.subset, "subset", false, "leave out checks that take long")
	f.BoolVar(&o.both, "both", false, "run each check with upstream's toolchain, too, even if it passes with gorefs")
	f.BoolVar(&o.json, "json", false, "write events for misc/tally")
	f.BoolVar(&o.markdown, "markdown", false, "write the table of doc/compat.md, and progress to standard error")
	f.BoolVar(&o.list, "list", false, "list the entries and checks and exit")
	f.BoolVar(&o.keep, "keep", false, "keep the temporary folder")
	f.DurationVar(&o.limit, "limit", 40*time.Minute, "end a check after this time")
	f.StringVar(&o.save, "save", "", "append the results to `file`")
	f.StringVar(&o.load, "load", "", "write the table of doc/compat.md from the results in `file`, and run nothing")
	f.StringVar(&o.root, "root", "../..", "the project's `folder`")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	if o.json && o.markdown {
		return nil, fmt.Errorf("-json and -markdown exclude each other")
	}
	if o.run != "" {
		var err error
		o.pattern, err = regexp.Compile(o.run)
		return o, err
	}
	return o, nil
}

// command returns the command line that repeats the run, for the document.
func (o *options) command() string {
	if o.load != "" {
		return "go run -C misc/compat . -save FILE; go run -C misc/compat . -load FILE"
	}
	args := []string{"go run -C misc/compat . -markdown"}
	if o.both {
		args = append(args, "-both")
	}
	if o.subset {
		args = append(args, "-subset")
	}
	if o.run != "" {
		args = append(args, fmt.Sprintf("-run '%s'", o.run))
	}
	return strings.Join(args, " ")
}

func (o *options) reporter(stdout, stderr io.Writer) *reporter {
	if o.markdown {
		return &reporter{out: stderr}
	}
	return &reporter{out: stdout, events: o.json}
}
