// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file parses flags and reports errors. The exit status is 1 if a
// condition of -fail-if is true, and 2 after errors.

package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"time"

	"golang.org/x/term"
)

// An invocation has the flags and arguments.
type invocation struct {
	seconds float64
	timeout time.Duration
	graph   bool
	force   bool
	out     string
	base    string
	limit   string
	failIf  string
	json    bool

	http      string
	noBrowser bool

	stdout, stderr io.Writer

	release func() // stops catching interrupts
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run runs memreport and returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	c := &invocation{stdout: stdout, stderr: stderr, release: func() {}}
	defer func() { c.release() }()
	fs := c.flags()
	if len(args) > 0 && args[0] == "help" {
		args = []string{"-h"}
	}
	switch err := fs.Parse(args); {
	case err == flag.ErrHelp:
		usage(stdout, fs)
		return 0
	case err != nil:
		return c.fail(err)
	case fs.NArg() == 0:
		usage(stderr, fs)
		return 2
	case lateFlag(fs.Args()) != "":
		return c.fail(fmt.Errorf("%s: flags stand before the URL, the folder or the executable", lateFlag(fs.Args())))
	case fs.NArg() > 2:
		return c.fail(fmt.Errorf("%d arguments: there is one, a URL or a folder, or two, an executable and its core file; flags stand before them", fs.NArg()))
	}
	status, err := c.report(fs.Args())
	if err != nil {
		return c.fail(err)
	}
	return status
}

// lateFlag returns a flag among the arguments after the first one, or "".
func lateFlag(args []string) string {
	for _, arg := range args[1:] {
		if strings.HasPrefix(arg, "-") {
			return arg
		}
	}
	return ""
}

func (c *invocation) fail(err error) int {
	fmt.Fprintf(c.stderr, "memreport: %s\n", printable(err.Error()))
	return 2
}

func (c *invocation) say(format string, args ...any) {
	fmt.Fprintf(c.stderr, "memreport: %s\n", printable(fmt.Sprintf(format, args...)))
}

// passed reports on a terminal how much of the watch is over.
func (c *invocation) passed(moments int) {
	if f, ok := c.stderr.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
		return
	}
	end := "\r"
	if moments == spaced {
		end = "\n"
	}
	fmt.Fprintf(c.stderr, "memreport: %3d%%%s", 100*(moments-1)/(spaced-1), end)
}

