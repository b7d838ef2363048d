// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// graft save moves edits and commits that are made in goroot/ into the overlay.
// It does all work in the object store first, and writes the overlay only after
// it has checked that the overlay assembles to exactly the files of goroot/.

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const saveAbout = `Save carries edits made in goroot/ into the overlay: new files whole, and edits
of upstream's files as zero-context patches. It also writes the list of new files
in doc/cl/NAME.md. If a later change list edits a new file, the edit is in the
file, and is also a patch.
An edit that is not committed goes to the change list that the file belongs to:
the one that has the new file or, for a file of upstream's, the only one that
edits it. NAME takes new files that are not listed yet, and all edits of
upstream's files. An edit may go to an earlier change list; the later ones are
merged onto it. If several change lists write a file, an edit of it needs NAME.
Commits made by hand on top of the stack are taken if they end in a line
"Change-List: NAME". A change list's first edit of another's new file needs such
a commit.
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
	deltas, err := r.collect(old, name, tree, upstream)
	if err != nil {
		return err
	}
	layers, conflicts, err := r.replayDeltas(upstreamRef+"^0", series(old.lists), deltas)
	if err != nil {
		return err
	}
	if len(conflicts) > 0 {
		return unsavable(conflicts)
	}
	o, problems, err := r.overlayOf(old.lists, layers, upstream)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(touching(old, nil))) {
		_, was := old.files[name]
		if _, is := o.files[name]; !was && !is {
			problems = append(problems, name+": a change list lists it, but it does not exist in goroot/")
		}
	}
	if len(problems) > 0 {
		return unsavable(problems)
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

// collect returns the deltas (replay.go) of goroot/'s commits and of the
// uncommitted edits.
func (r *repo) collect(o *overlay, name, tree string, upstream func(string) bool) ([]delta, error) {
	deltas, problems, err := r.committed(o)
	if err != nil {
		return nil, err
	}
	edits, more, err := r.deltas("HEAD", tree, "")
	if err != nil {
		return nil, err
	}
	problems = append(problems, more...)
	lists := touching(o, deltas)
	for _, d := range edits {
		touched := slices.Sorted(maps.Keys(lists[d.path]))
		var problem string
		if d.list, problem = assign(name, touched, upstream(d.path)); problem != "" {
			problems = append(problems, d.path+": "+problem)
		}
		deltas = append(deltas, d)
	}
	if len(problems) > 0 {
		return nil, unsavable(problems)
	}
	return deltas, nil
}

// touching returns, by path, the change lists that list or change the path.
func touching(o *overlay, deltas []delta) map[string]map[string]bool {
	lists := map[string]map[string]bool{}
	add := func(path, list string) {
		if lists[path] == nil {
			lists[path] = map[string]bool{}
		}
		lists[path][list] = true
	}
	for _, c := range o.lists {
		for _, path := range c.files {
			add(path, c.name)
		}
	}
	for _, d := range deltas {
		add(d.path, d.list)
	}
	return lists
}

// assign returns the change list for an edit of a file that the change lists in
// touched write. That is name if the file is upstream's, if no change list
// writes it, or if name is one of several that do. Otherwise, or if name is
// empty, it is the only change list in touched. If there is none, or several,
// problem says so.
func assign(name string, touched []string, upstream bool) (list, problem string) {
	switch {
	case name != "" && (upstream || len(touched) == 0 || len(touched) > 1 && slices.Contains(touched, name)):
		return name, ""
	case len(touched) == 1:
		return touched[0], ""
	case len(touched) > 1:
		return "", fmt.Sprintf("several change lists edit it (%s): name one", strings.Join(touched, ", "))
	case upstream:
		return "", "no change list edits this file of upstream's yet: name one"
	default:
		return "", "new, and in no change list: name one"
	}
}

// committed returns the deltas of the commits on top of upstream.
func (r *repo) committed(o *overlay) (deltas []delta, problems []string, err error) {
	if _, err := r.git("merge-base", "--is-ancestor", upstreamRef, "HEAD"); err != nil {
		return nil, nil, errors.New("goroot/'s HEAD does not stand on upstream's commit: check out the branch " + branch)
	}
	out, err := r.git("log", "--reverse", "--topo-order", "--format=%H%x00%p%x00%s%x00%(trailers:key="+trailer+",valueonly,separator=%x2C)", upstreamRef+"..HEAD")
	if err != nil {
		return nil, nil, err
	}
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\x00")
		commit, parents, subject, list := f[0], f[1], f[2], f[3]
		about := fmt.Sprintf("commit %.10s %q", commit, subject)
		switch {
		case strings.Contains(parents, " "):
			problems = append(problems, about+": a merge: make the commits one after another")
			continue
		case list == "":
			problems = append(problems, about+fmt.Sprintf(": ends in no line %q", trailer+": NAME"))
			continue
		case o.list(list) == nil:
			problems = append(problems, fmt.Sprintf("%s: %s is no change list in %s", about, list, seriesFile))
			continue
		}
		more, bad, err := r.deltas(commit+"^", commit, list)
		if err != nil {
			return nil, nil, err
		}
		deltas = append(deltas, more...)
		problems = append(problems, bad...)
	}
	return deltas, problems, nil
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
