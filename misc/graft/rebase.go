// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// graft rebase moves the overlay to another release. It commits the change
// lists on the old release and replays them on the new one in a scratch
// repository. It writes the project only if all change lists merge, or if the
// user wants to leave edits out. rebasereport.go has what it prints, and
// rebasebase.go moves another base than the main one.

import (
	"fmt"
	"slices"
	"strings"
)

const rebaseAbout = `Rebase moves the overlay to another upstream release, such as go1.27.5, with
git's three-way merge. It rewrites the patches, and updates the file VERSION and
the pin in lib/upstream.json. The new pin has the hashes of the release that the
go command downloads and checks, or that -upstream DIR has. Variants for other
bases are carried along.
It prints a report: for each change list the files that git has merged, which a
person should read, and the edits that conflict, with the lines of the old
release, of the new one and of the change list. If anything conflicts, nothing
is changed, unless -leave-out is given. Changes of white space alone do
not conflict: run gofmt on the merged files. -leave-out moves the overlay
without the edits that conflict, so that they can be made again in goroot/ and
saved.
If the argument VERSION belongs to another base than the main one, that base
moves, and its variants with it: go1.26.12 moves the base go1.26. -also VERSION
adds a base. To end one, remove its pin from lib/upstream.json, and its
variants.
`

func (g *graft) rebase(args []string) error {
	version := args[0]
	if !strings.HasPrefix(version, "go") {
		version = "go" + version
	}
	if !releaseRE.MatchString(version) {
		return fmt.Errorf("%q is no release: want one such as go1.27.5", args[0])
	}
	if g.also {
		return g.addBase(version)
	}
	if i := slices.Index(g.pins.bases(), baseName(version)); i > 0 {
		if err := g.choose(baseName(version)); err != nil {
			return err
		}
	}
	if version == g.pin.Version {
		return fmt.Errorf("the overlay is on %s already", version)
	}
	if err := g.nothingUnsaved(); err != nil {
		return err
	}
	main, err := g.release(g.pins.pin)
	if err != nil {
		return err
	}
	g.say("graft: fetching %s", version)
	to, err := openUpstream(g.next, version)
	if err != nil {
		return err
	}
	next, err := to.pin()
	if err != nil {
		return err
	}
	old, err := g.orderlyOverlay(main.exists)
	if err != nil {
		return err
	}
	if g.base != "" {
		return g.rebaseBase(old, main, to, next)
	}
	o, err := g.move(old, main, to)
	if err != nil {
		return err
	}
	if o, err = g.carryAll(old, o, main, to); err != nil {
		return err
	}
	pins := g.pins
	pins.pin = next
	if err := g.writeRebased(o, old, pins); err != nil {
		return err
	}
	g.say("graft: the overlay is on %s, %s", next.Version, next.Hash)
	return nil
}

// nothingUnsaved returns an error if goroot/ has edits, because they could not
// be saved after a rebase.
func (g *graft) nothingUnsaved() error {
	r, err := g.openGoroot()
	if err != nil || r == nil {
		return err
	}
	unsaved, _, err := r.unsaved()
	if err != nil {
		return err
	}
	moved, err := r.extraCommits()
	if err != nil {
		return err
	}
	return g.refuse(unsaved, moved)
}

// move makes a new overlay from old. The old one is for the release from, and
// the new one is for the release to. move prints the report, and returns an
// error if edits conflict and -leave-out is not given.
func (g *graft) move(old *overlay, from, to *upstream) (*overlay, error) {
	r, drop, err := scratchRepo()
	if err != nil {
		return nil, err
	}
	defer drop()
	base, err := importTouched(r, from, old)
	if err != nil {
		return nil, err
	}
	stack, err := (&builder{repo: r, who: machine(from.when), trailer: true}).stack(base, old)
	if err != nil {
		return nil, err
	}
	deltas, _, err := r.committed(old, base, stack)
	if err != nil {
		return nil, err
	}
	onto, err := importTouched(r, to, old)
	if err != nil {
		return nil, err
	}
	ours, steps := old.stay(to)
	p := &replay{repo: r, steps: steps, spaces: true}
	edits := slices.DeleteFunc(deltas, func(d delta) bool { return !from.exists(d.path) })
	replayed, err := p.run(onto, series(old.lists), edits)
	if err != nil {
		return nil, err
	}
	if err := g.reportRebase(old.lists, p.steps, from.version, to.version); err != nil {
		return nil, err
	}
	o, err := r.overlayOf(old.lists, ours, replayed)
	if err != nil {
		return nil, err
	}
	o.variants = old.variants
	_, err = (&builder{repo: r, who: machine(to.when)}).stack(onto, o)
	return o, err
}

// stay returns our files, without those that a release has too, and a step for
// each.
func (o *overlay) stay(to *upstream) (ours map[string]overlayFile, steps []step) {
	ours = map[string]overlayFile{}
	for _, name := range o.names() {
		f := o.files[name]
		if f.patch {
			continue
		}
		s := step{delta: delta{list: f.list, path: name}}
		if to.exists(name) {
			s.how, s.why = stepConflict, "makes a file that "+to.version+" has too"
		} else {
			ours[name] = f
		}
		steps = append(steps, s)
	}
	return ours, steps
}

// writeRebased writes the overlay, the pins and the version, in an order that
// never leaves the old pin with new patches.
func (g *graft) writeRebased(o, old *overlay, pins pins) error {
	text, err := pins.encode()
	if err != nil {
		return err
	}
	if err := writeFile(g.path(pinFile), text); err != nil {
		return err
	}
	if err := writeFile(g.path("VERSION"), []byte(pins.Version+versionSuffix+"\n")); err != nil {
		return err
	}
	changed, err := o.write(&g.project, old)
	if err != nil {
		return err
	}
	have := o.all()
	for _, name := range changed {
		if _, ok := have[name]; !ok && strings.HasSuffix(name, patchExt) {
			g.say("graft: %s is gone: nothing of it is left to do", name)
		} else {
			g.say("graft: rewrote %s", name)
		}
	}
	return nil
}
