// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// This file has goroot/ as graft sees it: a git repository of its own whose
// refs record the commits that graft has made. These refs are
//
//	refs/gorefs/upstream  the release, without parents
//	refs/gorefs/stack     the last change list, as assembled or saved
//	refs/gorefs/next      the next refs/gorefs/stack, while a checkout runs;
//	                      it stays if the checkout fails or is killed
//
// .git/gorefs/ keeps the pin, and the two files of the release that goroot/ has
// in another form. Each difference from refs/gorefs/stack is an edit.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	upstreamRef = "refs/gorefs/upstream"
	stackRef    = "refs/gorefs/stack"
	nextRef     = "refs/gorefs/next"
	branch      = "gorefs"
)

// excluded are the files in goroot/ that git does not see: files that the build
// writes, that assemble writes for the build, and that editors and file
// browsers leave behind.
const excluded = `/VERSION
/go.env
/bin/
/pkg/
/src/cmd/cgo/zdefaultcc.go
/src/cmd/dist/dist
/src/cmd/go/internal/cfg/zdefaultcc.go
/src/cmd/go/internal/cfg/zosarch.go
/src/cmd/internal/objabi/zbootstrap.go
/src/go/build/zcgo.go
/src/internal/buildcfg/zbootstrap.go
/src/internal/runtime/sys/zversion.go
/src/time/tzdata/zzipdata.go
.DS_Store
*~
`

// attributes prevents git from changing any byte, whatever .gitattributes
// upstream has.
const attributes = "* -text -ident !filter !working-tree-encoding\n"

func (p *project) goroot() string { return p.path(p.gorootName()) }

// openGoroot returns goroot/'s repository, or nil if there is no goroot/.
func (p *project) openGoroot() (*repo, error) {
	dir := p.goroot()
	if _, err := os.Lstat(dir); os.IsNotExist(err) {
		return nil, nil
	}
	r := &repo{dir: filepath.Join(dir, ".git"), work: dir}
	if !isFile(r.note("pin")) {
		return nil, fmt.Errorf("%s was not made by graft assemble: move it away", dir)
	}
	return r, nil
}

// mustGoroot is openGoroot for commands that need a goroot/ that has the
// project's pin.
func (p *project) mustGoroot() (*repo, error) {
	r, err := p.openGoroot()
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, fmt.Errorf("there is no %s/ yet: run graft assemble%s (make.bash does)", p.gorootName(), p.baseFlag())
	}
	if !r.hasPin(p.pin) {
		return nil, fmt.Errorf("%s/ is not made from the pinned %s: run graft assemble%s", p.gorootName(), p.pin.Version, p.baseFlag())
	}
	return r, nil
}

