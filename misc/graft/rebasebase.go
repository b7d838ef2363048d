// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// graft rebase of a base other than the main one: the overlay stays as it is,
// and the variants are carried along to the new release (carry.go).

import (
	"fmt"
	"slices"
)

// addBase pins a release as another base.
func (g *graft) addBase(version string) error {
	if slices.Contains(g.pins.bases(), baseName(version)) {
		return fmt.Errorf("%s is a base already: without -also, rebase moves it", baseName(version))
	}
	g.say("graft: fetching %s", version)
	to, err := openUpstream(g.next, version)
	if err != nil {
		return err
	}
	p, err := to.pin()
	if err != nil {
		return err
	}
	pins := g.pins
	pins.Also = append(slices.Clone(pins.Also), p)
	text, err := pins.encode()
	if err != nil {
		return err
	}
	if err := writeFile(g.path(pinFile), text); err != nil {
		return err
	}
	g.say("graft: %s is a base, on %s, %s\nnext: graft assemble -base %[1]s", p.base(), p.Version, p.Hash)
	return nil
}

// rebaseBase moves the chosen base to another release, which next pins.
func (g *graft) rebaseBase(old *overlay, main, to *upstream, next pin) error {
	base, err := g.release(g.pin)
	if err != nil {
		return err
	}
	was, err := newPort(old, main, base)
	if err != nil {
		return err
	}
	defer was.drop()
	is, err := newPort(old, main, to)
	if err != nil {
		return err
	}
	defer is.drop()
	o, err := g.carry(was, is, old)
	if err != nil {
		return err
	}
	g.reportMerged(is)
	if g.port, err = newPort(o, main, to); err != nil {
		return err
	}
	defer g.dropPort()
	g.pin = next
	if err := g.unsettled(); err != nil && !g.leaveOut {
		g.say("nothing is changed. To move the base without these edits, run\n\tgraft rebase -leave-out %s", to.version)
		return err
	}
	pins := g.pins
	pins.Also = slices.Clone(pins.Also)
	for i, p := range pins.Also {
		if p.base() == next.base() {
			pins.Also[i] = next
		}
	}
	if err := g.writeRebased(o, old, pins); err != nil {
		return err
	}
	g.say("graft: %s is on %s, %s\nnext: BASE=%[1]s ./make.bash && BASE=%[1]s ./run.bash", next.base(), next.Version, next.Hash)
	return nil
}

// reportMerged prints which files have come to the base by a merge.
func (g *graft) reportMerged(p *port) {
	for _, f := range p.files {
		if f.how == mergedFile {
			g.say("merged: %s", f.target)
		}
	}
	g.say("graft: %s", p.summary())
}
