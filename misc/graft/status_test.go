// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"strings"
	"testing"
)

func TestStatus(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(y *toy)
		want   string // "" if nothing differs
	}{
		{"equal", func(y *toy) {}, ""},
		{"edit", func(y *toy) { y.edit("goroot/src/a/a.go", "a line 1\n", "A line 1\n") }, "goroot: src/a/a.go\n"},
		{"edit of the same size and time", func(y *toy) { y.edit("goroot/src/a/b.go", "beta", "BETA") }, "goroot: src/a/b.go\n"},
		{"commit", func(y *toy) {
			y.edit("goroot/src/a/a.go", "a line 1\n", "A line 1\n")
			y.git("goroot", "commit", "-qam", "by hand")
		}, "by hand\n"},
		{"new file", func(y *toy) { y.write(map[string]string{"goroot/test/t.go": ""}) }, "goroot: test/t.go\n"},
		{"overlay", func(y *toy) { y.write(map[string]string{"src/a/new.go": "package b\n"}) }, "overlay: src/a/new.go\n"},
		{"broken overlay", func(y *toy) { y.remove("src/a/new.go") }, "overlay: src/a/new.go: change list alpha lists it"},
		{"patch", func(y *toy) { y.edit("src/a/a.go.beta.patch", "-a line 20", "-a line 200") }, "overlay: src/a/a.go.beta.patch: hunk"},
		{"message", func(y *toy) { y.edit("doc/cl/beta.md", "Why beta.", "Why?") }, "overlay: the change lists' messages"},
	} {
		t.Run(test.name, func(t *testing.T) {
			y := assembled(t)
			test.change(y)
			before := y.snapshot()
			status, out := y.graft("status")
			if !strings.Contains(out, test.want) {
				t.Errorf("no %q in:\n%s", test.want, out)
			}
			equal(t, "differs", status == 1, test.want != "")
			if d := differences(before, y.snapshot()); len(d) > 0 {
				t.Errorf("status changed %v", d)
			}
		})
	}
}

// TestStatusOfEmptyLists checks that change lists without files make no
// difference.
func TestStatusOfEmptyLists(t *testing.T) {
	y := newToy(t)
	y.must("assemble")
	y.must("status")
}
