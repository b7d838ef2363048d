// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// A reporter prints a line for each check and toolchain as soon as the check
// has ended. For misc/tally, it prints the events of a package for each entry
// and of a test for each check.
type reporter struct {
	out    io.Writer
	events bool
}

// An event is a line that misc/tally reads.
type event struct {
	Action  string
	Package string
	Test    string  `json:",omitempty"`
	Output  string  `json:",omitempty"`
	Elapsed float64 `json:",omitempty"`
}

func (r *reporter) event(e event) {
	if r.events {
		line, _ := json.Marshal(e) // cannot fail, because e has only strings and a finite number
		fmt.Fprintf(r.out, "%s\n", line)
	}
}

func (r *reporter) begin(e entry) { r.event(event{Action: "start", Package: e.name}) }

func (r *reporter) progress(j *job, c check, o outcome) {
	said := o.String()
	if errors.Is(o.err, errMissing) {
		said = "skipped: " + o.err.Error()
	}
	fmt.Fprintf(r.out, "%s: %s: %s: %s (%v, %v of processors)\n", j.entry.name, c.name, j.side.name, said, o.took.Round(time.Second), o.cpu.Round(time.Second))
}

// result prints the last lines of the log of a check that works with upstream
// only. If the check fails with both toolchains, or is unsteady, it prints only
// a line with the reason.
func (r *reporter) result(res result) {
	test := strings.ReplaceAll(res.check.name, " ", "_")
	action := map[verdict]string{passed: "pass", failed: "fail", both: "skip", missing: "skip", unsteady: "skip"}[res.verdict()]
	r.event(event{Action: "run", Package: res.entry.name, Test: test})
	switch res.verdict() {
	case both, unsteady:
		fmt.Fprintf(r.out, "%s: %s: %s: %s\n", res.entry.name, res.check.name, res.verdict(), res.reason())
	case failed:
		upstream := "works with upstream"
		if res.check.alone {
			upstream = "is of gorefs alone"
		}
		text := fmt.Sprintf("FAILED %s: %s: %s: %v\n%s\n", res.entry.name, res.check.name, upstream, res.fork.err, tail(res.fork.log, 60))
		if r.events {
			r.event(event{Action: "output", Package: res.entry.name, Test: test, Output: text})
		} else {
			io.WriteString(r.out, text)
		}
	}
	r.event(event{Action: action, Package: res.entry.name, Test: test, Elapsed: res.fork.took.Seconds()})
}

func (r *reporter) end(e entry, results []result) {
	action, took := "pass", time.Duration(0)
	for _, res := range results {
		took += res.fork.took + res.upstream.took
		if res.verdict() == failed {
			action = "fail"
		}
	}
	r.event(event{Action: action, Package: e.name, Elapsed: took.Seconds()})
}

// tail returns the last n lines.
func tail(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) > n {
		lines = append([]string{fmt.Sprintf("(%d lines more)", len(lines)-n)}, lines[len(lines)-n:]...)
	}
	return strings.Join(lines, "\n")
}
