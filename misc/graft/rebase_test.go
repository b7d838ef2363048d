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
	if !strings.Contains(out, "src/a/b.go.beta.patch is gone") {
		t.Errorf("rebase says %s", out)
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
		}, []string{"src/a/a.go: change list beta edits lines that have changed", "src/a/b.go: change list beta edits lines"}},
		{"file gone", map[string]string{"src/a/a.go": ""}, []string{"src/a/a.go: change list alpha edits a file that is gone"}},
		{"new file upstream", map[string]string{"src/a/new.go": "package a // theirs\n"}, []string{"src/a/new.go: change list alpha makes a file that exists"}},
		{"same file upstream", map[string]string{"src/a/new.go": "package a\n"}, []string{"src/a/new.go: new in change list alpha, and " + toyNext + " has it too"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			y := assembled(t)
			y.refused(append(test.want, "nothing is changed"), "rebase", "-upstream", nextRelease(t, test.change), toyNext)
		})
	}
}

func TestRebaseRefuses(t *testing.T) {
	y := assembled(t)
	y.refused([]string{"is on " + toyVersion + " already"}, "rebase", toyVersion)
	y.refused([]string{"is no release"}, "rebase", "master")
	y.refused([]string{"is " + toyVersion + ", want " + toyNext}, "rebase", "-upstream", y.upstream, toyNext)
	y.edit("goroot/src/a/a.go", "a line 1\n", "A line 1\n")
	y.refused([]string{"edits that are not in the overlay", "src/a/a.go"}, "rebase", "-upstream", nextRelease(t, nil), toyNext)
}
