// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Compat tries other people's code with the toolchain in goroot/. Each entry of
// a table (table*.go) has checks, such as that a module builds, that its own
// tests pass, or that a tool does its work. The modules and tools of an entry
// are pinned by version. Only the entry plugin has none. If a check fails,
// Compat repeats it with the upstream release of which gorefs is a fork, in the
// same run. The failure counts only if the check passes there, and fails with
// gorefs again. The last condition does not apply if the check crashed.
//
//	go run -C misc/compat . [-run REGEXP] [-subset] [-both] [-markdown] [-json] [-list]
//	go run -C misc/compat . [-run REGEXP] [-subset] -save FILE
//	go run -C misc/compat . -load FILE
//
// misc/compat.bash runs it and counts the results with misc/tally.
//
// The go command fetches modules and verifies them by the checksum database.
// Their dependencies are the ones that they pin themselves. The programs of
// this folder are in programs/. Each is a module that pins its dependencies,
// except speedscope, which is a script for node.
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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "compat:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parseOptions(args, stderr)
	if err != nil {
		return err
	}
	chosen, err := choose(entries(), o.pattern, o.subset)
	if err != nil {
		return err
	}
	if o.list {
		return writeList(stdout, chosen)
	}
	if o.load != "" {
		records, err := readRecords(o.load, chosen)
		if err != nil {
			return err
		}
		return writeMarkdown(stdout, records, o.command())
	}
	if _, err := os.Stat("programs"); err != nil {
		return errors.New("no folder programs here; run compat in its own folder, as 'go run -C misc/compat .'")
	}
	s, err := newSession(ctx, o, o.reporter(stdout, stderr))
	if err != nil {
		return err
	}
	defer s.close()
	results, err := s.run(ctx, chosen)
	if err != nil {
		return err
	}
	if o.markdown {
		if err := writeMarkdown(stdout, s.records(results), o.command()); err != nil {
			return err
		}
	}
	if n := count(results, failed); n > 0 {
		return fmt.Errorf("%d checks work with %s and not with %s", n, s.upstream.version, s.fork.version)
	}
	return nil
}
