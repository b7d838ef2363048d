// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// An entry is a row of the table: other people's code and the checks of it.
type entry struct {
	name   string
	pins   []string // path@version of the modules, or "npm name@version"
	checks []check
}

// A check runs with a toolchain. Later checks of an entry may use files that
// earlier ones have left in the job's folder.
type check struct {
	name  string
	long  bool // not in -subset
	alone bool // it needs what only gorefs has: upstream's failure excuses nothing
	run   func(ctx context.Context, j *job) error
}

// alone marks a check of what only gorefs has.
func alone(c check) check {
	c.alone = true
	return c
}

// errMissing is the error of a check that needs something that this machine
// does not have.
var errMissing = errors.New("not on this machine")

// inFull marks checks that take too long for -subset.
func inFull(checks ...check) []check {
	for i := range checks {
		checks[i].long = true
	}
	return checks
}

// choose returns the entries whose names match, with the checks to run.
func choose(all []entry, pattern *regexp.Regexp, subset bool) ([]entry, error) {
	var chosen []entry
	for _, e := range all {
		if pattern != nil && !pattern.MatchString(e.name) {
			continue
		}
		var checks []check
		for _, c := range e.checks {
			if !subset || !c.long {
				checks = append(checks, c)
			}
		}
		if len(checks) > 0 {
			e.checks = checks
			chosen = append(chosen, e)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no entry matches -run %q; -list names them", pattern)
	}
	return chosen, nil
}

func writeList(w io.Writer, chosen []entry) error {
	for _, e := range chosen {
		if _, err := fmt.Fprintf(w, "%s\t%s\n", e.name, strings.Join(e.pins, " ")); err != nil {
			return err
		}
		for _, c := range e.checks {
			note := ""
			if c.long {
				note = " (not in -subset)"
			}
			fmt.Fprintf(w, "\t%s%s\n", c.name, note)
		}
	}
	return nil
}
