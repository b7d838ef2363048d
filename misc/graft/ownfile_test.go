// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const ownPatch = "src/a/new.go.beta.patch"

// shared returns a toy in which beta edits a new file of alpha's.
func shared(t *testing.T) *toy {
	t.Helper()
	y := assembled(t)
	y.write(map[string]string{"goroot/src/a/new.go": lines("new", 9)})
	y.must("save")
	y.edit("goroot/src/a/new.go", "new line 5\n", "new line 5\nbeta here\n")
	y.git("goroot", "commit", "-qam", "by hand\n\nChange-List: beta")
	y.must("save")
	return y
}

// TestOwnFile checks that the overlay has the file whole, that each commit has
// the file as its change list leaves it, and that the overlay assembles to the
// same commits again.
func TestOwnFile(t *testing.T) {
	y := shared(t)
	whole := strings.Replace(lines("new", 9), "new line 5\n", "new line 5\nbeta here\n", 1)
	equal(t, "the overlay's file", y.read("src/a/new.go"), whole)
	patch := y.read(ownPatch)
	equal(t, "the patch's end", patch[strings.Index(patch, "@@"):], "@@ -5,0 +6 @@\n+beta here\n")
	equal(t, "beta's document", y.read("doc/cl/beta.md"), "a: add beta\n\nWhy beta.\n")
	equal(t, "alpha's file", y.git("goroot", "show", "HEAD^:src/a/new.go")+"\n", lines("new", 9))
	equal(t, "beta's file", y.git("goroot", "show", "HEAD:src/a/new.go")+"\n", whole)
	y.must("status")
	y.must("verify")
	y.refusedNothing("save")
	head := y.git("goroot", "rev-parse", "HEAD")
	if err := os.RemoveAll(filepath.Join(y.root, "goroot")); err != nil {
		t.Fatal(err)
	}
	y.must("assemble")
	equal(t, "HEAD", y.git("goroot", "rev-parse", "HEAD"), head)
}

// TestOwnFileSaved checks to which change list an edit of the file goes.
func TestOwnFileSaved(t *testing.T) {
	for _, test := range []struct {
		name    string
		args    []string
		inPatch bool
	}{
		{"the one that makes it", []string{"alpha"}, false},
		{"the one that edits it", []string{"beta"}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			y := shared(t)
			y.edit("goroot/src/a/new.go", "new line 8\n", "mine\n")
			y.must(append([]string{"save"}, test.args...)...)
			equal(t, "edit is in the patch", strings.Contains(y.read(ownPatch), "+mine\n"), test.inPatch)
			equal(t, "edit is in alpha's file", strings.Contains(y.git("goroot", "show", "HEAD^:src/a/new.go"), "mine"), !test.inPatch)
			if !strings.Contains(y.read("src/a/new.go"), "mine\n") {
				t.Error("the overlay's file has not the edit")
			}
			y.must("status")
			y.must("verify")
		})
	}
}

// TestOwnFileUndone checks that the patch is gone when the later change list
// does not edit the file any more.
func TestOwnFileUndone(t *testing.T) {
	y := shared(t)
	y.edit("goroot/src/a/new.go", "beta here\n", "")
	y.must("save", "beta")
	equal(t, "file", y.read("src/a/new.go"), lines("new", 9))
	if _, err := os.Stat(filepath.Join(y.root, ownPatch)); err == nil {
		t.Error("the patch is still there")
	}
}

// TestOwnFileRebased checks that rebase carries the edit to another release.
func TestOwnFileRebased(t *testing.T) {
	y := shared(t)
	before := y.read("src/a/new.go") + y.read(ownPatch)
	next := makeRelease(t, toyNext, toyRelease)
	y.must("rebase", "-upstream", next, toyNext)
	equal(t, "file and patch", y.read("src/a/new.go")+y.read(ownPatch), before)
}

func TestOwnFileRefused(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(y *toy)
		args   []string
		want   string
	}{
		{"edit of nobody", func(y *toy) { y.edit("goroot/src/a/new.go", "new line 8\n", "mine\n") },
			[]string{"save"}, "src/a/new.go: several change lists edit it (alpha, beta): name one"},
		{"changed in the overlay", func(y *toy) { y.edit("src/a/new.go", "new line 8\n", "mine\n") },
			[]string{"assemble"}, ownPatch + ": cannot be taken out: it makes src/a/new.go with blob"},
		{"patch of an earlier change list", func(y *toy) {
			y.write(map[string]string{"doc/cl/series": "beta\nalpha\n"})
		}, []string{"verify"}, ownPatch + ": edits a file of change list alpha, which is not before beta"},
	} {
		t.Run(test.name, func(t *testing.T) {
			y := shared(t)
			test.change(y)
			y.refused([]string{test.want}, test.args...)
		})
	}
}

// TestOwnFileListed checks that each -list counts each line once.
func TestOwnFileListed(t *testing.T) {
	y := shared(t)
	equal(t, "table", y.must("each", "-list"), `
     change list   code  tests   docs  edits  added  removed
  1  alpha           10      0      0      1      1        0
  2  beta             3      0      0      2      2        1
     total           13      0      0      3      3        1
`[1:])
}
