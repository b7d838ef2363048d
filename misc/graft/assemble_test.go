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

func TestFirstAssemble(t *testing.T) {
	y := newToy(t)
	y.write(map[string]string{
		"doc/cl/alpha.md":              "a: add alpha\n\nWhy alpha.\n\nFiles:\n\tsrc/a/new.go\n\ttest/t.go\n",
		"src/a/new.go":                 "package a\n",
		"test/t.go":                    "// run\n",
		"goroot" + unpacking + "/left": "by a run that was killed\n",
	})
	y.must("assemble")

	equal(t, "new file", y.read("goroot/src/a/new.go"), "package a\n")
	equal(t, "test", y.read("goroot/test/t.go"), "// run\n")
	equal(t, "go.mod", y.read("goroot/src/go.mod"), "module std\n")
	equal(t, "file that upstream's .gitignore names", y.read("goroot/src/x/ignored.go"), "tracked all the same\n")
	equal(t, "go.env", y.read("goroot/go.env"), "# Defaults.\nGOTOOLCHAIN=local\n")
	version := y.read("goroot/VERSION")
	if !strings.HasPrefix(version, toyVersion+versionSuffix+"-") || !strings.HasSuffix(version, "\ntime 2026-01-02T03:04:05Z\n") {
		t.Errorf("VERSION: %q", version)
	}
	for _, name := range []string{"src/a/zgen.go", "src/_go.mod"} {
		if _, err := os.Stat(filepath.Join(y.root, "goroot", name)); err == nil {
			t.Errorf("goroot has %s", name)
		}
	}
	if info, err := os.Stat(filepath.Join(y.root, "goroot/src/make.bash")); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("src/make.bash: %v, want a run bit", info.Mode())
	}
	if info, err := os.Stat(filepath.Join(y.root, "goroot/test/internal/runtime/sys")); err != nil || !info.IsDir() {
		t.Error("no directory for the runner of GOROOT/test")
	}
	if _, err := os.Stat(filepath.Join(y.root, "goroot"+unpacking)); err == nil {
		t.Error("goroot" + unpacking + " is left behind")
	}
	equal(t, "commits", y.git("goroot", "log", "--format=%s by %an"), "a: add alpha by gorefs\n"+toyVersion+" by gorefs")
	equal(t, "message", y.git("goroot", "log", "-1", "--format=%B"), "a: add alpha\n\nWhy alpha.\n\nChange-List: alpha")
	equal(t, "git status", y.git("goroot", "status", "--porcelain"), "")
}

