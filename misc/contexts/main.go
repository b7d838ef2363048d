// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Contexts checks that our code in the runtime is fit for the contexts in which
// Go's code calls it.
//
// Go's runtime runs functions on stacks whose bounds are wrong, without a P, in
// signal handlers, while it allocates, and with locks held. The compiler checks
// a part of what is forbidden there, and only in the calls that it sees. A hook,
// which is a call of one of our functions from one of Go's, takes over the
// context that it stands in: see context.go. What our function reaches must be
// fit for this context: see rules.go. For example, dropm may run on another
// stack than g0's bounds say, and so all that unminit calls must be nosplit.
//
// The calls are those of golang.org/x/tools/go/ssa, without inlining. Calls of
// function values have the targets that package vta finds. Files that upstream's
// commit in goroot/ does not have are ours.
//
//	goroot/bin/go run -C misc/contexts .             # the hooks and what is wrong
//	goroot/bin/go run -C misc/contexts . -markdown   # the table of doc/design/contexts.md
//
// The go command in PATH must be goroot's, as it is in both of these.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	goroot := flag.String("goroot", "../../goroot", "the tree to check")
	platform := flag.String("platform", "linux/amd64", "GOOS/GOARCH")
	markdown := flag.Bool("markdown", false, "print the table of the documentation")
	flag.Parse()
	r, err := checkGoroot(*goroot, *platform)
	if err != nil {
		fmt.Fprintln(os.Stderr, "contexts:", err)
		os.Exit(2)
	}
	if *markdown {
		fmt.Print(r.markdown())
		return
	}
	fmt.Print(r.text())
	if len(r.faults) > 0 {
		os.Exit(1)
	}
}

// checkGoroot checks the runtime in a goroot/ that make.bash has assembled.
func checkGoroot(goroot, platform string) (*report, error) {
	ours, err := newFiles(goroot)
	if err != nil {
		return nil, err
	}
	goos, goarch, ok := strings.Cut(platform, "/")
	if !ok {
		return nil, fmt.Errorf("%q is no platform", platform)
	}
	env := []string{"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0"}
	p, err := load(goroot+"/src", env, ours, "runtime", "syscall")
	if err != nil {
		return nil, err
	}
	if p.escapes, err = readEscapes(goroot+"/src", env); err != nil {
		return nil, err
	}
	accepted, err := readAccepted("accepted.txt", platform)
	if err != nil {
		return nil, err
	}
	return check(p, accepted), nil
}
