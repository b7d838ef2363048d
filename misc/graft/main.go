// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Graft lays the overlay in this repository over an upstream Go release, as a
// stack of commits in goroot/, and brings edits that are made there back into
// the overlay. See usage.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

const usage = `Graft keeps goroot/ and the overlay in this repository in step.

	graft assemble [-upstream DIR] [-f]   make goroot/: upstream, then the change lists
	graft save [NAME]                     carry edits made in goroot/ into the overlay
	graft status                          does the overlay equal goroot/?
	graft export DIR                      write the change lists as mails for git am
	graft each [flags] [DIR]              does each change list build and pass its tests?
	graft each -list                      print how large the change lists are
	graft verify                          does the overlay hold our text only?
	graft rebase [-upstream DIR] VERSION  move the overlay to another release

graft CMD -h explains a command. Every command takes -C DIR, a directory of the
project (default: the current one). assemble, save, status and verify take
-base NAME, such as go1.26, to work on another release that lib/upstream.json
pins. Its goroot is goroot-1.26/. GOROOT_UPSTREAM=DIR names a local copy of the
pinned release, used in place of a download and verified in the same way: see
graft assemble -h. For another base, name the copies of both releases: DIR1:DIR2.
`

// A command is one subcommand. The parameter args of run has the arguments
// after the flags, and g has the values of the flags.
type command struct {
	args  string // arguments after the flags, for the usage line
	min   int    // least number of arguments
	max   int    // greatest number of arguments
	about string
	run   func(g *graft, args []string) error
}

var commands = map[string]command{
	"assemble": {"", 0, 0, assembleAbout, (*graft).assemble},
	"save":     {"[NAME]", 0, 1, saveAbout, (*graft).save},
	"status":   {"", 0, 0, statusAbout, (*graft).status},
	"export":   {"DIR", 1, 1, exportAbout, (*graft).export},
	"each":     {"[DIR]", 0, 1, eachAbout, (*graft).each},
	"verify":   {"", 0, 0, verifyAbout, (*graft).verify},
	"rebase":   {"VERSION", 1, 1, rebaseAbout, (*graft).rebase},
}

// A graft is one run of a command on one project.
type graft struct {
	project
	out      io.Writer
	upstream string // local copies of the pinned releases, as a list of directories; if empty, graft downloads them
	next     string // local copy of the release that rebase moves to or adds; if empty, graft downloads it
	force    bool
	from     int  // "graft each" tests the change lists from this number on
	short    bool // "graft each" runs no tests
	own      bool // "graft each" runs the overlay's tests, and not upstream's
	list     bool // "graft each" prints a table instead
	also     bool // "graft rebase" adds a base instead
	leaveOut bool // "graft rebase" moves the overlay without the edits that conflict

	releases map[pin]*upstream // opened and verified
	port     *port             // the overlay merged into the base, if a command has done that
}

// errFindings ends a command whose output has already explained the failure.
var errFindings = errors.New("findings")

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with its surroundings as parameters, for tests. It returns the
// exit status.
func run(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprint(stderr, usage)
		return 2
	}
	if args[0] == "-h" || args[0] == "-help" || args[0] == "--help" || args[0] == "help" {
		fmt.Fprint(stdout, usage)
		return 0
	}
	name := args[0]
	cmd, ok := commands[name]
	if !ok {
		fmt.Fprintf(stderr, "graft: no command %q\n%s", name, usage)
		return 2
	}
	g := &graft{out: stdout, upstream: os.Getenv("GOROOT_UPSTREAM")}
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	dir := flags.String("C", ".", "a `directory` of the project")
	base := ""
	switch name {
	case "assemble", "save", "status", "verify":
		flags.StringVar(&base, "base", "", "work on another base than the main one, such as `go1.26`")
	}
	switch name {
	case "rebase":
		flags.StringVar(&g.next, "upstream", "", "local copy of the new release, used in place of a download")
		flags.BoolVar(&g.also, "also", false, "make VERSION another base, beside those that there are")
		flags.BoolVar(&g.leaveOut, "leave-out", false, "leave the edits that conflict out, and move the overlay")
	case "assemble":
		flags.StringVar(&g.upstream, "upstream", g.upstream, "local copy of the release, used in place of a download")
		flags.BoolVar(&g.force, "f", false, "discard edits in goroot/ that are not saved")
	case "each":
		flags.IntVar(&g.from, "from", 1, "apply the change lists before the `N`th without testing them")
		flags.BoolVar(&g.short, "short", false, "build and vet the tests, and do not run them")
		flags.BoolVar(&g.own, "own", false, "run the tests that the overlay has, and none of upstream's")
		flags.BoolVar(&g.list, "list", false, "print a table of the change lists, and do nothing else")
	}
	flags.Usage = func() {
		fmt.Fprintf(flags.Output(), "usage: graft %s [flags] %s\n\n%s\n", name, cmd.args, cmd.about)
		flags.PrintDefaults()
	}
	if len(args) > 1 && (args[1] == "-h" || args[1] == "-help" || args[1] == "--help") {
		flags.SetOutput(stdout)
		flags.Usage()
		return 0
	}
	if err := flags.Parse(args[1:]); err != nil {
		return 2
	}
	if n := flags.NArg(); n < cmd.min || n > cmd.max {
		flags.Usage()
		return 2
	}
	err := openProject(*dir, &g.project)
	if err == nil && base != "" {
		err = g.choose(base)
	}
	if err == nil {
		err = cmd.run(g, flags.Args())
	}
	if err == nil {
		return 0
	}
	if err != errFindings {
		fmt.Fprintf(stderr, "graft %s: %v\n", name, err)
	}
	return 1
}

// say prints a text and a newline to g.out.
func (g *graft) say(format string, args ...any) {
	fmt.Fprintf(g.out, format+"\n", args...)
}