// TestReleaseForms checks that three forms of a release make one tree and one
// commit: the module, the module after the go command has run it (it then has
// go.mod files beside the _go.mod files), and an unpacked release.
func TestReleaseForms(t *testing.T) {
	y := newToy(t)
	var first string
	again := func() {
		t.Helper()
		if err := os.RemoveAll(filepath.Join(y.root, "goroot")); err != nil {
			t.Fatal(err)
		}
		y.must("assemble")
		head := y.git("goroot", "rev-parse", "HEAD")
		if first == "" {
			first = head
		}
		equal(t, "HEAD", head, first)
	}
	again()
	put(t, y.upstream, map[string]string{"src/go.mod": toyRelease["src/_go.mod"]})
	again()
	for from, to := range map[string]string{"src/_go.mod": "src/go.mod"} {
		if err := os.Rename(filepath.Join(y.upstream, from), filepath.Join(y.upstream, to)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(y.upstream, "src/make.bash"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(y.upstream, "src/a/zgen.go")); err != nil {
		t.Fatal(err)
	}
	put(t, y.upstream, map[string]string{"bin/go": "", "pkg/tool/x": "", "test/t.go": "", "api/go1.txt": "", "doc/d": "", "misc/m": ""})
	again()
	if _, err := os.Stat(filepath.Join(y.root, "goroot/api")); err == nil {
		t.Error("goroot has upstream's api/")
	}
}

func TestUpstreamErrors(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(t *testing.T, y *toy)
		want   []string
	}{
		{"changed file", func(t *testing.T, y *toy) {
			put(t, y.upstream, map[string]string{"src/a/a.go": "other\n"})
		}, []string{"want h1:", "have h1:", toyVersion}},
		{"extra file", func(t *testing.T, y *toy) {
			put(t, y.upstream, map[string]string{"lib/more": "other\n"})
		}, []string{"want h1:", "have h1:"}},
		{"changed go.env", func(t *testing.T, y *toy) {
			put(t, y.upstream, map[string]string{"go.env": "GOSUMDB=off\n"})
		}, []string{"want h1:", "for VERSION and go.env", "have h1:"}},
		{"changed time", func(t *testing.T, y *toy) {
			put(t, y.upstream, map[string]string{"VERSION": toyVersion + "\ntime 2026-01-02T03:04:06Z\n"})
		}, []string{"want h1:", "have h1:"}},
		{"no go.env", func(t *testing.T, y *toy) {
			os.Remove(filepath.Join(y.upstream, "go.env"))
		}, []string{"upstream copy", "go.env"}},
		{"other release", func(t *testing.T, y *toy) {
			put(t, y.upstream, map[string]string{"VERSION": toyNext + "\ntime 2026-01-02T03:04:05Z\n"})
		}, []string{"is " + toyNext + ", want " + toyVersion}},
		{"no VERSION", func(t *testing.T, y *toy) {
			os.Remove(filepath.Join(y.upstream, "VERSION"))
		}, []string{"upstream copy", "VERSION"}},
		{"no src", func(t *testing.T, y *toy) {
			os.RemoveAll(filepath.Join(y.upstream, "src"))
		}, []string{"has no src directory"}},
		{"no directory", func(t *testing.T, y *toy) {
			t.Setenv("GOROOT_UPSTREAM", filepath.Join(y.upstream, "nowhere"))
		}, []string{"nowhere"}},
		{"no download", func(t *testing.T, y *toy) {
			t.Setenv("GOROOT_UPSTREAM", "")
			t.Setenv("GOPROXY", "off")
			t.Setenv("GOMODCACHE", t.TempDir())
		}, []string{"cannot fetch golang.org/toolchain@v0.0.1-" + toyVersion, "set GOROOT_UPSTREAM"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			y := newToy(t)
			test.change(t, y)
			y.refused(test.want, "assemble")
			if _, err := os.Stat(filepath.Join(y.root, "goroot")); err == nil {
				t.Error("there is a goroot/")
			}
		})
	}
}

// TestUpstreamAgain checks that a copy that the user names is verified although
// goroot/ has the release already.
func TestUpstreamAgain(t *testing.T) {
	y := assembled(t)
	for _, want := range []string{"graft: verifying " + y.upstream, "nothing is copied from " + y.upstream} {
		if out := y.must("assemble"); !strings.Contains(out, want) {
			t.Errorf("assemble does not say %q:\n%s", want, out)
		}
	}
	put(t, y.upstream, map[string]string{"src/a/a.go": "other\n"})
	y.refused([]string{"is not the pinned " + toyVersion, "have h1:"}, "assemble")
	t.Setenv("GOROOT_UPSTREAM", filepath.Join(y.upstream, "nowhere"))
	y.refused([]string{"nowhere"}, "assemble")
	t.Setenv("GOROOT_UPSTREAM", "")
	if out := y.must("assemble"); strings.Contains(out, "verifying") {
		t.Errorf("assemble verifies something without a copy:\n%s", out)
	}
}

// TestOverlayErrors checks that a first assemble, a later one and verify refuse
// a broken overlay.
func TestOverlayErrors(t *testing.T) {
	const patchOfB = "src/a/b.go.beta.patch"
	for _, test := range []struct {
		name   string
		change func(y *toy)
		want   []string
	}{
		{"hunk", func(y *toy) { y.edit("src/a/a.go.beta.patch", "-a line 20", "-a line 200") },
			[]string{"src/a/a.go.beta.patch: hunk @@ -21 +21 @@", "to src/a/a.go", "change list beta"}},
		{"base", func(y *toy) {
			y.write(map[string]string{"src/a/b.go.beta.patch": rebased(y.read(patchOfB))})
		}, []string{patchOfB + ": does not apply: made for src/a/b.go with blob 000000000000", "change list beta"}},
		{"no index line", func(y *toy) { y.edit(patchOfB, "index ", "sindex ") }, []string{patchOfB, "does not belong", "change list beta"}},
		{"not a patch", func(y *toy) { y.write(map[string]string{patchOfB: "\n"}) }, []string{patchOfB, "change list beta"}},
		{"another file's", func(y *toy) { y.write(map[string]string{"src/a/zkeep.go.beta.patch": y.read(patchOfB)}) },
			[]string{"src/a/zkeep.go.beta.patch: edits src/a/b.go, not src/a/zkeep.go"}},
		{"no such file", func(y *toy) { y.write(map[string]string{"src/a/none.go.beta.patch": y.read(patchOfB)}) },
			[]string{"src/a/none.go.beta.patch: upstream has no src/a/none.go", "change list beta"}},
		{"patch of a file of ours", func(y *toy) { y.write(map[string]string{"src/a/new.go.beta.patch": y.read(patchOfB)}) },
			[]string{"src/a/new.go.beta.patch: a patch of src/a/new.go, which is a file of ours and stands whole (change list alpha)"}},
		{"patch of no list", func(y *toy) { y.write(map[string]string{"src/a/b.go.gamma.patch": y.read(patchOfB)}) },
			[]string{`src/a/b.go.gamma.patch: "gamma" is no change list`}},
		{"file of no list", func(y *toy) { y.write(map[string]string{"src/a/stray.go": "package a\n"}) },
			[]string{"src/a/stray.go: no change list lists this new file"}},
		{"list without doc", func(y *toy) { y.edit("doc/cl/series", "beta", "beta\ngamma") },
			[]string{"change list gamma has no doc/cl/gamma.md"}},
		{"doc without place", func(y *toy) { y.write(map[string]string{"doc/cl/gamma.md": "x: y\n"}) },
			[]string{"gamma is not in doc/cl/series"}},
		{"list twice", func(y *toy) { y.edit("doc/cl/series", "beta", "beta\nbeta") }, []string{"beta stands there twice"}},
		{"bad name", func(y *toy) { y.edit("doc/cl/series", "beta", "beta\nGamma!") }, []string{`"Gamma!" is not a name`}},
		{"no subject", func(y *toy) { y.write(map[string]string{"doc/cl/beta.md": "one\ntwo\n"}) }, []string{"doc/cl/beta.md: want the commit's subject"}},
		{"listed twice", func(y *toy) { y.edit("doc/cl/beta.md", "Why beta.\n", "Why beta.\n\nFiles:\n\tsrc/a/new.go\n") },
			[]string{"src/a/new.go: listed twice, by change lists alpha and beta"}},
		{"listed, missing", func(y *toy) { y.edit("doc/cl/beta.md", "Why beta.\n", "Why beta.\n\nFiles:\n\tsrc/a/none.go\n") },
			[]string{"src/a/none.go: change list beta lists it, but it does not exist"}},
		{"listed outside", func(y *toy) { y.edit("doc/cl/beta.md", "Why beta.\n", "Why beta.\n\nFiles:\n\tlib/x\n") },
			[]string{"lib/x cannot be a new file of the overlay"}},
		{"new, exists upstream", func(y *toy) {
			y.edit("doc/cl/alpha.md", "\tsrc/a/new.go\n", "\tsrc/a/new.go\n\tsrc/a/zkeep.go\n")
			y.write(map[string]string{"src/a/zkeep.go": "package a\n"})
		}, []string{"src/a/zkeep.go: exists upstream", "change list alpha"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			y := assembled(t)
			test.change(y)
			y.refused(test.want, "assemble")
			if err := os.RemoveAll(filepath.Join(y.root, "goroot")); err != nil {
				t.Fatal(err)
			}
			y.refused(test.want, "assemble")
			y.refused(test.want, "verify")
		})
	}
}

// rebased returns the patch as if it had been made for another blob.
func rebased(text string) string {
	before, after, _ := strings.Cut(text, "\nindex ")
	return before + "\nindex " + strings.Repeat("0", 40) + after[40:]
}

func TestReassemble(t *testing.T) {
	y := assembled(t)
	target := filepath.Join(y.root, "goroot/src/a/zkeep.go")
	before, err := os.Stat(target)
	if err != nil {
		t.Fatal(err)
	}
	version := y.read("goroot/VERSION")
	y.write(map[string]string{"src/a/new.go": "package a // changed\n"})
	if out := y.must("assemble"); !strings.Contains(out, "1 file of goroot/ changed: src/a/new.go") {
		t.Errorf("assemble says %s", out)
	}
	equal(t, "new.go", y.read("goroot/src/a/new.go"), "package a // changed\n")
	equal(t, "VERSION", y.read("goroot/VERSION"), version)
	after, err := os.Stat(target)
	if err != nil {
		t.Fatal(err)
	}
	if !after.ModTime().Equal(before.ModTime()) || !os.SameFile(before, after) {
		t.Error("a file that has not changed was written")
	}
	if out := y.must("assemble"); !strings.Contains(out, "up to date") {
		t.Errorf("assemble says %s", out)
	}
	y.write(map[string]string{"doc/cl/series": "alpha\n"})
	y.remove("doc/cl/beta.md")
	y.remove("src/a/a.go.beta.patch")
	y.remove("src/a/b.go.beta.patch")
	y.must("assemble")
	equal(t, "b.go", y.read("goroot/src/a/b.go"), toyRelease["src/a/b.go"])
}

func TestUnsavedEdits(t *testing.T) {
	for _, test := range []struct {
		name string
		edit func(y *toy)
		want string
	}{
		{"edit", func(y *toy) { y.edit("goroot/src/a/a.go", "a line 1\n", "A line 1\n") }, "src/a/a.go"},
		{"new file", func(y *toy) { y.write(map[string]string{"goroot/src/a/more.go": "package a\n"}) }, "src/a/more.go"},
		{"removed file", func(y *toy) { y.remove("goroot/src/a/new.go") }, "src/a/new.go"},
		{"commit", func(y *toy) {
			y.edit("goroot/src/a/a.go", "a line 1\n", "A line 1\n")
			y.git("goroot", "commit", "-qam", "by hand")
		}, "by hand"},
		{"commit dropped", func(y *toy) { y.git("goroot", "reset", "-q", "--hard", "HEAD^") }, "HEAD is not"},
	} {
		t.Run(test.name, func(t *testing.T) {
			y := assembled(t)
			clean := y.git("goroot", "rev-parse", "HEAD^{tree}")
			test.edit(y)
			y.write(map[string]string{"src/a/new.go": "package a // overlay\n"})
			y.refused([]string{test.want, "graft save", "assemble -f"}, "assemble")
			y.write(map[string]string{"src/a/new.go": "package a\n"})
			y.must("assemble", "-f")
			equal(t, "git status", y.git("goroot", "status", "--porcelain"), "")
			equal(t, "tree", y.git("goroot", "rev-parse", "HEAD^{tree}"), clean)
		})
	}
}

// TestKilledCheckout checks that the next run completes a run that was killed
// while it wrote the files of goroot/.
func TestKilledCheckout(t *testing.T) {
	y := assembled(t)
	y.write(map[string]string{"src/a/new.go": "package a // overlay\n"})
	p := &project{root: y.root}
	o, _, err := readOverlay(p)
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.openGoroot()
	if err != nil {
		t.Fatal(err)
	}
	next, err := r.stackOf(o)
	if err != nil {
		t.Fatal(err)
	}
	y.git("goroot", "update-ref", nextRef, next)
	y.write(map[string]string{"goroot/src/a/new.go": "package a // ov", "goroot/.git/index.lock": ""})
	y.must("assemble")
	equal(t, "new.go", y.read("goroot/src/a/new.go"), "package a // overlay\n")
	y.must("status")

	y.git("goroot", "update-ref", nextRef, next)
	y.edit("goroot/src/a/b.go", "b line 3\n", "an edit\n")
	y.refused([]string{"src/a/b.go"}, "assemble")
}

func TestForeignGoroot(t *testing.T) {
	y := newToy(t)
	y.write(map[string]string{"goroot/VERSION": "mine\n"})
	y.refused([]string{"was not made by graft"}, "assemble")
}

func TestToolsHash(t *testing.T) {
	hash := func(files map[string]string) string {
		o := &overlay{files: map[string]overlayFile{}}
		for name, text := range files {
			o.files[name] = overlayFile{target: strings.TrimSuffix(name, ".x.patch"), data: []byte(text)}
		}
		p := &project{version: toyVersion + versionSuffix, pin: pin{Version: toyVersion, Hash: "h1:"}}
		return p.toolsHash(o)
	}
	base := hash(nil)
	for _, test := range []struct {
		file  string
		tools bool
	}{
		{"src/cmd/compile/x.go", true},
		{"src/cmd/link/internal/ld/data.go.x.patch", true},
		{"src/internal/abi/x.go", true},
		{"src/internal/abi/sub/x.go", false},
		{"src/runtime/funcdata.h.x.patch", true},
		{"src/runtime/x.go", false},
		{"src/cmd/heapgraph/x.go", false},
		{"src/cmd/heapgraph/x.go.x.patch", false},
		{"src/cmd/heapgraph/internal/core/x.go", false},
		{"src/cmd/heapgraph/site/shared/x.js", false},
		{"src/cmd/heapgraphs/x.go", true},
		{"src/cmd/compile/x_test.go", false},
		{"src/cmd/compile/x_test.go.x.patch", false},
		{"src/cmd/compile/testdata/x.go", false},
		{"test/x.go", false},
	} {
		one, two := hash(map[string]string{test.file: "1"}), hash(map[string]string{test.file: "2"})
		if changes := one != base && two != base && one != two; changes != test.tools {
			t.Errorf("%s changes the version: %v, want %v", test.file, changes, test.tools)
		}
	}
}
