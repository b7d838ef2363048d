// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// nextRelease makes the next release, in which the files of change differ.
func nextRelease(t *testing.T, change map[string]string) string {
	t.Helper()
	files := maps.Clone(toyRelease)
	for name, text := range change {
		if text == "" {
			delete(files, name)
		} else {
			files[name] = text
		}
	}
	return makeRelease(t, toyNext, files)
}

func TestRebase(t *testing.T) {
	y := assembled(t)
	moved := strings.Replace("first\nsecond\n"+lines("a", 30), "a line 12\n", "a line 12, new\n", 1)
	next := nextRelease(t, map[string]string{
		"src/a/a.go": moved,                                   // moves both patches
		"src/a/b.go": "beta too\n" + toyRelease["src/a/b.go"], // has all of beta's patch
	})
	out := y.must("rebase", "-upstream", next, toyNext)
	for _, w := range []string{"src/a/b.go.beta.patch is gone", "nothing to do: " + toyNext + " has all of it: src/a/b.go", "0 edits conflict\nnext: ./make.bash"} {
		if !strings.Contains(out, w) {
			t.Errorf("rebase does not say %q:\n%s", w, out)
		}
	}
	want := []string{"src/a/a.go.alpha.patch", "src/a/a.go.beta.patch", "src/a/new.go"}
	if have := y.overlay(); !slices.Equal(have, want) {
		t.Errorf("overlay: have %v, want %v", have, want)
	}
	equal(t, "VERSION", y.read("VERSION"), toyNext+versionSuffix+"\n")
	y.refused([]string{"is " + toyVersion + ", want " + toyNext}, "assemble")
	y.refused([]string{"not made from the pinned " + toyNext}, "save")

	t.Setenv("GOROOT_UPSTREAM", next)
	y.must("assemble")
	y.must("status")
	y.must("verify")
	result := strings.Replace(moved, "a line 5\n", "a line 5\nalpha here\n", 1)
	equal(t, "a.go", y.read("goroot/src/a/a.go"), strings.Replace(result, "a line 20\n", "beta here\n", 1))
	equal(t, "subjects", y.git("goroot", "log", "--format=%s"), "a: add beta\na: add alpha\n"+toyNext)
	y.refusedNothing("save")

	// The rebase back must restore the pin.
	old := y.upstream
	y.must("rebase", "-upstream", old, strings.TrimPrefix(toyVersion, "go"))
	t.Setenv("GOROOT_UPSTREAM", old)
	y.must("verify")
}

func TestRebaseConflicts(t *testing.T) {
	for _, test := range []struct {
		name   string
		change map[string]string
		want   []string
	}{
		{"edited lines", map[string]string{
			"src/a/a.go": strings.Replace(lines("a", 30), "a line 20\n", "theirs\n", 1),
			"src/a/b.go": "theirs\n" + lines("b", 30),
		}, []string{
			"alpha: a: add alpha\n  files as they are: 1\n  merged: src/a/a.go\n",
			"src/a/a.go:21: change list beta edits lines that have changed\n\t" + toyNext + " has\n\t\ttheirs\n\t" +
				toyVersion + ", with the change lists before, has\n\t\ta line 20\n\tchange list beta has\n\t\tbeta here\n",
			"src/a/b.go:1: change list beta edits lines that have changed\n\t" + toyNext + " has\n\t\ttheirs\n\t" +
				toyVersion + ", with the change lists before, has nothing there\n\tchange list beta has\n\t\tbeta too\n",
			"2 edits conflict", "graft rebase -leave-out " + toyNext,
		}},
		{"file gone", map[string]string{"src/a/a.go": ""}, []string{"src/a/a.go: change list alpha edits a file that is gone", "src/a/a.go: change list beta edits a file that is gone"}},
		{"new file upstream", map[string]string{"src/a/new.go": "package a // theirs\n"}, []string{"src/a/new.go: change list alpha makes a file that " + toyNext + " has too"}},
		{"same file upstream", map[string]string{"src/a/new.go": "package a\n"}, []string{"src/a/new.go: change list alpha makes a file that " + toyNext + " has too"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			y := assembled(t)
			y.refused(append(test.want, "nothing is changed"), "rebase", "-upstream", nextRelease(t, test.change), toyNext)
		})
	}
}

// TestRebaseSpaces checks that a table that the release has aligned anew makes no
// conflict.
func TestRebaseSpaces(t *testing.T) {
	y := assembled(t)
	aligned := strings.ReplaceAll(lines("a", 30), "a line", "a   line")
	next := nextRelease(t, map[string]string{"src/a/a.go": aligned})
	y.must("rebase", "-upstream", next, toyNext)
	t.Setenv("GOROOT_UPSTREAM", next)
	y.must("assemble")
	want := strings.Replace(aligned, "a   line 5\n", "a   line 5\nalpha here\n", 1)
	equal(t, "a.go", y.read("goroot/src/a/a.go"), strings.Replace(want, "a   line 20\n", "beta here\n", 1))
}

// TestRebaseLeaveOut checks that the edits that the report names, made again, are
// all that is left to do.
func TestRebaseLeaveOut(t *testing.T) {
	y := assembled(t)
	theirs := strings.Replace(lines("a", 30), "a line 20\n", "theirs\n", 1)
	next := nextRelease(t, map[string]string{"src/a/a.go": theirs, "src/a/new.go": "package a // theirs\n"})
	out := y.must("rebase", "-leave-out", "-upstream", next, toyNext)
	for _, w := range []string{"src/a/a.go:21: change list beta", "src/a/new.go: change list alpha makes a file that " + toyNext + " has too", "make the edits above in goroot/"} {
		if !strings.Contains(out, w) {
			t.Errorf("rebase does not say %q:\n%s", w, out)
		}
	}
	want := []string{"src/a/a.go.alpha.patch", "src/a/b.go.beta.patch"}
	if have := y.overlay(); !slices.Equal(have, want) {
		t.Errorf("overlay: have %v, want %v", have, want)
	}
	t.Setenv("GOROOT_UPSTREAM", next)
	y.must("assemble")
	equal(t, "a.go", y.read("goroot/src/a/a.go"), strings.Replace(theirs, "a line 5\n", "a line 5\nalpha here\n", 1))
	equal(t, "line of the report", strings.Split(y.read("goroot/src/a/a.go"), "\n")[20], "theirs")
	y.edit("goroot/src/a/a.go", "theirs\n", "beta here\n")
	y.must("save", "beta")
	y.must("verify")
}

func TestRebaseRefuses(t *testing.T) {
	y := assembled(t)
	y.refused([]string{"is on " + toyVersion + " already"}, "rebase", toyVersion)
	y.refused([]string{"is no release"}, "rebase", "master")
	y.refused([]string{"is " + toyVersion + ", want " + toyNext}, "rebase", "-upstream", y.upstream, toyNext)
	y.edit("goroot/src/a/a.go", "a line 1\n", "A line 1\n")
	y.refused([]string{"edits that are not in the overlay", "src/a/a.go"}, "rebase", "-upstream", nextRelease(t, nil), toyNext)
}
