// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// graft status reports whether the overlay equals goroot/. It changes nothing.

import "strings"

const statusAbout = `Status compares the overlay with goroot/ and lists what differs: edits and
commits in goroot/ that graft save would carry into the overlay, and changes of
the overlay that graft assemble would carry into goroot/. It exits with 1 if
anything differs.
`

func (g *graft) status([]string) error {
	defer g.dropPort()
	r, err := g.mustGoroot()
	if err != nil {
		return err
	}
	paths, _, err := r.edits()
	if err != nil {
		return err
	}
	moved, err := r.extraCommits()
	if err != nil {
		return err
	}
	var findings []string
	for _, what := range append(paths, moved...) {
		findings = append(findings, g.gorootName()+": "+what)
	}
	changed, err := g.overlayChanges(r)
	if err != nil {
		return err
	}
	for _, what := range changed {
		findings = append(findings, "overlay: "+what)
	}
	if len(findings) == 0 {
		g.say("graft: the overlay and %s/ are equal", g.gorootName())
		return nil
	}
	g.say("%s", strings.Join(findings, "\n"))
	g.say("graft: %d differences", len(findings))
	return errFindings
}

// overlayChanges lists the changes that graft assemble would make in goroot/.
func (g *graft) overlayChanges(r *repo) ([]string, error) {
	o, problems, err := readOverlay(&g.project)
	if err != nil || len(problems) > 0 {
		return problems, err
	}
	if g.base == "" {
		upstream, err := r.upstreamFiles()
		if err != nil {
			return nil, err
		}
		if problems := o.checkAgainst(upstream); len(problems) > 0 {
			return problems, nil
		}
	}
	commit, err := g.stackOf(r, o)
	if err != nil {
		return []string{err.Error()}, nil
	}
	changed, err := r.differing(stackRef, commit)
	if err != nil || len(changed) > 0 {
		return changed, err
	}
	stack, err := r.line("rev-parse", stackRef)
	if err == nil && stack != commit {
		changed = []string{"the change lists' messages, order or division"}
	}
	return changed, err
}
