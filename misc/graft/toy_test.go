// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// A toy is a made-up release of a few files, and a project whose overlay has
// two change lists on it. Each test of a command runs it on a toy of its own.

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const (
	toyVersion = "go1.99.1"
	toyNext    = "go1.99.2"
)

// lines returns n numbered lines that are all different.
func lines(name string, n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "%s line %d\n", name, i)
	}
	return b.String()
}

// toyRelease is the release in the form of the module: go.mod is renamed, there
// are no run bits, and there is a generated file.
var toyRelease = map[string]string{
	"go.env":           "# Defaults.\nGOTOOLCHAIN=auto\n",
	"LICENSE":          "toy\n",
	"lib/data.txt":     "data\n",
	"src/_go.mod":      "module std\n",
	"src/a/a.go":       lines("a", 30),
	"src/a/b.go":       lines("b", 30),
	"src/a/zgen.go":    generatedLine + "\n",
	"src/a/zkeep.go":   "// Not generated.\n",
	"src/cmd/c/c.go":   lines("c", 30),
	"src/make.bash":    "exit 0\n",
	"src/x/.gitignore": "ignored.go\n",
	"src/x/ignored.go": "tracked all the same\n",
	"src/cmd/internal/testdir/testdir_test.go": "package testdir\n\nvar (\n\tdirs = []string{\".\", \"ken\", \"internal/runtime/sys\"}\n)\n",
}

// A toy is a project and its release. Its methods end the test on failure.
type toy struct {
	t        *testing.T
	root     string
	upstream string
}

// newToy makes a project with the change lists alpha and beta, both without
// files.
func newToy(t *testing.T) *toy {
	t.Helper()
	y := &toy{t: t, root: t.TempDir(), upstream: makeRelease(t, toyVersion, toyRelease)}
	t.Setenv("GOROOT_UPSTREAM", y.upstream)
	y.write(map[string]string{
		"VERSION":         toyVersion + versionSuffix + "\n",
		"doc/cl/series":   "alpha\nbeta\n",
		"doc/cl/alpha.md": "a: add alpha\n\nWhy alpha.\n",
		"doc/cl/beta.md":  "a: add beta\n\nWhy beta.\n",
	})
	u, err := openUpstream(y.upstream, toyVersion)
	if err != nil {
		t.Fatal(err)
	}
	p, err := u.pin()
	if err != nil {
		t.Fatal(err)
	}
	y.write(map[string]string{pinFile: pinText(t, p)})
	return y
}

// makeRelease writes a release and returns its directory.
func makeRelease(t *testing.T, version string, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, map[string]string{"VERSION": version + "\ntime 2026-01-02T03:04:05Z\n"})
	put(t, dir, files)
	return dir
}

// put writes files under dir.
func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := writeFile(filepath.Join(dir, name), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
}

func (y *toy) write(files map[string]string) {
	y.t.Helper()
	put(y.t, y.root, files)
}

func (y *toy) read(name string) string {
	y.t.Helper()
	data, err := os.ReadFile(filepath.Join(y.root, name))
	if err != nil {
		y.t.Fatal(err)
	}
	return string(data)
}

func (y *toy) remove(name string) {
	y.t.Helper()
	if err := os.Remove(filepath.Join(y.root, name)); err != nil {
		y.t.Fatal(err)
	}
}

// edit replaces text in a file of the project.
func (y *toy) edit(name, old, new string) {
	y.t.Helper()
	text := y.read(name)
	if !strings.Contains(text, old) {
		y.t.Fatalf("%s has no %q", name, old)
	}
	y.write(map[string]string{name: strings.Replace(text, old, new, 1)})
}

// graft runs a command and returns its exit status and all output.
func (y *toy) graft(args ...string) (int, string) {
	y.t.Helper()
	var out bytes.Buffer
	args = append([]string{args[0], "-C", y.root}, args[1:]...)
	status := run(args, &out, &out)
	return status, out.String()
}

