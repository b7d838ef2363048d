// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// standInGo replaces the go command in goroot/bin. It fails if its first
// argument is the value of FAKE_FAIL.
const standInGo = `#!/bin/sh
echo "ran in ${PWD##*/goroot/}, GOFLAGS=$GOFLAGS: $*"
[ "$1" != "$FAKE_FAIL" ] || { echo "boom" >&2; exit 1; }
`

// built returns the toy of assembled, with the files that make.bash leaves in
// goroot/.
func built(t *testing.T) *toy {
	t.Helper()
	y := assembled(t)
	y.write(map[string]string{"goroot/bin/go": standInGo, "goroot/pkg/built": "", "goroot/src/go/build/zcgo.go": "generated\n"})
	if err := os.Chmod(filepath.Join(y.root, "goroot/bin/go"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOFLAGS", "-mod=mod")
	return y
}

// ran returns the arguments of the calls of standInGo, and the headings.
func ran(out string) string {
	var b strings.Builder
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "== ") {
			b.WriteString(line)
		} else if _, args, ok := strings.Cut(line, "ran in src, GOFLAGS=: "); ok {
			b.WriteString(args)
		}
	}
	return b.String()
}

const (
	alphaRan = "== 1 alpha: a: add alpha\nbuild std\nvet a\ntest -short a\n"
	betaRan  = "== 2 beta: a: add beta\nbuild std\nvet a\ntest -short a\n"
)

func TestEach(t *testing.T) {
	y := built(t)
	before := y.snapshot()
	dir := filepath.Join(t.TempDir(), "each")
	out := y.must("each", dir)
	equal(t, "ran", ran(out), alphaRan+betaRan)
	if want := "graft: each change list from 1 to 2 builds and passes its tests\n"; !strings.HasSuffix(out, want) {
		t.Errorf("no %q in:\n%s", want, out)
	}
	if d := differences(before, y.snapshot()); len(d) > 0 {
		t.Errorf("each changed %v", d)
	}
	tree := &toy{t: t, root: filepath.Join(dir, "goroot")}
	for _, name := range []string{"src/a/a.go", "src/a/b.go", "src/a/new.go", "src/go/build/zcgo.go", "VERSION"} {
		equal(t, name, tree.read(name), y.read("goroot/"+name))
	}
	equal(t, "commits", tree.git("", "log", "--format=%s"), "a: add beta\na: add alpha\n"+toyVersion)
	mails, err := filepath.Glob(dir + "/mails/*.patch")
	equal(t, "mails", len(mails), 2)
	equal(t, "error", err, nil)
}

// TestEachFrom checks that after a failure, -from continues in the directory
// with the current overlay.
func TestEachFrom(t *testing.T) {
	y := built(t)
	dir := t.TempDir()
	t.Setenv("FAKE_FAIL", "vet")
	y.refused([]string{"boom\n", "change list 1, alpha: go vet: exit status 1\n", "graft each -from 1 " + dir + "\n"}, "each", dir)
	t.Setenv("FAKE_FAIL", "test")
	y.refused([]string{"change list 2, beta: go test: exit status 1\n"}, "each", "-from", "2", dir)
	t.Setenv("FAKE_FAIL", "")
	mails, _ := filepath.Glob(dir + "/mails/0001-*")
	if exec.Command("git", "-C", filepath.Join(dir, "goroot"), "am", mails[0]).Run() == nil {
		t.Fatal("a mail applies twice")
	}
	y.edit("goroot/src/a/b.go", "beta too\n", "beta again\n")
	y.must("save")
	out := y.must("each", "-from", "2", dir)
	equal(t, "ran", ran(out), strings.SplitAfter(alphaRan, "\n")[0]+betaRan)
	if have := (&toy{t: t, root: dir}).read("goroot/src/a/b.go"); !strings.Contains(have, "beta again\n") {
		t.Errorf("the tree has the old overlay:\n%s", have)
	}
}

func TestEachShort(t *testing.T) {
	y := built(t)
	want := strings.ReplaceAll(alphaRan+betaRan, "test -short", "test -c -o "+os.DevNull)
	out := y.must("each", "-short", t.TempDir())
	equal(t, "ran", ran(out), want)
	if !strings.Contains(out, "which have not run") {
		t.Errorf("it says that tests ran:\n%s", out)
	}
}

// TestEachOwn checks that only the overlay's tests and examples run.
func TestEachOwn(t *testing.T) {
	y := built(t)
	y.write(map[string]string{
		"doc/cl/beta.md":  "a: add beta\n\nFiles:\n\tsrc/a/b_test.go\n",
		"src/a/b_test.go": "package a\n\nfunc TestB(t *testing.T) {}\nfunc ExampleA() {}\nfunc testHelp() {}\n\nfunc BenchmarkB(b *testing.B) {}\n",
	})
	y.must("assemble")
	want := strings.ReplaceAll(alphaRan+betaRan, "test -short a", "test -short -run ^(ExampleA|TestB)$ a")
	out := y.must("each", "-own", t.TempDir())
	equal(t, "ran", ran(out), want)
	if want := "builds and passes the overlay's tests\n"; !strings.HasSuffix(out, want) {
		t.Errorf("no %q in:\n%s", want, out)
	}
	y.refused([]string{"-own takes no -short"}, "each", "-own", "-short")
}

