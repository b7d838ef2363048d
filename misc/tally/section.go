// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"time"
)

// A section is one command that the function section of tally.bash runs: go
// test -json, or another command such as go vet. If the command exits with an
// error, tests or packages that failed in it, even tests that are known to
// fail, explain the error. If nothing failed in it, as when go vet reports a
// problem, the section itself counts as one failed test.
type section struct {
	name      string
	explained bool
	duration  duration
}

func (t *tally) startSection(name string, at time.Time) {
	if t.section.name != "" {
		t.endSection(1, at, 0) // its exit was not printed
	}
	t.section = section{name: name, duration: duration{section: name, begun: at}}
	fmt.Fprintf(t.out, "\n== %s (%v)\n", name, at.Sub(t.begun).Round(time.Second))
}

func (t *tally) endSection(code int, at time.Time, processor time.Duration) {
	t.cutOff()
	if code != 0 && !t.section.explained {
		fmt.Fprintf(t.out, "FAIL %s: exit code %d\n", t.section.name, code)
		t.total.failed++
		t.failures = append(t.failures, t.section.name)
	}
	t.section.duration.took = at.Sub(t.section.duration.begun)
	t.section.duration.processor = processor
	t.sections = append(t.sections, t.section.duration)
	t.section = section{}
}