// must runs a command that must succeed.
func (y *toy) must(args ...string) string {
	y.t.Helper()
	status, out := y.graft(args...)
	if status != 0 {
		y.t.Fatalf("graft %v: %s", args, out)
	}
	return out
}

// refused runs a command that must fail, change no file of the project, and
// print all of want.
func (y *toy) refused(want []string, args ...string) {
	y.t.Helper()
	before := y.snapshot()
	status, out := y.graft(args...)
	if status != 1 {
		y.t.Errorf("graft %v: exit status %d, want 1", args, status)
	}
	for _, w := range want {
		if !strings.Contains(out, w) {
			y.t.Errorf("graft %v: no %q in the output:\n%s", args, w, out)
		}
	}
	if after := y.snapshot(); !maps.Equal(before, after) {
		y.t.Errorf("graft %v changed files: %v", args, differences(before, after))
	}
}

// snapshot returns all files of the project except git's own.
func (y *toy) snapshot() map[string]string {
	y.t.Helper()
	files := map[string]string{}
	err := filepath.Walk(y.root, func(name string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		if info.IsDir() {
			if info.Name() == ".git" {
				return filepath.SkipDir
			}
			return nil
		}
		data, err := os.ReadFile(name)
		files[name] = info.Mode().String() + string(data)
		return err
	})
	if err != nil {
		y.t.Fatal(err)
	}
	return files
}

func differences(a, b map[string]string) []string {
	var names []string
	for name := range a {
		if a[name] != b[name] {
			names = append(names, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// overlay returns the paths of the project's overlay.
func (y *toy) overlay() []string {
	y.t.Helper()
	p := &project{root: y.root}
	o, problems, err := readOverlay(p)
	if err != nil || len(problems) > 0 {
		y.t.Fatal(problems, err)
	}
	return o.names()
}

// git runs git in a directory of the project and returns its output.
func (y *toy) git(dir string, args ...string) string {
	y.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@b"}, args...)...)
	cmd.Dir = filepath.Join(y.root, dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		y.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// template is the toy that assembled copies. It is made once.
var template struct {
	once     sync.Once
	dir      string
	root     string
	upstream string
}

func TestMain(m *testing.M) {
	status := m.Run()
	if template.dir != "" {
		os.RemoveAll(template.dir)
	}
	os.Exit(status)
}

// assembled returns a toy that has a goroot/ and files in each change list:
// alpha and beta both edit src/a/a.go, alpha has a new file, and beta edits
// src/a/b.go.
func assembled(t *testing.T) *toy {
	t.Helper()
	template.once.Do(func() { makeTemplate(t) })
	if template.root == "" {
		t.Fatal("there is no template")
	}
	y := &toy{t: t, root: t.TempDir(), upstream: t.TempDir()}
	for to, from := range map[string]string{y.root: template.root, y.upstream: template.upstream} {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOROOT_UPSTREAM", y.upstream)
	return y
}

func makeTemplate(t *testing.T) {
	t.Helper()
	y := newToy(t)
	y.must("assemble")
	y.edit("goroot/src/a/a.go", "a line 5\n", "a line 5\nalpha here\n")
	y.write(map[string]string{"goroot/src/a/new.go": "package a\n"})
	y.must("save", "alpha")
	y.edit("goroot/src/a/a.go", "a line 20\n", "beta here\n")
	y.edit("goroot/src/a/b.go", "b line 1\n", "beta too\nb line 1\n")
	y.must("save", "beta")
	dir, err := os.MkdirTemp("", "graft-template-")
	if err != nil {
		t.Fatal(err)
	}
	template.dir = dir
	for name, from := range map[string]string{"root": y.root, "upstream": y.upstream} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	template.root, template.upstream = filepath.Join(dir, "root"), filepath.Join(dir, "upstream")
}

func equal[T comparable](t *testing.T, what string, have, want T) {
	t.Helper()
	if have != want {
		t.Errorf("%s: have %v, want %v", what, have, want)
	}
}

// pinText returns the contents of lib/upstream.json.
func pinText(t *testing.T, main pin, also ...pin) string {
	t.Helper()
	text, err := (&pins{main, also}).encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
