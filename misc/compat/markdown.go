// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// writeMarkdown writes the text of doc/compat.md.
func writeMarkdown(w io.Writer, records []record, command string) error {
	var b strings.Builder
	fmt.Fprintf(&b, `# Other people's code

The table has modules and tools that were tried with gorefs
(%s). Tests of modules run with -short, and some are left
out: see misc/compat/table*.go. A check that fails with gorefs is repeated with
upstream's %s. It counts as a failure of gorefs only if it works there and,
unless it crashed, fails with gorefs again. A check that works in its second run
with gorefs is unsteady. This command line writes the page:

	%s

`, versions(records, func(r record) string { return r.ForkVersion }),
		versions(records, func(r record) string { return r.UpstreamVersion }), command)
	fmt.Fprintf(&b, "%d checks: %d ok, %d FAILED, %d fail with both, %d unsteady, %d skipped, %d not run.\n\n", len(records),
		number(records, passed), number(records, failed), number(records, both), number(records, unsteady), number(records, missing), number(records, notRun))
	b.WriteString("| entry | version | checked | gorefs | upstream |\n| --- | --- | --- | --- | --- |\n")
	last := ""
	for _, r := range records {
		name, pins := r.Entry, r.Pins
		if name == last {
			name, pins = "", ""
		}
		last = r.Entry
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", name, cell(pins), cell(r.Check), r.said(), r.Upstream)
	}
	for _, part := range []struct {
		verdict verdict
		title   string
	}{{failed, "Works with upstream only"}, {both, "Fails with both"}, {unsteady, "Failed once, and then not"}, {missing, "Skipped"}} {
		writeReasons(&b, records, part.verdict, part.title)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r record) said() string {
	if r.Verdict == failed || r.Verdict == missing || r.Verdict == unsteady {
		return string(r.Verdict)
	}
	return r.Fork
}

func number(records []record, v verdict) int {
	n := 0
	for _, r := range records {
		if r.Verdict == v {
			n++
		}
	}
	return n
}

func writeReasons(b *strings.Builder, records []record, v verdict, title string) {
	if number(records, v) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n", title)
	for _, r := range records {
		if r.Verdict == v {
			fmt.Fprintf(b, "- %s, %s: `%s`\n", r.Entry, r.Check, r.Reason)
		}
	}
}

func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }

// tellingRE matches the lines of a log that give the reason for a failure, the
// best first.
var tellingRE = []*regexp.Regexp{
	regexp.MustCompile(`relocation target .* not defined`),
	regexp.MustCompile(`(?m)^(panic|fatal error|SIG[A-Z]+): .*`),
	regexp.MustCompile(`(?m)^\s*\S+\.go:[0-9:]+ .*`),
	regexp.MustCompile(`(?m)^.*(?i:error|cannot|undefined).*`),
	regexp.MustCompile(`(?m)^\s*--- FAIL: .*`),
	regexp.MustCompile(`(?m)^FAIL\s.*`),
}

// reason returns the line of the log that gives the reason best. If tellingRE
// matches no line, it returns the last line that is not a command, or the error
// if there is no such line. It cuts off long text.
func (r result) reason() string {
	text := r.telling()
	text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "`", "'")
	if len(text) > 200 {
		text = text[:200] + " ..."
	}
	return text
}

func (r result) telling() string {
	for _, re := range tellingRE {
		if line := re.FindString(r.fork.log); line != "" {
			return line
		}
	}
	for _, line := range slices.Backward(strings.Split(r.fork.log, "\n")) {
		if line != "" && !strings.HasPrefix(line, "$ ") { // the line is not a command
			return line
		}
	}
	return r.fork.err.Error()
}
