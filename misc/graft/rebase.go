// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// graft rebase moves the overlay to another release. It commits the change
// lists on the old release and replays them on the new one in a scratch
// repository. It writes the project only if all change lists merge.

import (
	"fmt"
	"strings"
	"time"
)

const rebaseAbout = `Rebase moves the overlay to another upstream release, such as go1.27.5, with
git's three-way merge: patches are rewritten, and the pin in lib/upstream.json
and the base in VERSION updated. The new pin is the hash of the release as the
go command downloads and checks it, or as -upstream DIR has it.
If anything conflicts, all conflicts are listed and nothing is changed: take the
edits in conflict out of the change list (edit in goroot/, graft save), rebase,
assemble, and make them again.
`

func (g *graft) rebase(args []string) error {
	version := args[0]
	if !strings.HasPrefix(version, "go") {
		version = "go" + version
	}
	if !releaseRE.MatchString(version) {
		return fmt.Errorf("%q is no release: want one such as go1.27.5", args[0])
	}
	if version == g.pin.Version {
		return fmt.Errorf("the overlay is on %s already", version)
	}
	if err := g.nothingUnsaved(); err != nil {
		return err
	}
	from, err := g.pinnedUpstream()
	if err != nil {
		return err
	}
	g.say("graft: fetching %s", version)
	to, err := openUpstream(g.next, version)
	if err != nil {
		return err
	}
	next := project{root: g.root, version: version + versionSuffix}
	if next.pin, err = to.pin(); err != nil {
		return err
	}
	old, err := g.orderlyOverlay(from.exists)
	if err != nil {
		return err
	}
	o, err := g.move(old, from, to)
	if err != nil {
		return err
	}
	return g.writeRebased(o, old, &next)
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
	return refuse(unsaved, moved)
}

// move returns the overlay for release to. It is made from old, the overlay for
// release from.
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
	deltas, err := r.stackDeltas(base, old, from.when)
	if err != nil {
		return nil, err
	}
	onto, err := importTouched(r, to, old)
	if err != nil {
		return nil, err
	}
	layers, conflicts, err := r.replayDeltas(onto, series(old.lists), deltas)
	if err != nil {
		return nil, err
	}
	for _, d := range deltas {
		if d.from == "" && to.exists(d.path) {
			conflicts = append(conflicts, fmt.Sprintf("%s: new in change list %s, and %s has it too", d.path, d.list, to.version))
		}
	}
	if len(conflicts) > 0 {
		return nil, fmt.Errorf("conflicts with %s, nothing is changed:\n\t%s", to.version, strings.Join(conflicts, "\n\t"))
	}
	o, problems, err := r.overlayOf(old.lists, layers, to.exists)
	if err == nil && len(problems) > 0 {
		err = problemsError(problems)
	}
	if err == nil {
		_, err = (&builder{repo: r, who: machine(to.when)}).stack(onto, o)
	}
	return o, err
}

// stackDeltas commits the overlay on base and returns the changes of each
// change list.
func (r *repo) stackDeltas(base string, o *overlay, when time.Time) ([]delta, error) {
	b := &builder{repo: r, who: machine(when), trailer: true}
	commit, err := b.stack(base, o)
	if err != nil {
		return nil, err
	}
	out, err := r.git("log", "--reverse", "--format=%H%x00%(trailers:key="+trailer+",valueonly,separator=)", base+".."+commit)
	if err != nil {
		return nil, err
	}
	var deltas []delta
	for line := range strings.Lines(out) {
		commit, list, _ := strings.Cut(strings.TrimSpace(line), "\x00")
		more, _, err := r.deltas(commit+"^", commit, list)
		if err != nil {
			return nil, err
		}
		deltas = append(deltas, more...)
	}
	return deltas, nil
}

// writeRebased writes the overlay, the pin and the version, in an order that
// never leaves the old pin with new patches.
func (g *graft) writeRebased(o, old *overlay, next *project) error {
	if err := writeFile(g.path(pinFile), next.pin.encode()); err != nil {
		return err
	}
	if err := writeFile(g.path("VERSION"), []byte(next.version+"\n")); err != nil {
		return err
	}
	changed, err := o.write(&g.project, old)
	if err != nil {
		return err
	}
	for _, name := range changed {
		if _, ok := o.files[name]; !ok && strings.HasSuffix(name, patchExt) {
			g.say("graft: %s is gone: %s has all of it", name, next.pin.Version)
		} else {
			g.say("graft: rewrote %s", name)
		}
	}
	g.say("graft: the overlay is on %s, %s", next.pin.Version, next.pin.Hash)
	return nil
}
