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

func TestVerify(t *testing.T) {
	const alphaPatch = "src/a/a.go.alpha.patch"
	copied := "package a\n\nimport (\n\t\"os\"\n)\n\n\tb line 7\n\n  b   line 8\n}\nb line 9\nb line 10\n\treturn\nb line 11\nb line 12\n"
	for _, test := range []struct {
		name   string
		change func(y *toy)
		want   string // "" if nothing is found
	}{
		{"nothing", func(y *toy) {}, ""},
		{"copied run", func(y *toy) { y.write(map[string]string{"src/a/new.go": copied}) },
			"src/a/new.go:7: 6 or more lines in a row also stand in upstream's src/a/b.go\n"},
		{"short run", func(y *toy) {
			y.write(map[string]string{"src/a/new.go": strings.Replace(copied, "b line 12", "my line", 1)})
		}, ""},
		{"broken run", func(y *toy) {
			y.write(map[string]string{"src/a/new.go": strings.Replace(copied, "b line 10", "my line\nb line 10", 1)})
		}, ""},
		{"copied run in a patch", func(y *toy) {
			text := "@@ -5,0 +6,6 @@\n+c\n"
			for _, n := range strings.Fields("7 8 9 10 11 12") {
				text += "+b line " + n + "\n"
			}
			y.edit(alphaPatch, "@@ -5,0 +6 @@\n+alpha here\n", strings.Replace(text, "+6,6", "+6,7", 1))
		}, alphaPatch + ":7: 6 or more lines in a row also stand in upstream's src/a/b.go\n"},
		{"run of another directory", func(y *toy) {
			y.write(map[string]string{"src/a/new.go": lines("c", 10)})
		}, ""},
		{"context", func(y *toy) {
			y.edit(alphaPatch, "@@ -5,0 +6 @@\n", "@@ -5 +5,2 @@\n a line 5\n")
		}, alphaPatch + ":6: 1 context lines"},
		{"heading", func(y *toy) { y.edit(alphaPatch, "+6 @@\n", "+6 @@ func f() {\n") }, alphaPatch + ": text after @@"},
		{"removal", func(y *toy) {
			y.edit("goroot/src/a/b.go", lines("b", 12), "")
			y.must("save")
		}, "src/a/b.go.beta.patch: removes 12 lines and adds 1"},
		{"empty list", func(y *toy) {
			y.write(map[string]string{"doc/cl/gamma.md": "x: y\n", "doc/cl/series": "alpha\nbeta\ngamma\n"})
		}, "change list gamma has no files"},
		{"test that an unpacked release has too", func(y *toy) {
			y.write(map[string]string{"goroot/test/t.go": "// run\n"})
			y.must("save", "alpha")
			y.remove("goroot/test/t.go")
			put(y.t, y.upstream, map[string]string{"test/t.go": "// run\n"})
		}, ""},
		{"no goroot", func(y *toy) {
			if err := os.RemoveAll(filepath.Join(y.root, "goroot")); err != nil {
				y.t.Fatal(err)
			}
		}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			y := assembled(t)
			test.change(y)
			status, out := y.graft("verify")
			if !strings.Contains(out, test.want) {
				t.Errorf("no %q in:\n%s", test.want, out)
			}
			equal(t, "found", status == 1, test.want != "")
			if test.want == "" {
				if !strings.HasPrefix(out, "graft: 2 change lists, ") || !strings.HasSuffix(out, " 3 patches: 0 findings\n") {
					t.Errorf("counts: %s", out)
				}
			}
		})
	}
}

func TestVerifyWrongUpstream(t *testing.T) {
	y := assembled(t)
	put(t, y.upstream, map[string]string{"src/a/a.go": "other\n"})
	y.refused([]string{"want h1:", "have h1:"}, "verify")
}
