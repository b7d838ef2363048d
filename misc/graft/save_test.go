// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRoundTrip checks that the overlay that save writes assembles to the same
// commits in another project.
func TestRoundTrip(t *testing.T) {
	y := assembled(t)
	want := []string{"src/a/a.go.alpha.patch", "src/a/a.go.beta.patch", "src/a/b.go.beta.patch", "src/a/new.go"}
	if have := y.overlay(); !slices.Equal(have, want) {
		t.Errorf("overlay: have %v, want %v", have, want)
	}
	equal(t, "alpha's files", y.read("doc/cl/alpha.md"), "a: add alpha\n\nWhy alpha.\n\nFiles:\n\tsrc/a/new.go\n")
	equal(t, "subjects", y.git("goroot", "log", "--format=%s"), "a: add beta\na: add alpha\n"+toyVersion)
	y.must("status")
	y.must("verify")
	head := y.git("goroot", "rev-parse", "HEAD")
	if err := os.RemoveAll(filepath.Join(y.root, "goroot")); err != nil {
		t.Fatal(err)
	}
	y.must("assemble")
	equal(t, "HEAD", y.git("goroot", "rev-parse", "HEAD"), head)
	y.refusedNothing("save")
}

// refusedNothing runs a save that must find nothing to save.
func (y *toy) refusedNothing(args ...string) {
	y.t.Helper()
	before := y.snapshot()
	if out := y.must(args...); !strings.Contains(out, "nothing to save") {
		y.t.Errorf("save says %s", out)
	}
	if d := differences(before, y.snapshot()); len(d) > 0 {
		y.t.Errorf("save changed %v", d)
	}
}

func TestPatchForm(t *testing.T) {
	y := assembled(t)
	text := y.read("src/a/a.go.alpha.patch")
	p, err := parsePatch(text)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "target", p.target, "src/a/a.go")
	equal(t, "context lines", len(p.context), 0)
	equal(t, "heading", p.heading, false)
	equal(t, "end", text[strings.Index(text, "@@"):], "@@ -5,0 +6 @@\n+alpha here\n")
}