// newGoroot makes the repository of a goroot/ in dir.
func newGoroot(dir string) (*repo, error) {
	r, err := initRepo(filepath.Join(dir, ".git"), dir)
	if err != nil {
		return nil, err
	}
	for name, text := range map[string]string{"exclude": excluded, "attributes": attributes} {
		if err := writeFile(filepath.Join(r.dir, "info", name), []byte(text)); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// note returns the path of a file in .git/gorefs/.
func (r *repo) note(name string) string { return filepath.Join(r.dir, "gorefs", name) }

// hasPin reports whether refs/gorefs/upstream is the release that p pins.
func (r *repo) hasPin(p pin) bool {
	data, err := os.ReadFile(r.note("pin"))
	return err == nil && string(data) == string(p.identity())
}

// setUpstream sets refs/gorefs/upstream to a verified release. It writes the
// pin last: if it is killed before, the next run imports the release again.
func (r *repo) setUpstream(p pin, u *upstream) error {
	names, err := u.files()
	if err != nil {
		return err
	}
	commit, err := importUpstream(r, u, names)
	if err != nil {
		return err
	}
	for _, name := range []string{"VERSION", "go.env"} {
		data, err := os.ReadFile(filepath.Join(u.dir, name))
		if err == nil {
			err = writeFile(r.note(name), data)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if _, err := r.git("update-ref", upstreamRef, commit); err != nil {
		return err
	}
	return writeFile(r.note("pin"), p.identity())
}

// releaseTime returns the time of the release in refs/gorefs/upstream.
func (r *repo) releaseTime() (time.Time, error) {
	stamp, err := r.line("log", "-1", "--format=%cI", upstreamRef)
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339, stamp)
}

// upstreamFiles returns a function that reports whether the release has a path.
func (r *repo) upstreamFiles() (func(string) bool, error) {
	out, err := r.git("ls-tree", "-r", "-z", "--name-only", upstreamRef)
	set := map[string]bool{}
	for name := range strings.SplitSeq(out, "\x00") {
		set[name] = name != ""
	}
	return func(name string) bool { return set[name] }, err
}

// stackOf makes the overlay's commits on refs/gorefs/upstream and returns the
// last one.
func (r *repo) stackOf(o *overlay) (string, error) {
	when, err := r.releaseTime()
	if err != nil {
		return "", err
	}
	b := &builder{repo: r, who: machine(when), trailer: true}
	return b.stack(upstreamRef+"^0", o)
}

// workTree returns the tree of all files in goroot/ that git sees.
func (r *repo) workTree() (string, error) {
	index, drop, err := r.withIndex()
	if err != nil {
		return "", err
	}
	defer drop()
	if err := copyIndex(filepath.Join(r.dir, "index"), index.index); err != nil {
		return "", err
	}
	if _, err := index.git("add", "-A", "."); err != nil {
		return "", err
	}
	return index.line("write-tree")
}

// copyIndex copies an index with its modification time. Git compares that time
// with the files' times to find files that may have changed without a visible
// difference.
func copyIndex(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if err := copyFile(to, from); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// edits returns the paths in goroot/ that differ from refs/gorefs/stack, and
// goroot/'s tree.
func (r *repo) edits() (paths []string, tree string, err error) {
	if tree, err = r.workTree(); err != nil {
		return nil, "", err
	}
	paths, err = r.differing(stackRef, tree)
	return paths, tree, err
}

// differing returns the paths that differ between two trees.
func (r *repo) differing(a, b string) ([]string, error) {
	out, err := r.git("diff-tree", "-r", "-z", "--name-only", "--no-renames", a, b)
	return strings.FieldsFunc(out, func(c rune) bool { return c == 0 }), err
}

// sameTree reports whether two commits or trees have the same files.
func (r *repo) sameTree(a, b string) (bool, error) {
	out, err := r.git("rev-parse", a+"^{tree}", b+"^{tree}")
	ids := strings.Fields(out)
	return err == nil && ids[0] == ids[1], err
}

// checkout moves the branch to a commit, and gives goroot/ the commit's files.
// It writes only files that differ. If it fails or is killed on the way,
// nextRef stays, and the method interrupted finds it.
func (r *repo) checkout(commit string) error {
	if _, err := r.git("update-ref", nextRef, commit); err != nil {
		return err
	}
	// After a refresh, the index records which files have the right
	// contents. Git writes the others anew.
	if _, err := r.git("update-index", "-q", "--unmerged", "--ignore-missing", "--refresh"); err != nil {
		return err
	}
	if _, err := r.git("checkout", "-q", "-f", "-B", branch, commit); err != nil {
		return err
	}
	return r.settle(commit)
}

// settle records that goroot/ has the files of commit.
func (r *repo) settle(commit string) error {
	if _, err := r.git("update-ref", stackRef, commit); err != nil {
		return err
	}
	_, err := r.git("update-ref", "-d", nextRef)
	return err
}

// interrupted returns the files that a checkout was writing when it failed or
// was killed. It removes the lock that such a checkout leaves.
func (r *repo) interrupted() ([]string, error) {
	next, err := r.line("for-each-ref", "--format=%(objectname)", nextRef)
	if err != nil || next == "" {
		return nil, err
	}
	if err := os.Remove(filepath.Join(r.dir, "index.lock")); err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	return r.differing(stackRef, nextRef)
}

// unsaved returns the edits in goroot/ that a checkout would lose, and
// goroot/'s tree.
func (r *repo) unsaved() (paths []string, tree string, err error) {
	leftover, err := r.interrupted()
	if err != nil {
		return nil, "", err
	}
	paths, tree, err = r.edits()
	paths = slices.DeleteFunc(paths, func(name string) bool { return slices.Contains(leftover, name) })
	return paths, tree, err
}
