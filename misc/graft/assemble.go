// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// graft assemble makes goroot/ from upstream's release and the overlay. It
// makes the first goroot/ as goroot.tmp and renames it when it is complete.
// Later runs write only the files that differ, and write none of them before
// every patch has applied.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const assembleAbout = `Assemble makes goroot/, a git repository: one commit that holds the pinned
upstream release, then one commit per change list of doc/cl/series. It also
writes goroot/VERSION and goroot/go.env. If goroot/ does not hold the release
already, the go command downloads it, or it is copied from the directory of
-upstream or GOROOT_UPSTREAM. It is verified by the two hashes in
lib/upstream.json, which cover lib/ and src/, and VERSION and go.env. If goroot/
holds the release, a directory that is named is verified, but not copied. The
texts beside VERSION, such as LICENSE, are copied as they are. bin/ and pkg/ are
not used.
A later run writes only the files that have changed. It refuses to run if
goroot/ has edits or commits that graft save has not carried into the overlay.
With -base go1.26 it makes goroot-1.26/. For each file of the overlay,
git merges the change from the main release's file to the file with all edits
into the base's file. Then come the variants, patches such as X.go.go1.26.patch.
Edits that conflict and have no variant are left out and printed, and the exit
status is 1.
`

// unpacking is the suffix that a goroot's name has while the goroot is being
// made.
const unpacking = ".tmp"

func (g *graft) assemble([]string) error {
	defer g.dropPort()
	o, problems, err := readOverlay(&g.project)
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return problemsError(problems)
	}
	if err := os.RemoveAll(g.goroot() + unpacking); err != nil {
		return err
	}
	r, err := g.openGoroot()
	if err != nil {
		return err
	}
	if r == nil {
		return g.firstAssemble(o)
	}
	return g.reassemble(r, o)
}

// problemsError returns an error that lists the problems of the overlay.
func problemsError(problems []string) error {
	return fmt.Errorf("the overlay is not in order:\n\t%s", strings.Join(problems, "\n\t"))
}

// firstAssemble makes goroot/.
func (g *graft) firstAssemble(o *overlay) error {
	dir := g.goroot() + unpacking
	defer os.RemoveAll(dir)
	r, err := newGoroot(dir)
	if err != nil {
		return err
	}
	if err := g.fetch(r); err != nil {
		return err
	}
	commit, err := g.build(r, o)
	if err != nil {
		return err
	}
	g.say("graft: writing %s/", g.gorootName())
	if err := r.checkout(commit); err != nil {
		return err
	}
	if err := g.finish(r, o); err != nil {
		return err
	}
	if err := os.Rename(dir, g.goroot()); err != nil {
		return err
	}
	return g.unsettled()
}

// reassemble updates an existing goroot/.
func (g *graft) reassemble(r *repo, o *overlay) error {
	held := r.hasPin(g.pin)
	if held && g.upstream != "" {
		if _, err := g.verified(); err != nil {
			return err
		}
		g.say("graft: nothing is copied from %s: %s/ holds the same release already", copyOf(g.upstream, g.pin.Version), g.gorootName())
	}
	unsaved, tree, err := r.unsaved()
	if err != nil {
		return err
	}
	moved, err := r.extraCommits()
	if err != nil {
		return err
	}
	if !held {
		if err := g.refuse(unsaved, moved); err != nil && !g.force {
			return err
		}
		if err := g.fetch(r); err != nil {
			return err
		}
	}
	commit, err := g.build(r, o)
	if err != nil {
		return err
	}
	saved, err := r.sameTree(tree, commit)
	if err != nil {
		return err
	}
	if err := g.refuse(unsaved, moved); err != nil && !g.force && !saved {
		return err
	}
	if g.force {
		if _, err := r.git("clean", "-fdq"); err != nil {
			return err
		}
	}
	changed, err := r.differing(tree, commit)
	if err != nil {
		return err
	}
	if err := r.checkout(commit); err != nil {
		return err
	}
	switch len(changed) {
	case 0:
		g.say("graft: %s/ is up to date", g.gorootName())
	case 1:
		g.say("graft: 1 file of %s/ changed: %s", g.gorootName(), changed[0])
	default:
		g.say("graft: %d files of %s/ changed", len(changed), g.gorootName())
	}
	if err := g.finish(r, o); err != nil {
		return err
	}
	return g.unsettled()
}

// refuse returns an error if there are edits or commits that a checkout would
// lose.
func (p *project) refuse(unsaved, moved []string) error {
	if len(unsaved) == 0 && len(moved) == 0 {
		return nil
	}
	return fmt.Errorf("%s/ has edits that are not in the overlay:\n\t%s\n"+
		"Run graft save%[3]s to keep them, or graft assemble%[3]s -f to discard them",
		p.gorootName(), strings.Join(append(unsaved, moved...), "\n\t"), p.baseFlag())
}

// extraCommits describes the commits in goroot/ that graft has not made.
func (r *repo) extraCommits() ([]string, error) {
	next, err := r.line("for-each-ref", "--format=%(objectname)", nextRef)
	if err != nil {
		return nil, err
	}
	head, err := r.line("rev-parse", "HEAD")
	if err != nil {
		return nil, err
	}
	stack, err := r.line("rev-parse", stackRef)
	if err != nil || head == stack || head == next {
		return nil, err
	}
	out, err := r.line("log", "--format=commit %h %s", stackRef+"..HEAD")
	if err == nil && out == "" {
		return []string{"HEAD is not the last change list"}, nil
	}
	return strings.Split(out, "\n"), err
}

// verified opens the pinned release, which is a download or the copy that the
// user names, and checks its hashes.
func (g *graft) verified() (*upstream, error) {
	if g.upstream == "" {
		g.say("graft: fetching and verifying %s", g.pin.Version)
	} else {
		g.say("graft: verifying %s", copyOf(g.upstream, g.pin.Version))
	}
	return g.release(g.pin)
}

// fetch imports the pinned release into r.
func (g *graft) fetch(r *repo) error {
	u, err := g.verified()
	if err != nil {
		return err
	}
	g.say("graft: importing %s", u.version)
	return r.setUpstream(g.pin, u)
}

// build commits the overlay and returns the last commit.
func (g *graft) build(r *repo, o *overlay) (string, error) {
	if g.base != "" {
		g.say("graft: merging %d files into %s", len(o.targets()), g.pin.Version)
		return g.stackOf(r, o)
	}
	upstream, err := r.upstreamFiles()
	if err != nil {
		return "", err
	}
	if problems := o.checkAgainst(upstream); len(problems) > 0 {
		return "", problemsError(problems)
	}
	g.say("graft: applying %d change lists, %d files", len(o.lists), len(o.files))
	return r.stackOf(o)
}

// finish writes VERSION and go.env, which are not in the commits of goroot/,
// and makes the directories that upstream's tests need.
func (g *graft) finish(r *repo, o *overlay) error {
	release, err := os.ReadFile(r.note("VERSION"))
	if err != nil {
		return err
	}
	_, stamp, _ := strings.Cut(string(release), "\n")
	version := g.fullVersion(o) + "\n" + stamp
	if err := updateFile(filepath.Join(r.work, "VERSION"), []byte(version)); err != nil {
		return err
	}
	env, err := os.ReadFile(r.note("go.env"))
	if err != nil {
		return err
	}
	local := toolchainRE.ReplaceAll(env, []byte("GOTOOLCHAIN=local"))
	if err := updateFile(filepath.Join(r.work, "go.env"), local); err != nil {
		return err
	}
	return makeTestDirs(r.work)
}

// updateFile writes a file unless it has these contents already.
func updateFile(name string, data []byte) error {
	have, err := os.ReadFile(name)
	if err == nil && string(have) == string(data) {
		return nil
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return writeFile(name, data)
}