// TestSaveFolds checks that an edit goes to its change list, also to an earlier
// one, and that goroot/ does not change.
func TestSaveFolds(t *testing.T) {
	for _, test := range []struct {
		name string
		args []string
		edit func(y *toy)
		file string // of the overlay
		want string // text in that file
	}{
		{"sole editor", nil, func(y *toy) { y.edit("goroot/src/a/b.go", "b line 9\n", "mine\n") }, "src/a/b.go.beta.patch", "+mine\n"},
		{"new file of an earlier list", nil, func(y *toy) { y.write(map[string]string{"goroot/src/a/new.go": "package a // 2\n"}) }, "src/a/new.go", "// 2"},
		{"earlier list, file that both edit", []string{"alpha"}, func(y *toy) { y.edit("goroot/src/a/a.go", "a line 12\n", "mine\n") }, "src/a/a.go.alpha.patch", "+mine\n"},
		{"later list, file that both edit", []string{"beta"}, func(y *toy) { y.edit("goroot/src/a/a.go", "a line 12\n", "mine\n") }, "src/a/a.go.beta.patch", "+mine\n"},
		{"another list than the sole editor", []string{"alpha"}, func(y *toy) { y.edit("goroot/src/a/b.go", "b line 9\n", "mine\n") }, "src/a/b.go.alpha.patch", "+mine\n"},
		{"named list leaves new files where they are", []string{"beta"}, func(y *toy) {
			y.write(map[string]string{"goroot/src/a/new.go": "package a // 2\n"})
			y.edit("goroot/src/a/a.go", "a line 12\n", "mine\n")
		}, "src/a/a.go.beta.patch", "+mine\n"},
		{"file of nobody", []string{"alpha"}, func(y *toy) { y.edit("goroot/src/x/ignored.go", "tracked", "mine\ntracked") }, "src/x/ignored.go.alpha.patch", "+mine\n"},
		{"new test", []string{"beta"}, func(y *toy) { y.write(map[string]string{"goroot/test/t.go": "// run\n"}) }, "doc/cl/beta.md", "Files:\n\ttest/t.go\n"},
		{"listed ahead", nil, func(y *toy) {
			y.edit("doc/cl/beta.md", "Why beta.\n", "Why beta.\n\nFiles:\n\tsrc/a/ahead.go\n")
			y.write(map[string]string{"goroot/src/a/ahead.go": "package a\n"})
		}, "src/a/ahead.go", "package a\n"},
		{"no newline at the end", nil, func(y *toy) { y.edit("goroot/src/a/b.go", "b line 30\n", "b line 30") }, "src/a/b.go.beta.patch", `\ No newline`},
		{"new change list", []string{"gamma"}, func(y *toy) {
			y.write(map[string]string{"doc/cl/gamma.md": "c: add gamma\n", "doc/cl/series": "alpha\nbeta\ngamma\n"})
			y.edit("goroot/src/a/a.go", "a line 30\n", "mine\n")
		}, "src/a/a.go.gamma.patch", "+mine\n"},
		{"commit with a trailer", nil, func(y *toy) {
			y.edit("goroot/src/a/a.go", "a line 12\n", "mine\n")
			y.git("goroot", "commit", "-qam", "by hand\n\nChange-List: alpha")
		}, "src/a/a.go.alpha.patch", "+mine\n"},
		{"commit of another list than the file's", nil, func(y *toy) {
			y.edit("goroot/src/a/new.go", "package a\n", "package a // 2\n")
			y.git("goroot", "commit", "-qam", "by hand\n\nChange-List: beta")
		}, "src/a/new.go", "// 2"},
		{"commits of two lists, new file", nil, func(y *toy) {
			for i, list := range []string{"beta", "alpha"} {
				y.write(map[string]string{"goroot/src/a/more.go": lines("more", i+1)})
				y.git("goroot", "add", ".")
				y.git("goroot", "commit", "-qm", "by hand\n\nChange-List: "+list)
			}
		}, "doc/cl/beta.md", "Files:\n\tsrc/a/more.go\n"},
		{"commit of another list removes the file", nil, func(y *toy) {
			y.git("goroot", "rm", "-q", "src/a/new.go")
			y.git("goroot", "commit", "-qm", "by hand\n\nChange-List: beta")
		}, "doc/cl/alpha.md", "Why alpha.\n"},
		{"file moved to another list", nil, func(y *toy) {
			y.edit("doc/cl/alpha.md", "\nFiles:\n\tsrc/a/new.go\n", "")
			y.edit("doc/cl/beta.md", "Why beta.\n", "Why beta.\n\nFiles:\n\tsrc/a/new.go\n")
			y.edit("goroot/src/a/new.go", "package a\n", "package a // 2\n")
		}, "doc/cl/beta.md", "Files:\n\tsrc/a/new.go\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			y := assembled(t)
			test.edit(y)
			files := y.goroot()
			y.must(append([]string{"save"}, test.args...)...)
			for _, name := range y.overlay() {
				if strings.Contains(name, "/new.go.") || strings.Contains(name, "/more.go.") {
					t.Errorf("%s is a patch of a file of ours", name)
				}
			}
			if text := y.read(test.file); !strings.Contains(text, test.want) {
				t.Errorf("%s has no %q:\n%s", test.file, test.want, text)
			}
			if d := differences(files, y.goroot()); len(d) > 0 {
				t.Errorf("save changed %v", d)
			}
			y.must("status")
			y.must("verify")
			y.refusedNothing("save")
			if err := os.RemoveAll(filepath.Join(y.root, "goroot")); err != nil {
				t.Fatal(err)
			}
			y.must("assemble")
			if d := differences(files, y.goroot()); len(d) > 0 {
				t.Errorf("assembled again, these differ: %v", d)
			}
		})
	}
}

