// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds the command, parses its flags, and reports errors. The exit
// status is 2 if the usage is wrong and 1 after other errors.

package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// A command is a command of heapgraph.
type command struct {
	name  string
	args  string // arguments, as the usage has them
	short string // description in one line
	long  string // description in full

	nargs    int // number of arguments
	optional int // number of further arguments that it may have

	// setup adds the flags of the command. The function that it returns
	// runs the command after the flags are parsed.
	setup func(*flag.FlagSet) func(*task, []string) error
}

// commands returns the commands, in the order of the usage.
func commands() []*command {
	return []*command{
		topCommand, suspectsCommand, treeCommand, whyCommand, objectCommand,
		retainedCommand, diffCommand, exportCommand, coreCommand,
	}
}

// A usageError is an error in the arguments.
type usageError string

func (e usageError) Error() string { return string(e) }

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run runs heapgraph and returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		usage(stderr)
		return 2
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		return help(args[1:], stdout, stderr)
	}
	c := find(args[0])
	switch c {
	case nil:
		fmt.Fprintf(stderr, "heapgraph: there is no command %q: see “go tool heapgraph help”\n", args[0])
		return 2
	case httpCommand:
		return c.main(args, stdout, stderr)
	}
	return c.main(args[1:], stdout, stderr)
}

// find returns the command with a name, or nil. If the argument is a flag and
// not a name, it returns httpCommand.
func find(name string) *command {
	if strings.HasPrefix(name, "-") {
		return httpCommand
	}
	for _, c := range commands() {
		if c.name == name {
			return c
		}
	}
	return nil
}

// main runs c. args are the arguments after the command's name or, for
// httpCommand, which is run without a name, all arguments.
func (c *command) main(args []string, stdout, stderr io.Writer) int {
	t := newTask(stdout, stderr)
	fs, do := c.flags(t)
	args, err := parse(fs, args)
	switch {
	case err == flag.ErrHelp:
		c.usage(stdout, fs)
		return 0
	case err == nil:
		err = c.check(args)
	}
	if err == nil {
		err = do(t, args)
	}
	if e := t.out.Flush(); err == nil {
		err = e
	}
	if err == nil {
		return 0
	}
	fmt.Fprintf(stderr, "heapgraph: %s\n", printable(message(err)))
	if errors.As(err, new(usageError)) {
		fmt.Fprintf(stderr, "See “go tool heapgraph help %s”.\n", c.name)
		return 2
	}
	return 1
}

// check returns an error if there are too many or too few arguments.
func (c *command) check(args []string) error {
	if c.nargs <= len(args) && len(args) <= c.nargs+c.optional {
		return nil
	}
	number := count(int64(c.nargs), "argument")
	if c.optional > 0 {
		number = fmt.Sprintf("%d to %d arguments", c.nargs, c.nargs+c.optional)
	}
	return usageError(fmt.Sprintf("%s takes %s, and not %d: %s", c.name, number, len(args), c.args))
}

// message returns the text of err, without the prefix of errors of package
// debug/heapgraph, because this command adds the same prefix.
func message(err error) string { return strings.TrimPrefix(err.Error(), "heapgraph: ") }

// flags returns the flags of c, and the function that runs c after they are
// parsed.
func (c *command) flags(t *task) (*flag.FlagSet, func(*task, []string) error) {
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	t.addFlags(fs)
	return fs, c.setup(fs)
}

// parse parses flags before, between and after arguments, and returns the
// arguments.
func parse(fs *flag.FlagSet, args []string) ([]string, error) {
	var rest []string
	for {
		if err := fs.Parse(args); err != nil {
			if err != flag.ErrHelp {
				err = usageError(err.Error())
			}
			return nil, err
		}
		n := len(args) - fs.NArg()
		if n > 0 && args[n-1] == "--" {
			return append(rest, fs.Args()...), nil
		}
		if fs.NArg() == 0 {
			return rest, nil
		}
		rest = append(rest, fs.Arg(0))
		args = fs.Args()[1:]
	}
}

// help prints the usage of heapgraph, or of a command.
func help(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		usage(stdout)
		return 0
	}
	c := find(args[0])
	if c == nil || len(args) > 1 {
		fmt.Fprintf(stderr, "heapgraph: there is no help for %q\n", strings.Join(args, " "))
		return 2
	}
	fs, _ := c.flags(newTask(stdout, stderr))
	c.usage(stdout, fs)
	return 0
}

// usage prints the usage of heapgraph.
func usage(w io.Writer) {
	b := bufio.NewWriter(w)
	defer b.Flush()
	fmt.Fprint(b, "Heapgraph explains snapshots of the heap graph.\n\n"+
		"Usage: go tool heapgraph command [flags] arguments\n\nThe commands are:\n\n")
	for _, c := range commands() {
		fmt.Fprintf(b, "\t%-9s %s\n", c.name, c.short)
	}
	fmt.Fprintf(b, "\nor, in a browser:\n\n\tgo tool heapgraph %s [flags] %s\n", httpCommand.name, httpCommand.args)
	fmt.Fprint(b, "\nA snapshot is a file, or a URL such as\n"+
		"http://localhost:6060/debug/pprof/heapgraph.\n"+
		"“go tool heapgraph help command” lists the flags of a command, and\n"+
		"“go doc cmd/heapgraph” explains what is printed.\n")
}

// usage prints the usage of c.
func (c *command) usage(w io.Writer, fs *flag.FlagSet) {
	fmt.Fprintf(w, "Usage: go tool heapgraph %s [flags] %s\n\n%s\n\nFlags:\n", c.name, c.args, c.long)
	fs.SetOutput(w)
	fs.PrintDefaults()
}