// TestEachPackages checks that only packages under src/ are tested. A change
// list that has none is only built.
func TestEachPackages(t *testing.T) {
	y := built(t)
	y.write(map[string]string{
		"doc/cl/series":              "alpha\ngamma\nnone\nbeta\n",
		"doc/cl/none.md":             "none: without files\n",
		"doc/cl/gamma.md":            "b: add gamma\n\nFiles:\n\tsrc/b/x/site/shared/p.html\n\tsrc/b/x/testdata/c/d\n\tsrc/b/x/x.s\n\tsrc/b/x/y.go\n\ttest/t.go\n",
		"src/b/x/testdata/c/d":       "",
		"src/b/x/x.s":                "",
		"src/b/x/y.go":               "package x\n",
		"src/b/x/site/shared/p.html": "<p>",
		"test/t.go":                  "// run\n",
		"doc/cl/alpha.md":            "doc: add alpha\n\nFiles:\n\tdoc/next/n.md\n",
		"doc/next/n.md":              "note\n",
	})
	for _, name := range []string{"src/a/a.go.alpha.patch", "src/a/a.go.beta.patch", "src/a/new.go"} {
		y.remove(name)
	}
	out := y.must("each", t.TempDir())
	equal(t, "ran", ran(out), "== 1 alpha: doc: add alpha\nbuild std\n"+
		"== 2 gamma: b: add gamma\nbuild std\nvet b/x\ntest -short b/x\n"+
		strings.Replace(betaRan, "== 2", "== 3", 1))
}

// TestEachTemporary checks that a temporary directory is removed after success,
// and stays after an error.
func TestEachTemporary(t *testing.T) {
	y := built(t)
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	y.must("each")
	left, err := filepath.Glob(tmp + "/*")
	equal(t, "directories left", strings.Join(left, " "), "")
	equal(t, "error", err, nil)
	t.Setenv("FAKE_FAIL", "build")
	y.refused([]string{"graft: working in " + tmp, "graft each -from 1 " + tmp}, "each")
	left, _ = filepath.Glob(tmp + "/*/goroot/src/a/new.go")
	equal(t, "trees left", len(left), 1)
}

// TestEachLossyMail checks that each refuses a mail from which git am removes
// text.
func TestEachLossyMail(t *testing.T) {
	y := built(t)
	y.write(map[string]string{"src/a/new.go": "package a\r\n"})
	y.refused([]string{"change list 1, alpha: its mail gives other files than the overlay:\n\tsrc/a/new.go\n"}, "each", t.TempDir())
}

func TestEachRefuses(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(y *toy, dir string)
		args   []string
		want   string
	}{
		{"not built", func(y *toy, _ string) { y.remove("goroot/pkg/built") }, nil, "goroot/ is not built"},
		{"broken overlay", func(y *toy, _ string) { y.remove("src/a/new.go") }, nil, "src/a/new.go: change list alpha lists it"},
		{"beyond the last", nil, []string{"-from", "3"}, "-from 3: there are 2 change lists"},
		{"before the first", nil, []string{"-from", "0"}, "-from 0: there are 2 change lists"},
		{"other files", func(y *toy, dir string) { put(y.t, dir, map[string]string{"x": ""}) }, nil, "is not empty"},
		{"the project", func(y *toy, dir string) {
			if err := os.CopyFS(dir, os.DirFS(y.root)); err != nil {
				y.t.Fatal(err)
			}
		}, nil, "is not empty"},
		{"edits", func(y *toy, dir string) {
			y.must("each", dir)
			(&toy{t: y.t, root: dir}).edit("goroot/src/a/b.go", "b line 9", "mine")
		}, nil, "has edits that this run would discard:\n\tsrc/a/b.go\n"},
		{"commits", func(y *toy, dir string) {
			y.must("each", dir)
			(&toy{t: y.t, root: dir}).git("goroot", "commit", "-q", "--allow-empty", "-m", "mine")
		}, nil, " mine\n"},
		{"list with a directory", nil, []string{"-list"}, "-list takes no other flag and no DIR"},
	} {
		t.Run(test.name, func(t *testing.T) {
			y, dir := built(t), t.TempDir()
			if test.change != nil {
				test.change(y, dir)
			}
			before := (&toy{t: t, root: dir}).snapshot()
			y.refused([]string{test.want}, append(append([]string{"each"}, test.args...), dir)...)
			if d := differences(before, (&toy{t: t, root: dir}).snapshot()); len(d) > 0 {
				t.Errorf("each changed %v", d)
			}
		})
	}
}

func TestEachList(t *testing.T) {
	y := assembled(t)
	y.write(map[string]string{
		"doc/cl/gamma.md":  "b: add gamma\n\nFiles:\n\tdoc/next/n.md\n\tsrc/b/testdata/d\n\tsrc/b/b_test.go\n\ttest/t.go\n",
		"doc/cl/none.md":   "none: without files\n",
		"doc/cl/series":    "alpha\nbeta\nnone\ngamma\n",
		"doc/next/n.md":    "note\n",
		"src/b/testdata/d": lines("d", 20),
		"src/b/b_test.go":  lines("t", 300),
		"test/t.go":        lines("t", 4000),
		"src/a/z_test.go":  lines("z", 7),
	})
	y.edit("doc/cl/alpha.md", "Files:\n", "Files:\n\tsrc/a/z_test.go\n")
	equal(t, "table", y.must("each", "-list"), `
     change list   code  tests   docs  edits  added  removed
  1  alpha            2      7      0      1      1        0
  2  beta             2      0      0      2      2        1
  3  gamma            0   4320      1      0      0        0
     total            4   4327      1      3      3        1
`[1:])
	y.edit("src/a/a.go.alpha.patch", "@@ ", "@ ")
	y.refused([]string{"src/a/a.go.alpha.patch: line 5"}, "each", "-list")
}
