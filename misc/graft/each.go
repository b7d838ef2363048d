// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// graft each shows that each change list builds and passes its tests without
// those after it. It applies them as mails (eachmail.go) to a tree
// (eachtree.go). eachtable.go has the table of -list. all.bash does not run
// graft each, because it takes minutes per change list.

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const eachAbout = `Each applies the mails of graft export to a tree of the pinned release, one
after another with git am. After each mail it builds the standard library, and
vets and tests the packages under src/ that the change list touches, with go
test -short. It stops at the first error. Files under test/ are not run. With
-own, it runs the tests that the overlay adds, and none of upstream's, which take
minutes for each change list that touches package runtime.

DIR gets the mails and the tree. It is new, empty, or left by an earlier run,
whose tree must have no edits. Without DIR they are in a temporary directory,
which is removed if nothing fails. DIR is relative to the current directory.
With go run -C, which changes this directory, give DIR's full path.

goroot/ must be built. Its commands are used as they are: a change list that
edits src/cmd is built and tested with the tools of the whole stack.

With -list it prints a table. The columns code, tests (_test.go, testdata and
test/) and docs (doc/ and api/) count the lines that a change list adds, in new
files and in Go's. The column edits counts the files of Go's that it edits. The
columns added and removed count the lines that it adds to these files and
removes from them.
`

func (g *graft) each(args []string) error {
	if g.list {
		if len(args) > 0 || g.short || g.own || g.from != 1 {
			return errors.New("-list takes no other flag and no DIR")
		}
		return g.eachList()
	}
	if g.short && g.own {
		return errors.New("-own takes no -short")
	}
	goroot, o, err := g.eachOverlay()
	if err != nil {
		return err
	}
	dir, drop, err := eachDir(args)
	if err != nil {
		return err
	}
	g.say("graft: working in %s", dir)
	t, err := openEachTree(dir, goroot)
	if err != nil {
		return err
	}
	mails, err := t.mailStack(o)
	if err != nil {
		return err
	}
	lists := o.filled()
	for i, c := range lists {
		if err := g.eachOne(t, i+1, c, o, mails[i]); err != nil {
			return err
		}
	}
	g.say("graft: %s", g.eachVerdict(len(lists)))
	return drop()
}

// eachOverlay checks that the run can begin, and returns goroot/ and the
// overlay.
func (g *graft) eachOverlay() (*repo, *overlay, error) {
	goroot, err := g.mustGoroot()
	if err != nil {
		return nil, nil, err
	}
	if !isFile(g.path("goroot/pkg/built")) {
		return nil, nil, errors.New("goroot/ is not built: run make.bash")
	}
	upstream, err := goroot.upstreamFiles()
	if err != nil {
		return nil, nil, err
	}
	o, err := g.orderlyOverlay(upstream)
	if err != nil {
		return nil, nil, err
	}
	if n := len(o.filled()); g.from < 1 || g.from > n {
		return nil, nil, fmt.Errorf("-from %d: there are %d change lists", g.from, n)
	}
	return goroot, o, nil
}

// eachDir returns the directory to work in. If the directory is temporary, drop
// removes it.
func eachDir(args []string) (dir string, drop func() error, err error) {
	if len(args) == 0 {
		dir, err = os.MkdirTemp("", "graft-each-")
		return dir, func() error { return os.RemoveAll(dir) }, err
	}
	dir, err = filepath.Abs(args[0])
	return dir, func() error { return nil }, err
}

// eachOne applies the nth change list and, unless -from excludes it, checks it.
func (g *graft) eachOne(t *eachTree, n int, c *changeList, o *overlay, m mail) error {
	g.say("== %d %s: %s", n, c.name, c.subject())
	err := t.apply(m)
	if err == nil && n >= g.from {
		err = g.check(t, o, o.packages(c.name))
	}
	if err != nil {
		return fmt.Errorf("change list %d, %s: %v\nTo go on there: graft each -from %d %s", n, c.name, err, n, t.dir)
	}
	return nil
}

// check builds the standard library, and vets and tests the packages.
func (g *graft) check(t *eachTree, o *overlay, packages []string) error {
	if err := t.goCommand(g.out, "build", "std"); err != nil || len(packages) == 0 {
		return err
	}
	if err := t.goCommand(g.out, append([]string{"vet"}, packages...)...); err != nil {
		return err
	}
	if g.own {
		return g.testOwn(t, o, packages)
	}
	test := []string{"test", "-short"}
	if g.short {
		test = []string{"test", "-c", "-o", os.DevNull}
	}
	return t.goCommand(g.out, append(test, packages...)...)
}

// testOwn runs the overlay's tests of the packages. The names that it selects
// include tests of later change lists, which are not in the tree yet.
func (g *graft) testOwn(t *eachTree, o *overlay, packages []string) error {
	for _, p := range packages {
		tests := o.tests("src/" + p)
		if len(tests) == 0 {
			continue // go vet has type-checked the package's tests
		}
		run := "^(" + strings.Join(tests, "|") + ")$"
		if err := t.goCommand(g.out, "test", "-short", "-run", run, p); err != nil {
			return err
		}
	}
	return nil
}

// eachVerdict returns a text that says what a run without errors has shown.
func (g *graft) eachVerdict(n int) string {
	which := fmt.Sprintf("each change list from %d to %d", g.from, n)
	if g.short {
		return which + " builds, and so do its tests, which have not run"
	}
	if g.own {
		return which + " builds and passes the overlay's tests"
	}
	return which + " builds and passes its tests"
}

// filled returns the change lists that have files, in order: each is one mail.
func (o *overlay) filled() []*changeList {
	var lists []*changeList
	for i := range o.lists {
		if o.hasFiles(o.lists[i].name) {
			lists = append(lists, &o.lists[i])
		}
	}
	return lists
}

// packages returns the packages under src/ that a change list touches.
func (o *overlay) packages(list string) []string {
	var packages []string
	for _, f := range o.files {
		if strings.HasPrefix(f.target, "src/") && f.list == list {
			packages = append(packages, strings.TrimPrefix(o.packageOf(f.target), "src/"))
		}
	}
	slices.Sort(packages)
	return slices.Compact(packages)
}

// testFunction matches the beginning of a test, an example or a fuzz test, in a
// file or in a patch that adds it.
var testFunction = regexp.MustCompile(`(?m)^\+?func ((?:Test|Example|Fuzz)\w*)\(`)

// tests returns the names of the overlay's tests in a directory.
func (o *overlay) tests(dir string) (names []string) {
	for _, f := range o.files {
		if path.Dir(f.target) == dir && strings.HasSuffix(f.target, "_test.go") {
			for _, m := range testFunction.FindAllSubmatch(f.data, -1) {
				names = append(names, string(m[1]))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// packageOf returns the directory of the package to which a file belongs. If a
// package embeds the file, this directory may be above the file's.
func (o *overlay) packageOf(target string) string {
	dir, _, _ := strings.Cut(path.Dir(target)+"/", "/testdata/")
	dir = strings.TrimSuffix(dir, "/")
	switch path.Ext(target) {
	case ".html", ".css", ".js", ".svg":
		for up := dir; up != "src"; up = path.Dir(up) {
			if o.hasGo(up) {
				return up
			}
		}
	}
	return dir
}

// hasGo reports whether the overlay has Go files in a directory.
func (o *overlay) hasGo(dir string) bool {
	for _, f := range o.files {
		if path.Dir(f.target) == dir && path.Ext(f.target) == ".go" {
			return true
		}
	}
	return false
}
