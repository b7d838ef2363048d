// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// graft save moves edits and commits that are made in goroot/ into the overlay.
// It does all work in the object store first, and writes the overlay only after
// it has checked that the overlay assembles to exactly the files of goroot/.

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const saveAbout = `Save carries edits made in goroot/ into the overlay: new files whole, and edits
of upstream's files as zero-context patches. It also writes the list of new files
in doc/cl/NAME.md.
An edit of a file of ours goes to the change list that has the file. An edit of
an upstream file goes to NAME or, without NAME, to the only change list that
edits the file. It may be an earlier change list; the later ones are merged onto
it. NAME also takes new files that are not listed yet.
Commits made by hand on top of the stack are taken if they end in a line
"Change-List: NAME".
To move a file of ours to another change list, move its line in doc/cl.
To start a change list: write doc/cl/NAME.md with the commit message, add NAME
to doc/cl/series, edit in goroot/, and run graft save NAME.
With -base go1.26 it makes variants of the edits in goroot-1.26/: patches that
only this base has. An edit in goroot/ carries the variants of its file along.
Save writes nothing if any edit belongs to no change list, removes a file of
upstream's, or conflicts with a later change list.
`

func (g *graft) save(args []string) error {
	r, err := g.mustGoroot()
	if err != nil {
		return err
	}
	defer g.dropPort()
	old, err := g.overlayInStep(r)
	if err != nil {
		return err
	}
	if g.base != "" {
		return g.saveVariants(r, old, args)
	}
	name := ""
	if len(args) > 0 {
		name = args[0]
		if old.list(name) == nil {
			return fmt.Errorf("%s is no change list: write doc/cl/%s.md and add it to %s", name, name, seriesFile)
		}
	}
	tree, err := r.quietWorkTree()
	if err != nil {
		return err
	}
	upstream, err := r.upstreamFiles()
	if err != nil {
		return err
	}
	edits, owner, err := g.collect(r, old, name, tree, upstream)
	if err != nil {
		return err
	}
	replayed, problems, err := r.replayDeltas(upstreamRef+"^0", series(old.lists), edits)
	if err != nil {
		return err
	}
	ours, more, err := r.ours(tree, owner, old)
	if err != nil {
		return err
	}
	if problems = append(problems, more...); len(problems) > 0 {
		return unsavable(problems)
	}
	o, err := r.overlayOf(old.lists, ours, replayed)
	if err != nil {
		return err
	}
	if o, err = g.carrySaved(old, o); err != nil {
		return err
	}
	return g.writeSaved(r, o, old, tree)
}

// carrySaved gives o the variants of old. If a file that has a variant has
// changed, it carries the variants along (carry.go).
func (g *graft) carrySaved(old, o *overlay) (*overlay, error) {
	o.variants = old.variants
	if !changedVariants(old, o) {
		return o, nil
	}
	main, err := g.release(g.pins.pin)
	if err != nil {
		g.say("graft: the variants are left as they are: %v", err)
		return o, nil
	}
	return g.carryAll(old, o, main, main)
}

// unsavable returns the error for edits that cannot become part of the overlay.
func unsavable(problems []string) error {
	return fmt.Errorf("nothing is saved:\n\t%s", strings.Join(problems, "\n\t"))
}

// overlayInStep reads the overlay and checks that goroot/ was assembled from
// it.
func (g *graft) overlayInStep(r *repo) (*overlay, error) {
	o, problems, err := readUnsaved(&g.project)
	if err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		return nil, problemsError(problems)
	}
	commit, err := g.stackOf(r, o)
	if err != nil {
		return nil, err
	}
	changed, err := r.differing(stackRef, commit)
	if err != nil || len(changed) == 0 {
		return o, err
	}
	next := "Set these changes aside, save, and make them in goroot/; or run graft assemble if goroot/ has no edits"
	if g.base != "" {
		next = fmt.Sprintf("Run git stash in %s/, graft assemble%s, and git stash pop, and save then", g.gorootName(), g.baseFlag())
	}
	return nil, fmt.Errorf("the overlay has changed since it was assembled, and save would overwrite these changes:\n\t%s\n%s", strings.Join(changed, "\n\t"), next)
}

// quietWorkTree returns goroot/'s tree, or an error if a git operation is in
// progress there.
func (r *repo) quietWorkTree() (string, error) {
	for _, name := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"} {
		if _, err := os.Stat(filepath.Join(r.dir, name)); err == nil {
			return "", fmt.Errorf("a git operation is unfinished in %s/ (%s): finish or abort it", filepath.Base(r.work), name)
		}
	}
	return r.workTree()
}

// writeSaved checks that the overlay o assembles to tree, writes o, and
// replaces the commits of goroot/ by those of o.
func (g *graft) writeSaved(r *repo, o, old *overlay, tree string) error {
	commit, err := g.stackOf(r, o)
	if err != nil {
		return err
	}
	lost, err := r.differing(tree, commit)
	if err != nil {
		return err
	}
	if len(lost) > 0 {
		return unsavable([]string{"merged with the later change lists, these files would not be as they are in " + g.gorootName() + "/: " + strings.Join(lost, ", ")})
	}
	changed, err := o.write(&g.project, old)
	if err != nil {
		return err
	}
	if _, err := r.git("update-ref", "refs/heads/"+branch, commit); err != nil {
		return err
	}
	if _, err := r.git("symbolic-ref", "HEAD", "refs/heads/"+branch); err != nil {
		return err
	}
	if _, err := r.git("reset", "-q"); err != nil {
		return err
	}
	if err := r.settle(commit); err != nil {
		return err
	}
	for _, name := range changed {
		g.say("saved %s", name)
	}
	if len(changed) == 0 {
		g.say("graft: nothing to save")
	}
	return g.finish(r, o)
}
