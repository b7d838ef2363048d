// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"slices"
	"strings"
)

// A pkg is one run of a package's tests. It keeps the output of a test until
// the test has ended, and the output of failed tests until the package has
// ended. Then report returns this output as one block, because go test runs
// packages side by side.
type pkg struct {
	name   string
	known  knownList
	tests  map[string]*strings.Builder // output of the running tests
	output strings.Builder             // the package's own
	last   event                       // the package's last event
	cut    bool                        // a crash of the go command cut the package off
	shown  strings.Builder             // text that report puts before the package's line

	counts   counts
	failures []string // tests that failed; "" is the package itself
}

func newPkg(name string, known knownList) *pkg {
	return &pkg{name: name, known: known, tests: map[string]*strings.Builder{}}
}

func (p *pkg) event(e event) {
	switch {
	case e.Test == "" && isEnd(e.Action):
		p.last = e
		p.output.WriteString(e.Output)
	case e.Test == "":
		p.output.WriteString(e.Output)
	case isEnd(e.Action):
		p.endTest(e.Test, e.Action)
	default:
		p.testOutput(e)
	}
}

func (p *pkg) testOutput(e event) {
	b := p.tests[e.Test]
	if b == nil {
		b = new(strings.Builder)
		p.tests[e.Test] = b
	}
	if !strings.HasPrefix(e.Output, "=== ") { // go test -v marks the running test with such a line
		b.WriteString(e.Output)
	}
}

func (p *pkg) endTest(name, action string) {
	output := p.tests[name]
	delete(p.tests, name)
	switch {
	case action == "skip":
		p.counts.skipped++
	case action == "pass" && p.known.lists(p.name, name):
		p.fail(name)
		fmt.Fprintf(&p.shown, "%s %s passes but is listed as failing upstream: take it off the list\n", p.name, name)
	case action == "pass":
		p.counts.passed++
	case p.known.explains(p.name, name, p.failures):
		p.counts.skipped++
		p.counts.known++
	default:
		p.fail(name)
		if output != nil {
			p.shown.WriteString(output.String())
		}
	}
}

func (p *pkg) fail(test string) {
	p.counts.failed++
	p.failures = append(p.failures, test)
}

// end marks as failed the tests that did not end, for example because of a
// panic or a timeout. It marks subtests before the tests that they are part of.
// Then it judges the package.
func (p *pkg) end() {
	var open []string
	for name := range p.tests {
		open = append(open, name)
	}
	slices.Sort(open)
	slices.Reverse(open)
	for _, name := range open {
		fmt.Fprintf(p.tests[name], "--- FAIL: %s (did not end)\n", name)
		p.endTest(name, "fail")
	}
	if p.last.Action == "fail" && p.counts.failed == 0 && (p.cut || p.counts.known == 0) {
		p.fail("")
		p.shown.WriteString(p.output.String())
	}
}

// report returns the text to print about the package. The text is empty if the
// package has no tests and has not failed.
func (p *pkg) report() string {
	verdict := "ok"
	switch {
	case len(p.failures) > 0:
		verdict = "FAIL"
	case p.counts == (counts{}):
		return ""
	}
	line := fmt.Sprintf("%-4s %s %.1fs: %v\n", verdict, p.name, p.last.Elapsed, p.counts)
	return p.shown.String() + line
}
