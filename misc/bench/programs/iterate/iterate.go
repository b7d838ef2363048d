// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package iterate is the command line of the programs whose instructions a
// benchmark counts:
//
//	program KIND N
//
// These programs do one thing N times and nothing else. The benchmark subtracts
// the instructions of a run with a small N from those of a run with a large N,
// so the work of a body outside its loop must not depend on N.
package iterate

import (
	"fmt"
	"os"
	"slices"
	"strconv"
)

// A Body does one thing n times.
type Body func(n int)

// Main runs the body that is named on the command line.
func Main(bodies map[string]Body) {
	if err := run(bodies, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func run(bodies map[string]Body, args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("want KIND and N, have %q", args)
	}
	body, ok := bodies[args[0]]
	if !ok {
		return fmt.Errorf("unknown kind %q, known are %q", args[0], kinds(bodies))
	}
	n, err := strconv.Atoi(args[1])
	if err != nil || n < 0 {
		return fmt.Errorf("bad count %q", args[1])
	}
	body(n)
	return nil
}

func kinds(bodies map[string]Body) []string {
	var names []string
	for name := range bodies {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
