// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// A tally counts the tests in a stream of events. Each package that starts must
// end. If a crash of the go command cut a package off, the package counts as
// failed.
type tally struct {
	out      io.Writer
	known    knownList
	begun    time.Time
	running  map[string]*pkg             // packages that have started and not ended
	builds   map[string]*strings.Builder // output of builds, by import path
	total    counts
	failures []string // failures that the closing summary names
	section  section
	sections []duration // of the sections that have ended
	notRun   []string   // sections for which no time was left
}

// counts are numbers of tests, including subtests. A package that fails counts
// as one failed test if none of its tests has failed, not even one that is
// known to fail. The same holds for a section and its tests (see section). A
// package that was cut off also counts if only tests have failed that are known
// to fail. A test that fails and is known to fail counts as skipped and as
// known.
type counts struct{ passed, failed, skipped, known int }

func (c counts) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", c.passed, c.failed, c.skipped)
}

func (c *counts) add(d counts) {
	c.passed += d.passed
	c.failed += d.failed
	c.skipped += d.skipped
	c.known += d.known
}

func newTally(out io.Writer, known knownList) *tally {
	return &tally{
		out:     out,
		known:   known,
		begun:   time.Now(),
		running: map[string]*pkg{},
		builds:  map[string]*strings.Builder{},
	}
}

func (t *tally) event(e event) {
	switch e.Action {
	case "section":
		t.startSection(e.Section, e.Time)
	case "late":
		t.notRun = append(t.notRun, e.Section)
	case "exit":
		t.endSection(e.Code, e.Time, seconds(e.Processor))
	case "build-output":
		t.buildOutput(e)
	case "build-fail":
		t.buildFail(e.ImportPath)
	case "start":
		t.running[e.Package] = newPkg(e.Package, t.known)
	default:
		t.packageEvent(e)
	}
}

func (t *tally) packageEvent(e event) {
	p := t.running[e.Package]
	if p == nil { // misc/stress -json, for example, writes no start event
		p = newPkg(e.Package, t.known)
		t.running[e.Package] = p
	}
	p.event(e)
	if e.Test == "" && isEnd(e.Action) {
		t.endPackage(p)
	}
}

func isEnd(action string) bool {
	return action == "pass" || action == "fail" || action == "skip"
}

func (t *tally) buildOutput(e event) {
	b := t.builds[e.ImportPath]
	if b == nil {
		b = new(strings.Builder)
		t.builds[e.ImportPath] = b
	}
	b.WriteString(e.Output)
}

// buildFail shows the output of a build once, although many packages may fail
// because of it.
func (t *tally) buildFail(path string) {
	if b := t.builds[path]; b != nil {
		io.WriteString(t.out, b.String())
	}
	delete(t.builds, path)
}

func (t *tally) endPackage(p *pkg) {
	delete(t.running, p.name)
	p.end()
	t.section.duration.addPackage(p.name, seconds(p.last.Elapsed))
	io.WriteString(t.out, p.report())
	t.total.add(p.counts)
	if p.counts.failed+p.counts.known > 0 {
		t.section.explained = true
	}
	for _, f := range p.failures {
		t.fail(strings.TrimSpace(p.name + " " + f))
	}
}

// fail records a failure for the summary, with its section.
func (t *tally) fail(what string) {
	if t.section.name != "" {
		what += " (" + t.section.name + ")"
	}
	t.failures = append(t.failures, what)
}

// cutOff ends the packages that should have ended by now.
func (t *tally) cutOff() {
	for _, name := range slices.Sorted(maps.Keys(t.running)) {
		p := t.running[name]
		p.cut = true
		p.event(event{Action: "fail", Package: name, Output: "cut off\n"})
		t.endPackage(p)
	}
}

// finish prints the summary and reports whether tests ran and none failed.
func (t *tally) finish() bool {
	t.cutOff()
	if t.total == (counts{}) {
		t.total.failed++
		t.fail("no test ran")
	}
	writeLongest(t.out, t.sections)
	if len(t.failures) > 0 {
		fmt.Fprintln(t.out, "\nfailed:")
		for _, f := range t.failures {
			fmt.Fprintln(t.out, "\t"+f)
		}
	}
	if len(t.notRun) > 0 {
		fmt.Fprintln(t.out, "\nnot run, because no time was left:")
		for _, name := range t.notRun {
			fmt.Fprintln(t.out, "\t"+name)
		}
	}
	if t.total.known > 0 {
		fmt.Fprintln(t.out, "failed as upstream's do, counted as skipped:", t.total.known)
	}
	fmt.Fprintln(t.out, t.total)
	return t.total.failed == 0
}
