// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// graft verify checks that the overlay has only our text, in the form that
// assemble accepts, and that each file belongs to one change list. It needs no
// goroot/.

import (
	"fmt"
	"path"
)

const verifyAbout = `Verify checks the overlay against the pinned release. It prints the findings,
and then counts. It exits with 1 if it finds anything. It finds
  - a file or patch of no change list, or of two; a change list without any;
  - a new file that exists upstream; a patch of a file that does not, or that is
    ours;
  - a patch with context lines, or with text of upstream's after @@;
  - a patch that removes many more lines than it adds: a hook adds;
  - a patch that does not apply;
  - six or more lines in a row (blank lines, punctuation, imports and the like
    aside) that also stand in a file of the same directory upstream.
With -base it compares the texts with that base's release, and also finds edits
that conflict there and are not in a variant, variants that do not apply, and
new files that the release has too. It counts how the files come to the base.
It needs no goroot/.
`

// mostRemoved is the greatest number of lines that a patch may remove beyond
// the number that it adds.
const mostRemoved = 10

func (g *graft) verify([]string) error {
	u, err := g.release(g.pins.pin)
	if err != nil {
		return err
	}
	base, err := g.release(g.pin)
	if err != nil {
		return err
	}
	o, findings, err := readOverlay(&g.project)
	if err != nil {
		return err
	}
	findings = append(findings, o.checkAgainst(u.exists)...)
	orderly := len(findings) == 0
	for _, c := range o.lists {
		if !o.hasFiles(c.name) {
			findings = append(findings, fmt.Sprintf("%s: change list %s has no files", c.doc(), c.name))
		}
	}
	copies := &copyFinder{upstream: base, runs: map[string]map[string]string{}}
	patches := 0
	for name, f := range o.sorted(g.base) {
		if f.patch && f.base == "" {
			patches++
		}
		found, err := verifyFile(name, f, copies)
		if err != nil {
			return err
		}
		findings = append(findings, found...)
	}
	if orderly {
		if err := applies(u, o); err != nil {
			findings = append(findings, err.Error())
		} else if g.base != "" {
			if findings, err = g.verifyPort(o, u, base, findings); err != nil {
				return err
			}
		}
	}
	for _, f := range findings {
		g.say("%s", f)
	}
	g.say("graft: %d change lists, %d new files, %d patches: %d findings", len(o.lists), len(o.files)-patches, patches, len(findings))
	if len(findings) > 0 {
		return errFindings
	}
	return nil
}

// hasFiles reports whether a change list has a file or patch.
func (o *overlay) hasFiles(list string) bool {
	for _, f := range o.files {
		if f.list == list {
			return true
		}
	}
	return false
}

// verifyFile returns the problems in the text of one file of the overlay.
func verifyFile(name string, f overlayFile, copies *copyFinder) ([]string, error) {
	if !f.patch {
		if !sourceExts[path.Ext(name)] {
			return nil, nil
		}
		return copies.find(name, path.Dir(name), numbered(string(f.data)))
	}
	p, err := parsePatch(string(f.data))
	if err != nil {
		return []string{fmt.Sprintf("%s: %v", name, err)}, nil
	}
	var findings []string
	if len(p.context) > 0 {
		findings = append(findings, fmt.Sprintf("%s:%d: %d context lines: a patch has none", name, p.context[0], len(p.context)))
	}
	if p.heading {
		findings = append(findings, name+": text after @@: graft save leaves it out")
	}
	if p.removed > len(p.added)+mostRemoved {
		findings = append(findings, fmt.Sprintf("%s: removes %d lines and adds %d: a hook adds", name, p.removed, len(p.added)))
	}
	found, err := copies.find(name, path.Dir(name), p.added)
	return append(findings, found...), err
}

// applies returns an error if the overlay cannot be applied to u.
func applies(u *upstream, o *overlay) error {
	return inScratch(u, o, machine(u.when), func(*repo, string, string) error { return nil })
}