func (c *invocation) flags() *flag.FlagSet {
	fs := flag.NewFlagSet("memreport", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	fs.Float64Var(&c.seconds, "seconds", 30, "watch a server for `N` seconds")
	fs.DurationVar(&c.timeout, "timeout", time.Minute, "wait so long for the answer to each request")
	fs.BoolVar(&c.graph, "graph", false, "take a heap graph, too, which shows elements that nothing refers to any more")
	fs.BoolVar(&c.force, "force", false, "record references even if a server is near its limit of memory")
	fs.StringVar(&c.out, "o", "", "keep what a server answers in a new `folder` (default: a temporary one)")
	fs.StringVar(&c.base, "base", "", "compare with an older `folder`")
	fs.StringVar(&c.limit, "limit", "", "the memory limit of the server, which does not report it, such as `512MB`")
	fs.StringVar(&c.failIf, "fail-if", "", "exit with 1 if one of the `conditions` is true, such as live>500MB,growth>1MB/s")
	fs.BoolVar(&c.json, "json", false, "print the report for programs")
	fs.StringVar(&c.http, "http", "", "serve the report as a page at `address`, such as localhost:8080 or :")
	fs.BoolVar(&c.noBrowser, "no_browser", false, "with -http, do not open a browser")
	return fs
}

func usage(w io.Writer, fs *flag.FlagSet) {
	fmt.Fprint(w, `Memreport reports why a process takes so much memory.

Usage: go tool memreport [flags] URL
       go tool memreport [flags] folder
       go tool memreport [flags] executable core

The URL is of a server with net/http/pprof, such as http://localhost:6060; the
folder is one that -o or runtime/evidence has written; the core file is of the
executable. “go doc cmd/memreport” explains the report.

Flags:
`)
	fs.SetOutput(w)
	fs.PrintDefaults()
}

// report makes the report of the arguments, prints it, and returns the exit
// status.
func (c *invocation) report(args []string) (int, error) {
	conditions, limit, err := c.check()
	if err != nil {
		return 0, err
	}
	if c.http != "" {
		return 0, c.serve(args, limit)
	}
	f, err := c.facts(args, limit)
	if err != nil {
		return 0, err
	}
	findings := find(f)
	var out bytes.Buffer
	if c.json {
		err = writeJSON(&out, f, findings)
	} else {
		err = writeText(&out, f, findings)
	}
	if err != nil {
		return 0, err
	}
	if _, err := c.stdout.Write(out.Bytes()); err != nil {
		return 0, err
	}
	failed, err := check(conditions, f, findings)
	if err != nil || len(failed) == 0 {
		return 0, err
	}
	for _, text := range failed {
		c.say("failed: %s", text)
	}
	return 1, nil
}

// facts returns the facts of the arguments.
func (c *invocation) facts(args []string, limit int64) (*facts, error) {
	var base *take
	if c.base != "" {
		var err error
		if base, err = readTake(c.base); err != nil {
			return nil, err
		}
	}
	t, err := c.take(args, limit)
	if err != nil {
		return nil, err
	}
	if limit > 0 {
		t.Limit = limit
	}
	if base != nil {
		if err := checkBase(base, t); err != nil {
			return nil, err
		}
		return compared(base, t), nil
	}
	return newFacts(t), nil
}

// check returns the values of flags.
func (c *invocation) check() (conditions []condition, limit int64, err error) {
	if !(c.seconds > 0 && c.seconds <= 86400) {
		return nil, 0, fmt.Errorf("-seconds=%v: the watch takes more than 0, and at most 86400", c.seconds)
	}
	if c.timeout <= 0 {
		return nil, 0, fmt.Errorf("-timeout=%v is not positive", c.timeout)
	}
	switch {
	case c.http == "" && c.noBrowser:
		return nil, 0, errors.New("-no_browser is for -http")
	case c.http != "" && (c.json || c.failIf != ""):
		return nil, 0, errors.New("-http serves a page, and so there is neither -json nor -fail-if")
	}
	if c.limit != "" {
		n, err := parseSize(c.limit)
		if err != nil {
			return nil, 0, fmt.Errorf("-limit: %w", err)
		}
		limit = int64(n)
	}
	if c.failIf != "" {
		conditions, err = parseConditions(c.failIf)
	}
	return conditions, limit, err
}

// take reads a folder or a core file, or takes the profiles of a server and keeps
// them.
func (c *invocation) take(args []string, limit int64) (*take, error) {
	_, err := os.Stat(args[0])
	u := serverURL(args[0])
	served := len(args) == 1 && err != nil && u != nil
	if c.graph && (err == nil || len(args) == 2) {
		return nil, errors.New("-graph is for a server: of a folder or a core file, the graph that is there is read")
	}
	if len(args) == 2 {
		dir, err := c.newFolder()
		if err != nil {
			return nil, err
		}
		t, err := c.readCore(args[0], args[1], dir)
		if err != nil {
			os.Remove(dir) // if it is empty
		}
		return t, err
	}
	if !served {
		if c.out != "" {
			return nil, fmt.Errorf("-o needs a URL or a core file, and %s is neither", args[0])
		}
		return readTake(args[0])
	}
	return c.watch(u, limit)
}

// newFolder returns the folder of -o, or a temporary one.
func (c *invocation) newFolder() (string, error) {
	if c.out != "" {
		return c.out, nil
	}
	return os.MkdirTemp("", "memreport")
}

// watch takes the profiles of a server. It makes the folder of -o before, because
// a watch takes long. An interrupt ends the watch, and not the report of it, even
// if a second one follows, as go tool sends.
func (c *invocation) watch(u *url.URL, limit int64) (*take, error) {
	_, old := os.Stat(c.out)
	if c.out != "" {
		if err := makeEmpty(c.out); err != nil {
			return nil, err
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	c.release = stop
	f := &fetcher{ctx: ctx, url: u, timeout: c.timeout, force: c.force, sites: c.out != "" || c.base != "", graph: c.graph, say: c.say, passed: c.passed}
	t, err := f.watch(time.Duration(c.seconds * float64(time.Second)))
	if err != nil {
		if c.out != "" && os.IsNotExist(old) {
			os.Remove(c.out)
		}
		return nil, err
	}
	t.Limit = limit
	return c.keep(t)
}

// keep stores a take. Without -o, there is a report even if that is not possible.
func (c *invocation) keep(t *take) (*take, error) {
	dir, err := c.newFolder()
	if err == nil {
		err = t.store(dir)
	}
	switch {
	case err != nil && c.out == "":
		c.say("the profiles are not kept: %v", err)
		os.RemoveAll(dir)
		return t, nil
	case err != nil:
		return nil, err
	}
	c.say("the profiles are in %s", dir)
	return readTake(dir)
}
