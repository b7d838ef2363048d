// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// graft assemble makes goroot/ from upstream's release and the overlay. It
// makes the first goroot/ as goroot.tmp and renames it when it is complete.
// Later runs write only the files that differ, and write nothing before every
// patch has applied.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const assembleAbout = `Assemble makes goroot/, a git repository: one commit that holds the pinned
upstream release, then one commit per change list of doc/cl/series. It also
writes goroot/VERSION and goroot/go.env. Upstream is downloaded by the go
command, or copied from -upstream or GOROOT_UPSTREAM, and verified by its hashes
in lib/upstream.json, when goroot/ does not hold it already. When it does, a copy
that is named is verified all the same, and nothing is copied from it. Two
hashes cover lib/, src/, VERSION and go.env. The texts beside them, such as LICENSE,
are copied as they are; bin/ and pkg/ are not used.
Run again, it writes the files that the overlay has changed. It refuses when
goroot/ has edits or commits that graft save has not carried into the overlay.
`

const unpacking = "goroot.tmp"

func (g *graft) assemble([]string) error {
	o, problems, err := readOverlay(&g.project)
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return problemsError(problems)
	}
	if err := os.RemoveAll(g.path(unpacking)); err != nil {
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
	dir := g.path(unpacking)
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
	g.say("graft: writing goroot/")
	if err := r.checkout(commit); err != nil {
		return err
	}
	if err := g.finish(r, o); err != nil {
		return err
	}
	return os.Rename(dir, g.goroot())
}

// reassemble updates an existing goroot/.
func (g *graft) reassemble(r *repo, o *overlay) error {
	held := r.hasPin(g.pin)
	if held && g.upstream != "" {
		if _, err := g.verified(); err != nil {
			return err
		}
		g.say("graft: nothing is copied from %s: goroot/ holds the same release already", g.upstream)
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
		if err := refuse(unsaved, moved); err != nil && !g.force {
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
	if err := refuse(unsaved, moved); err != nil && !g.force && !saved {
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
		g.say("graft: goroot/ is up to date")
	case 1:
		g.say("graft: 1 file of goroot/ changed: %s", changed[0])
	default:
		g.say("graft: %d files of goroot/ changed", len(changed))
	}
	return g.finish(r, o)
}

// refuse returns the error for edits that a checkout would lose.
func refuse(unsaved, moved []string) error {
	if len(unsaved) == 0 && len(moved) == 0 {
		return nil
	}
	return fmt.Errorf("goroot/ has edits that are not in the overlay:\n\t%s\n"+
		"Run graft save to keep them, or graft assemble -f to discard them", strings.Join(append(unsaved, moved...), "\n\t"))
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
		g.say("graft: fetching %s", g.pin.Version)
	}
	u, err := openUpstream(g.upstream, g.pin.Version)
	if err != nil {
		return nil, err
	}
	g.say("graft: verifying %s", u.dir)
	return u, u.verify(g.pin)
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

// build commits the overlay's change lists and returns the last commit.
func (g *graft) build(r *repo, o *overlay) (string, error) {
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

// finish writes the files of goroot/ that are not in its commits.
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
