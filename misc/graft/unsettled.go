// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// This file describes what a person has to settle on a base other than the main
// one: edits that conflict, variants that do not apply, and new files that the
// base's release has, too.

import (
	"fmt"
	"strings"
)

// unsettled reports the edits that the base's goroot lacks.
func (g *graft) unsettled() error {
	if g.port == nil {
		return nil
	}
	for _, f := range g.port.absent() {
		g.say("graft: %s has no %s: its edits are left out", g.pin.Version, f.target)
	}
	files := g.port.unsettled()
	if len(files) == 0 {
		return nil
	}
	for _, f := range files {
		g.say("\n%s", g.port.describe(f, g.gorootName()))
	}
	g.say("\ngraft: edits of %d files are left out. Make them in %s/, then\n\tgraft save%s", len(files), g.gorootName(), g.baseFlag())
	return errFindings
}

// verifyPort appends a text about each unsettled file of the base to findings,
// and prints the summary of the port.
func (g *graft) verifyPort(o *overlay, main, base *upstream, findings []string) ([]string, error) {
	p, err := newPort(o, main, base)
	if err != nil {
		return nil, err
	}
	defer p.drop()
	for _, f := range p.unsettled() {
		findings = append(findings, p.describe(f, g.gorootName()))
	}
	g.say("graft: %s", p.summary())
	return findings, nil
}

// summary returns a text about how the files have come to the base.
func (p *port) summary() string {
	var equal, merged, varied int
	for _, f := range p.files {
		switch {
		case f.variant != "":
			varied++
		case f.how == equalFile:
			equal++
		case f.how == mergedFile:
			merged++
		}
	}
	return fmt.Sprintf("on %s, %d files are as in goroot/, %d are merged, %d have a variant", p.to.version, equal, merged, varied)
}

// describe returns a text for a person about a file that unsettled returns.
func (p *port) describe(f portedFile, goroot string) string {
	var b strings.Builder
	if f.how == existsFile {
		fmt.Fprintf(&b, "%s: new in the overlay, and %s has such a file too: give ours another name\n", f.target, p.to.version)
	}
	if f.stale != "" {
		fmt.Fprintf(&b, "%s does not apply: %s\n", f.variant, f.stale)
	}
	if f.variant == "" || f.stale != "" {
		for _, c := range f.conflicts {
			fmt.Fprintf(&b, "%s/%s:%d: an edit of the overlay conflicts\n", goroot, f.target, c.line)
			b.WriteString(c.describe(p.to.version, p.from.version, "the overlay"))
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// describe returns the sides of a conflict, by the names given.
func (c conflict) describe(ours, base, theirs string) string {
	var b strings.Builder
	for _, side := range []struct{ name, lines string }{{ours, c.ours}, {base, c.base}, {theirs, c.theirs}} {
		if side.lines == "" {
			fmt.Fprintf(&b, "\t%s has nothing there\n", side.name)
			continue
		}
		fmt.Fprintf(&b, "\t%s has\n", side.name)
		for line := range strings.Lines(side.lines) {
			fmt.Fprintf(&b, "\t\t%s\n", strings.TrimSuffix(line, "\n"))
		}
	}
	return b.String()
}