// TestSaveSaysOwner checks that save says when a commit edits a file of another
// change list than its own.
func TestSaveSaysOwner(t *testing.T) {
	y := assembled(t)
	y.edit("goroot/src/a/new.go", "package a\n", "package a // 2\n")
	y.git("goroot", "commit", "-qam", "by hand\n\nChange-List: beta")
	want := `graft: src/a/new.go belongs to change list alpha: the edit by commit ` + y.git("goroot", "rev-parse", "--short=10", "HEAD") + ` "by hand" (beta) goes there`
	if out := y.must("save"); !strings.HasPrefix(out, want+"\n") {
		t.Errorf("no %q at the beginning of:\n%s", want, out)
	}
	equal(t, "alpha's file", y.git("goroot", "show", "HEAD^:src/a/new.go"), "package a // 2")
}

// goroot returns the files of goroot/.
func (y *toy) goroot() map[string]string {
	y.t.Helper()
	files := y.snapshot()
	for name := range files {
		if !strings.HasPrefix(name, filepath.Join(y.root, "goroot")+"/") {
			delete(files, name)
		}
	}
	return files
}

// TestSaveRemoves checks that a patch or new file that is reverted leaves the
// overlay, and that its directory is removed, too.
func TestSaveRemoves(t *testing.T) {
	y := assembled(t)
	y.edit("goroot/src/a/b.go", "beta too\n", "")
	y.remove("goroot/src/a/new.go")
	y.write(map[string]string{"goroot/test/only/t.go": "// run\n"})
	y.must("save", "beta")
	want := []string{"src/a/a.go.alpha.patch", "src/a/a.go.beta.patch", "test/only/t.go"}
	if have := y.overlay(); !slices.Equal(have, want) {
		t.Errorf("overlay: have %v, want %v", have, want)
	}
	y.remove("goroot/test/only/t.go")
	y.must("save")
	if _, err := os.Stat(filepath.Join(y.root, "test")); err == nil {
		t.Error("an empty directory is left")
	}
	equal(t, "alpha.md", y.read("doc/cl/alpha.md"), "a: add alpha\n\nWhy alpha.\n")
	y.must("status")
}

