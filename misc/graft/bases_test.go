// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	toyOther     = "go1.98.3"
	toyOtherNext = "go1.98.4"
	toyBase      = "go1.98"
)

// withBase returns an assembled toy with a second base, a release in which the
// files of change differ from the first.
func withBase(t *testing.T, change map[string]string) *toy {
	t.Helper()
	y := assembled(t)
	y.addBase(toyOther, change)
	return y
}

// addBase pins a release as the second base.
func (y *toy) addBase(version string, change map[string]string) {
	y.t.Helper()
	files := maps.Clone(toyRelease)
	maps.Copy(files, change)
	dir := makeRelease(y.t, version, files)
	y.write(map[string]string{pinFile: pinText(y.t, releasePin(y.t, y.upstream, toyVersion), releasePin(y.t, dir, version))})
	y.t.Setenv("GOROOT_UPSTREAM", y.upstream+string(filepath.ListSeparator)+dir)
}

func releasePin(t *testing.T, dir, version string) pin {
	t.Helper()
	u, err := openUpstream(dir, version)
	if err != nil {
		t.Fatal(err)
	}
	p, err := u.pin()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// otherA is a.go of the second base, in which the line that beta edits is
// another one.
var otherA = strings.Replace("first\n"+lines("a", 30), "a line 20\n", "a line twenty\n", 1)

// settled returns a toy whose second base has a conflict, which a variant
// settles.
func settled(t *testing.T) *toy {
	t.Helper()
	y := withBase(t, map[string]string{"src/a/a.go": otherA})
	if status, out := y.graft("assemble", "-base", toyBase); status != 1 {
		t.Fatalf("assemble with a conflict: status %d, %s", status, out)
	}
	y.edit("goroot-1.98/src/a/a.go", "a line twenty\n", "beta for 1.98\n")
	y.must("save", "-base", toyBase)
	return y
}

const toyVariant = "src/a/a.go.go1.98.patch"

func TestBase(t *testing.T) {
	moved := "first\n" + lines("a", 30)
	y := withBase(t, map[string]string{"src/a/a.go": moved, "src/a/_go.mod": "module other\n"})
	before := y.snapshot()
	y.must("assemble", "-base", toyBase)
	want := strings.Replace(moved, "a line 5\n", "a line 5\nalpha here\n", 1)
	equal(t, "a.go", y.read("goroot-1.98/src/a/a.go"), strings.Replace(want, "a line 20\n", "beta here\n", 1))
	for _, name := range []string{"src/a/b.go", "src/a/new.go"} {
		equal(t, name, y.read("goroot-1.98/"+name), y.read("goroot/"+name))
	}
	equal(t, "subjects", y.git("goroot-1.98", "log", "--format=%s"), "all: gorefs, merged into this release\n"+toyOther)
	if version := y.read("goroot-1.98/VERSION"); !strings.HasPrefix(version, toyOther+versionSuffix+"-") {
		t.Errorf("VERSION: %s", version)
	}
	after := y.snapshot()
	for _, name := range differences(before, after) {
		if !strings.HasPrefix(name, filepath.Join(y.root, "goroot-1.98")+"/") {
			t.Errorf("assemble -base has changed %s", name)
		}
	}
	y.must("status", "-base", toyBase)
	y.must("status")
	if out := y.must("verify", "-base", toyBase); !strings.Contains(out, "2 files are as in goroot/, 1 are merged, 0 have a variant") {
		t.Errorf("verify says %s", out)
	}
	if out := y.must("assemble", "-base", toyBase); !strings.Contains(out, "goroot-1.98/ is up to date") {
		t.Errorf("assemble again says %s", out)
	}
	y.must("save", "-base", toyBase) // nothing
	if d := differences(after, y.snapshot()); len(d) > 0 {
		t.Errorf("status, verify and save have changed %v", d)
	}
}

// TestBaseOneChange checks that an edit in goroot/ reaches the other base, in
// files with and without a variant.
func TestBaseOneChange(t *testing.T) {
	y := settled(t)
	y.edit("goroot/src/a/a.go", "alpha here\n", "alpha here\nand here\n")
	y.edit("goroot/src/a/new.go", "package a\n", "package a // changed\n")
	y.must("save", "alpha")
	y.must("assemble", "-base", toyBase)
	y.must("verify", "-base", toyBase)
	want := strings.Replace(otherA, "a line 5\n", "a line 5\nalpha here\nand here\n", 1)
	equal(t, "a.go", y.read("goroot-1.98/src/a/a.go"), strings.Replace(want, "a line twenty\n", "beta for 1.98\n", 1))
	equal(t, "new.go", y.read("goroot-1.98/src/a/new.go"), "package a // changed\n")

	// The variant goes when the overlay has all of it.
	y.edit("goroot/src/a/new.go", "changed", "changed twice")
	y.must("save")
	y.must("assemble", "-base", toyBase)
	y.edit("goroot-1.98/src/a/new.go", "twice", "twice, and for 1.98")
	y.must("save", "-base", toyBase)
	y.edit("goroot/src/a/new.go", "twice", "twice, and for 1.98")
	if out := y.must("save"); !strings.Contains(out, "src/a/new.go.go1.98.patch is gone") {
		t.Errorf("save says %s", out)
	}
	y.must("verify", "-base", toyBase)
}

func TestBaseConflict(t *testing.T) {
	y := withBase(t, map[string]string{"src/a/a.go": otherA})
	report := []string{
		"goroot-1.98/src/a/a.go:22: an edit of the overlay conflicts",
		"go1.98.3 has\n\t\ta line twenty\n", "go1.99.1 has\n\t\ta line 20\n", "the overlay has\n\t\tbeta here\n",
		"graft save -base go1.98",
	}
	status, out := y.graft("assemble", "-base", toyBase)
	equal(t, "status", status, 1)
	for _, w := range report {
		if !strings.Contains(out, w) {
			t.Errorf("assemble does not say %q:\n%s", w, out)
		}
	}
	left := strings.Replace(otherA, "a line 5\n", "a line 5\nalpha here\n", 1)
	equal(t, "a.go", y.read("goroot-1.98/src/a/a.go"), left)
	y.refused([]string{"src/a/a.go:22: an edit conflicts, and the file is not edited"}, "save", "-base", toyBase)
	y.refused(report[:4], "verify", "-base", toyBase)

	y.edit("goroot-1.98/src/a/a.go", "a line twenty\n", "beta for 1.98\n")
	y.must("save", "-base", toyBase)
	if text := y.read(toyVariant); !strings.HasPrefix(text, "settles ") || !strings.HasSuffix(text, "@@ -22 +22 @@\n-a line twenty\n+beta for 1.98\n") {
		t.Errorf("variant:\n%s", text)
	}
	files := y.read("goroot-1.98/src/a/a.go")
	for range 2 { // also from nothing
		y.must("assemble", "-base", toyBase)
		equal(t, "a.go", y.read("goroot-1.98/src/a/a.go"), files)
		y.must("status", "-base", toyBase)
		y.must("verify", "-base", toyBase)
		if err := os.RemoveAll(filepath.Join(y.root, "goroot-1.98")); err != nil {
			t.Fatal(err)
		}
	}
	y.must("assemble") // the main base ignores it
	y.must("verify")
}

// TestBaseRemoval checks that the rule for patches that remove many lines holds
// for variants, also for those of files of ours.
func TestBaseRemoval(t *testing.T) {
	y := withBase(t, nil)
	y.write(map[string]string{"goroot/src/a/new.go": lines("new", 20)})
	y.must("save")
	y.must("assemble", "-base", toyBase)
	y.edit("goroot-1.98/src/a/new.go", lines("new", 11), "")
	y.must("save", "-base", toyBase)
	y.refused([]string{"src/a/new.go.go1.98.patch: removes 11 lines and adds 0: a hook adds"}, "verify", "-base", toyBase)
}

// TestBaseConflictChanges checks that save and assemble report a change of an
// edit in conflict that a variant settles.
func TestBaseConflictChanges(t *testing.T) {
	y := settled(t)
	y.edit("goroot/src/a/a.go", "beta here\n", "beta otherwise\n")
	if out := y.must("save", "beta"); !strings.Contains(out, toyVariant+" no longer applies: the edits in conflict have changed") {
		t.Errorf("save says %s", out)
	}
	status, out := y.graft("assemble", "-base", toyBase)
	equal(t, "status", status, 1)
	for _, w := range []string{toyVariant + " does not apply", "beta otherwise"} {
		if !strings.Contains(out, w) {
			t.Errorf("assemble does not say %q:\n%s", w, out)
		}
	}
	y.edit("goroot-1.98/src/a/a.go", "a line twenty\n", "beta otherwise, for 1.98\n")
	y.must("save", "-base", toyBase)
	y.must("verify", "-base", toyBase)
}

// TestBaseStash follows the steps that save -base prints if the overlay has
// changed since goroot-1.98 was assembled.
func TestBaseStash(t *testing.T) {
	y := settled(t)
	y.edit("goroot-1.98/src/a/b.go", "b line 9\n", "for 1.98\n")
	y.edit("goroot/src/a/b.go", "b line 20\n", "for all\n")
	y.must("save")
	y.refused([]string{"the overlay has changed", "git stash in goroot-1.98/, graft assemble -base go1.98, and git stash pop"}, "save", "-base", toyBase)
	y.git("goroot-1.98", "stash")
	y.must("assemble", "-base", toyBase)
	y.git("goroot-1.98", "stash", "pop")
	y.must("save", "-base", toyBase)
	y.must("verify", "-base", toyBase)
	if text := y.read("goroot-1.98/src/a/b.go"); !strings.Contains(text, "for 1.98\n") || !strings.Contains(text, "for all\n") {
		t.Errorf("b.go:\n%s", text)
	}
}

// TestBaseWithoutRelease checks that save works without the base's release, and
// that verify later finds the variant that save could not carry.
func TestBaseWithoutRelease(t *testing.T) {
	y := settled(t)
	both := os.Getenv("GOROOT_UPSTREAM")
	t.Setenv("GOROOT_UPSTREAM", y.upstream)
	y.refused([]string{"is " + toyVersion + ", want " + toyOther}, "assemble", "-base", toyBase)
	y.edit("goroot/src/a/a.go", "alpha here\n", "alpha here\nand here\n")
	if out := y.must("save", "alpha"); !strings.Contains(out, "the variants for go1.98 are left as they are") {
		t.Errorf("save says %s", out)
	}
	t.Setenv("GOROOT_UPSTREAM", both)
	y.refused([]string{toyVariant + " does not apply: it was made for src/a/a.go with blob"}, "verify", "-base", toyBase)
	status, _ := y.graft("assemble", "-base", toyBase)
	equal(t, "status", status, 1)
	y.edit("goroot-1.98/src/a/a.go", "a line twenty\n", "beta for 1.98\n")
	y.must("save", "-base", toyBase)
	y.must("verify", "-base", toyBase)
}

func TestBaseRefuses(t *testing.T) {
	y := settled(t)
	y.refused([]string{"pins no go1.97: the bases are go1.99, go1.98"}, "assemble", "-base", "go1.97")
	y.refused([]string{"there is no NAME"}, "save", "-base", toyBase, "alpha")
	y.write(map[string]string{"goroot-1.98/src/a/more.go": "package a\n"})
	y.refused([]string{"src/a/more.go: new: make it in goroot/, with the build constraint !go1.99"}, "save", "-base", toyBase)
	y.refused([]string{"goroot-1.98/ has edits", "graft save -base go1.98"}, "assemble", "-base", toyBase)
	y.remove("goroot-1.98/src/a/more.go")
	y.remove("goroot-1.98/src/a/b.go")
	y.refused([]string{"src/a/b.go: removed: a variant only edits"}, "save", "-base", toyBase)
	y.must("assemble", "-base", toyBase, "-f")
	y.write(map[string]string{"src/a/b.go.go1.97.patch": "x"})
	y.refused([]string{"src/a/b.go.go1.97.patch: go1.97 is none of the other bases"}, "status")
	y.remove("src/a/b.go.go1.97.patch")
	y.edit(pinFile, toyOther, "go1.99.3")
	y.refused([]string{"two releases are go1.99"}, "status")
}

// TestBaseFiles checks files that only one of the releases has.
func TestBaseFiles(t *testing.T) {
	y := withBase(t, map[string]string{"src/a/new.go": "package a // theirs\n"})
	status, out := y.graft("assemble", "-base", toyBase)
	if status != 1 || !strings.Contains(out, "src/a/new.go: new in the overlay, and go1.98.3 has such a file too") {
		t.Errorf("file that the base has too: status %d, %s", status, out)
	}
	y = withBase(t, map[string]string{"src/a/new.go": "package a\n"})
	y.must("assemble", "-base", toyBase)
	y = assembled(t)
	release := maps.Clone(toyRelease)
	delete(toyRelease, "src/a/b.go")
	defer func() { toyRelease = release }()
	y.addBase(toyOther, nil)
	if out := y.must("assemble", "-base", toyBase); !strings.Contains(out, "go1.98.3 has no src/a/b.go: its edits are left out") {
		t.Errorf("file that the base lacks: %s", out)
	}
}

func TestRebaseBase(t *testing.T) {
	y := settled(t)
	next := maps.Clone(toyRelease)
	next["src/a/a.go"] = "zeroth\n" + otherA
	dir := makeRelease(t, toyOtherNext, next)
	y.must("rebase", "-upstream", dir, toyOtherNext)
	equal(t, "VERSION", y.read("VERSION"), toyVersion+versionSuffix+"\n")
	if text := y.read(toyVariant); !strings.Contains(text, "@@ -23 +23 @@\n") {
		t.Errorf("variant:\n%s", text)
	}
	t.Setenv("GOROOT_UPSTREAM", y.upstream+string(filepath.ListSeparator)+dir)
	y.must("assemble", "-base", toyBase)
	if text := y.read("goroot-1.98/src/a/a.go"); !strings.Contains(text, "zeroth\n") || !strings.Contains(text, "beta for 1.98\n") {
		t.Errorf("a.go:\n%s", text)
	}
	y.must("verify")

	conflict := maps.Clone(toyRelease)
	conflict["src/a/b.go"] = "theirs\n" + lines("b", 30)
	dir = makeRelease(t, toyOther, conflict)
	y.refused([]string{"src/a/b.go:1: an edit of the overlay conflicts", "nothing is changed", "graft rebase -leave-out go1.98.3"},
		"rebase", "-upstream", dir, toyOther)
	y.must("rebase", "-leave-out", "-upstream", dir, toyOther)
	if text := y.read(pinFile); !strings.Contains(text, toyOther) {
		t.Errorf("%s: %s", pinFile, text)
	}
}

func TestRebaseCarriesVariants(t *testing.T) {
	y := settled(t)
	next := nextRelease(t, map[string]string{"src/a/a.go": "zeroth\n" + lines("a", 30)})
	y.must("rebase", "-upstream", next, toyNext)
	dirs := filepath.SplitList(os.Getenv("GOROOT_UPSTREAM"))
	t.Setenv("GOROOT_UPSTREAM", next+string(filepath.ListSeparator)+dirs[1])
	y.must("verify")
	y.must("verify", "-base", toyBase)
	y.must("assemble", "-base", toyBase)
	if text := y.read("goroot-1.98/src/a/a.go"); !strings.Contains(text, "beta for 1.98\n") {
		t.Errorf("a.go:\n%s", text)
	}
}

func TestRebaseAlso(t *testing.T) {
	y := assembled(t)
	dir := makeRelease(t, toyOther, toyRelease)
	y.must("rebase", "-also", "-upstream", dir, toyOther)
	equal(t, pinFile, y.read(pinFile), pinText(t, releasePin(t, y.upstream, toyVersion), releasePin(t, dir, toyOther)))
	y.refused([]string{"go1.98 is a base already"}, "rebase", "-also", "-upstream", dir, toyOther)
	t.Setenv("GOROOT_UPSTREAM", y.upstream+string(filepath.ListSeparator)+dir)
	y.must("assemble", "-base", toyBase)
}
