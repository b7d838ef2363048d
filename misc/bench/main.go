// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Bench compares the toolchain in goroot/ with the upstream release of which it
// is a fork. Both build the same benchmarks, which run in turns, and a table
// gives the ratios. README.md explains how to read it.
//
// main.go is the command line. A benchmark (benchmark.go) belongs to a suite
// (suites.go). session.go runs the chosen benchmarks on two sides (side.go) and
// collects measurements (measurement.go). rawfile.go keeps the measurements,
// and comparison.go and table.go make the table.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == recordCommand {
		os.Exit(recordTool(os.Args[2:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run runs the command. It writes the table to stdout, and progress to stderr.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parseOptions(args, stderr)
	if err != nil {
		return err
	}
	chosen, err := choose(suites(), o.pattern)
	if err != nil {
		return err
	}
	if o.list {
		return writeList(stdout, chosen)
	}
	if err := inProject(); err != nil {
		return err
	}
	s, err := newSession(ctx, o, stderr)
	if err != nil {
		return err
	}
	defer s.close()
	failed := s.run(ctx, chosen)
	return errors.Join(failed, s.report(stdout, o.markdown))
}

// inProject checks that the benchmarks' sources are in the expected place.
func inProject() error {
	if _, err := os.Stat("programs"); err != nil {
		return errors.New("no folder programs here; run bench in its own folder, as 'go run -C misc/bench .'")
	}
	return nil
}