func TestSaveRefuses(t *testing.T) {
	for _, test := range []struct {
		name string
		args []string
		edit func(y *toy)
		want []string
	}{
		{"no list", []string{"gamma"}, func(y *toy) {}, []string{"gamma is no change list"}},
		{"upstream file of nobody", nil, func(y *toy) { y.edit("goroot/src/cmd/c/c.go", "c line 1\n", "mine\n") },
			[]string{"src/cmd/c/c.go: no change list edits"}},
		{"upstream file of two", nil, func(y *toy) { y.edit("goroot/src/a/a.go", "a line 12\n", "mine\n") },
			[]string{"src/a/a.go: several change lists edit it (alpha, beta)"}},
		{"new file of nobody", nil, func(y *toy) { y.write(map[string]string{"goroot/src/a/more.go": "package a\n"}) },
			[]string{"src/a/more.go: new, and in no change list"}},
		{"outside", []string{"alpha"}, func(y *toy) { y.write(map[string]string{"goroot/lib/data.txt": "mine\n"}) },
			[]string{"lib/data.txt: outside the overlay"}},
		{"upstream file removed", []string{"alpha"}, func(y *toy) { y.remove("goroot/src/cmd/c/c.go") },
			[]string{"src/cmd/c/c.go: change list alpha removes a file of upstream's"}},
		{"run bit", []string{"alpha"}, func(y *toy) {
			os.Chmod(filepath.Join(y.root, "goroot/src/a/b.go"), 0o755)
		}, []string{"src/a/b.go: has mode 100755, and would get 100644"}},
		{"link", []string{"alpha"}, func(y *toy) {
			os.Symlink("a.go", filepath.Join(y.root, "goroot/src/a/l.go"))
		}, []string{"src/a/l.go: has mode 120000"}},
		{"not text", []string{"alpha"}, func(y *toy) { y.write(map[string]string{"goroot/src/a/b.go": "\x00"}) },
			[]string{"src/a/b.go: not a text file"}},
		{"name of a patch", []string{"alpha"}, func(y *toy) { y.write(map[string]string{"goroot/src/a/x.patch": "x"}) },
			[]string{"src/a/x.patch: the overlay cannot hold"}},
		{"conflict", []string{"alpha"}, func(y *toy) { y.edit("goroot/src/a/a.go", "beta here\n", "mine\n") },
			[]string{"src/a/a.go: change list alpha edits lines that have changed"}},
		{"commit without trailer", nil, func(y *toy) {
			y.edit("goroot/src/a/b.go", "b line 12\n", "mine\n")
			y.git("goroot", "commit", "-qam", "by hand")
		}, []string{`"by hand": ends in no line "Change-List: NAME"`}},
		{"commit of an unknown list", nil, func(y *toy) {
			y.edit("goroot/src/a/b.go", "b line 12\n", "mine\n")
			y.git("goroot", "commit", "-qam", "by hand\n\nChange-List: gamma")
		}, []string{"gamma is no change list"}},
		{"merge", nil, func(y *toy) {
			y.git("goroot", "checkout", "-q", "-b", "side", "HEAD^")
			y.git("goroot", "commit", "-q", "--allow-empty", "-m", "side\n\nChange-List: alpha")
			y.git("goroot", "checkout", "-q", "gorefs")
			y.git("goroot", "merge", "-q", "-m", "merged\n\nChange-List: alpha", "side")
		}, []string{"a merge"}},
		{"unfinished git operation", nil, func(y *toy) {
			y.write(map[string]string{"goroot/.git/CHERRY_PICK_HEAD": y.git("goroot", "rev-parse", "HEAD") + "\n"})
		}, []string{"unfinished in goroot/ (CHERRY_PICK_HEAD)"}},
		{"overlay edited", nil, func(y *toy) {
			y.write(map[string]string{"src/a/new.go": "package a // overlay\n"})
			y.edit("goroot/src/a/b.go", "b line 12\n", "mine\n")
		}, []string{"the overlay has changed since it was assembled", "src/a/new.go"}},
		{"patch of a file of ours", nil, func(y *toy) {
			y.write(map[string]string{"src/a/new.go.beta.patch": y.read("src/a/b.go.beta.patch")})
		}, []string{"src/a/new.go.beta.patch: a patch of src/a/new.go, which is a file of ours and stands whole (change list alpha)"}},
		{"listed, in neither", nil, func(y *toy) {
			y.edit("doc/cl/beta.md", "Why beta.\n", "Why beta.\n\nFiles:\n\tsrc/a/none.go\n")
		}, []string{"src/a/none.go: a change list lists it, but it does not exist in goroot/"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			y := assembled(t)
			test.edit(y)
			y.refused(test.want, append([]string{"save"}, test.args...)...)
		})
	}
}

// TestSaveTools checks that an edit of the tools changes the hash in the
// version, so that make.bash builds them.
func TestSaveTools(t *testing.T) {
	y := assembled(t)
	version := y.read("goroot/VERSION")
	y.edit("goroot/src/a/b.go", "b line 9\n", "mine\n")
	y.must("save")
	equal(t, "VERSION after an edit elsewhere", y.read("goroot/VERSION"), version)
	y.edit("goroot/src/cmd/c/c.go", "c line 1\n", "mine\n")
	y.must("save", "alpha")
	if y.read("goroot/VERSION") == version {
		t.Error("VERSION is as before the edit of a tool")
	}
}

// TestSaveIgnores checks that files that the build writes are not edits.
func TestSaveIgnores(t *testing.T) {
	y := assembled(t)
	y.write(map[string]string{
		"goroot/bin/go": "x", "goroot/pkg/built": "x", "goroot/src/time/tzdata/zzipdata.go": "x", "goroot/src/a/a.go~": "x",
	})
	y.must("status")
	y.refusedNothing("save")
}

func TestNoGoroot(t *testing.T) {
	for _, cmd := range []string{"save", "status"} {
		newToy(t).refused([]string{"there is no goroot/ yet"}, cmd)
	}
}
