// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// This file has the tree of graft each: DIR/goroot, a repository like goroot/
// (goroot.go) that has the release and the files that are built in goroot/.
// Graft each applies one mail after another to it. refs/gorefs/stack is the
// commit of the last mail applied, so that a later run finds edits made in the
// tree by hand, and does not lose them.

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

type eachTree struct {
	*repo
	dir string // holds goroot/ and mails/
}

// eachNote is the file in .git/gorefs/ that only a tree of graft each has.
const eachNote = "each"

// openEachTree makes dir contain the release and the files that are built in
// goroot.
func openEachTree(dir string, goroot *repo) (*eachTree, error) {
	work := filepath.Join(dir, "goroot")
	t := &eachTree{&repo{dir: filepath.Join(work, ".git"), work: work}, dir}
	if err := t.make(); err != nil {
		return nil, err
	}
	if err := t.discardable(); err != nil {
		return nil, err
	}
	if _, err := t.git("fetch", "-q", goroot.work, "+"+upstreamRef+":"+upstreamRef); err != nil {
		return nil, err
	}
	// A git am that failed or was killed leaves files that prevent the next
	// one.
	if err := os.RemoveAll(filepath.Join(t.repo.dir, "rebase-apply")); err != nil {
		return nil, err
	}
	if err := t.checkout(upstreamRef); err != nil {
		return nil, err
	}
	if err := t.copyBuilt(goroot); err != nil {
		return nil, err
	}
	return t, makeTestDirs(t.work)
}

// make makes the repository, unless an earlier run has made it.
func (t *eachTree) make() error {
	if isFile(t.note(eachNote)) {
		return nil
	}
	entries, err := os.ReadDir(t.dir)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty, and graft each has not made it", t.dir)
	}
	if _, err := newGoroot(t.work); err != nil {
		return err
	}
	return writeFile(t.note(eachNote), nil)
}

// discardable refuses a tree with edits or commits made by hand.
func (t *eachTree) discardable() error {
	if _, err := t.line("rev-parse", "-q", "--verify", stackRef); err != nil {
		return nil // no earlier run has finished its checkout of the release
	}
	edits, _, err := t.unsaved()
	if err != nil {
		return err
	}
	commits, err := t.extraCommits()
	if err != nil {
		return err
	}
	if edits = append(edits, commits...); len(edits) > 0 {
		return fmt.Errorf("%s has edits that this run would discard:\n\t%s\nUndo them, or name another directory",
			t.work, strings.Join(edits, "\n\t"))
	}
	return nil
}

// copyBuilt copies the files that are built in goroot, which git does not see
// there.
func (t *eachTree) copyBuilt(goroot *repo) error {
	out, err := goroot.git("ls-files", "-o", "-i", "--exclude-standard", "-z")
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		if err := copyFile(filepath.Join(t.work, name), filepath.Join(goroot.work, name)); err != nil {
			return err
		}
	}
	return nil
}

// copyFile copies a file with its permissions.
func copyFile(to, from string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := writeFile(to, data); err != nil {
		return err
	}
	return os.Chmod(to, info.Mode().Perm())
}

// goCommand runs the tree's go command in the tree's src/. It ignores what the
// user has set with go env -w, and the variables of the environment that it
// replaces.
func (t *eachTree) goCommand(out io.Writer, args ...string) error {
	fmt.Fprintf(out, "go %s\n", strings.Join(args, " "))
	cmd := exec.Command(filepath.Join(t.work, "bin", "go"), args...)
	cmd.Dir = filepath.Join(t.work, "src")
	cmd.Env = append(os.Environ(), "GOROOT=", "GOTOOLDIR=", "GOBIN=", "GOFLAGS=", "GOEXPERIMENT=", "GODEBUG=",
		"GOOS=", "GOARCH=", "GOENV=off", "GOTOOLCHAIN=local", "GOWORK=off", "PWD="+cmd.Dir)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go %s: %v", args[0], err)
	}
	return nil
}
